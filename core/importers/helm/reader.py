"""The `helm` format: a run folder, read as a whole by one worker, one request at a time."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from core.errors import SourceError
from core.importers.compression import pieces
from core.importers.documents import Element, Rest, cut_document
from core.importers.helm.folder import (
    SCORES,
    SPEC,
    STATE,
    STATS,
    Key,
    Spec,
    key_of,
    metrics_of,
    own_mean,
    read_spec,
    scores_of,
)
from core.importers.helm.states import item_of, values_of
from core.importers.naming import label_of
from core.importers.own_figures import CONTRADICTION, TOLERANCE, left_out
from core.importers.parsing import digest_of, parse_json
from core.importers.reader import (
    UNFORESEEN,
    Chunk,
    Fault,
    Kept,
    Opening,
    Options,
    PlainReader,
    RawRecord,
    Remark,
    Run,
    Survey,
    Verdict,
)

PART = f"part of a HELM run, read with its {STATE}"
NO_SCORES = f"HELM run without {SCORES}: it has no scores"
METRIC = "metric used where there are several"
NOT_JOINED = f"no statistics of this instance in {SCORES}"

FIRST = (
    *("exact_match", "chain_of_thought_correctness", "math_equiv_chain_of_thought", "math_equiv"),
    *("final_number_exact_match", "omni_math_accuracy", "ifeval_strict_accuracy", "quasi_exact_match"),
)
"""Metrics of single answers that are right or wrong; any of them goes before others."""

EXTRA = ("num_prompt_tokens", "num_output_tokens", "num_completion_tokens")

_BESIDE = (SCORES, SPEC, STATS, "scenario.json", "instances.json")


class Seen(NamedTuple):
    """What a run folder holds."""

    spec: Spec
    metrics: Counter[str]


@dataclass(frozen=True)
class Prepared:
    """What is to be read of a run."""

    path: Path
    spec: Spec
    metric: str
    metrics: tuple[str, ...]


class Helm(PlainReader):
    """Reader of the `helm` format."""

    name = "helm"

    def recognise(self, opening: Opening, options: Options) -> Verdict:
        """Say whether a file is the state of a run, or stands beside one."""
        content, path = opening.content.lstrip(), opening.path
        if content.startswith(b"{") and b'"adapter_spec"' in content and b'"request_states"' in content:
            return Verdict(True, "" if (path.parent / SCORES).is_file() else NO_SCORES)
        beside = path.name in _BESIDE or path.name.startswith("display_")
        if beside and content[:1] in (b"{", b"[") and (path.parent / STATE).is_file():
            return Verdict(True, PART)
        return Verdict(False)

    def companions(self, path: Path) -> Sequence[Path]:
        """Return the other files of the run that records come from."""
        return [path.parent / name for name in (SCORES, SPEC) if (path.parent / name).is_file()]

    def survey(self, paths: Sequence[Path], run: Run) -> Survey:
        """Choose the metric of every run."""
        seen = dict(zip(paths, run.map(scan_run, paths, step="Looking at runs"), strict=True))
        valid = list(dict.fromkeys(name for one in seen.values() for name in one.metrics))
        wanted = run.options.scorers
        if wanted and valid and not set(wanted) & set(valid):
            raise SourceError(f"--scorer {', '.join(wanted)}: no such metric; valid: {', '.join(valid)}")
        findings, meanings = {}, {}
        for path, one in seen.items():
            metric = _metric(one, run.options)
            fitting = tuple(name for name, count in one.metrics.items() if count and name not in EXTRA)
            findings[path] = Prepared(path, one.spec, metric, fitting)
            meanings[path] = digest_of([one.spec.task, one.spec.model, dict(one.spec.params), metric])
        return Survey(meanings, findings)

    def chunks(self, path: Path, prepared: Prepared, options: Options) -> Iterator[Chunk]:
        """Return the run as one chunk: scores and requests have to be joined."""
        yield Chunk(prepared, path.stat().st_size)

    def records(self, payload: Prepared) -> Iterator[RawRecord | Fault | Remark]:
        """Read a run: its scores first, then its requests."""
        if len(payload.metrics) > 1:
            yield Remark(METRIC, f"{payload.metric} (of {', '.join(payload.metrics[:8])})")
        wanted = (payload.metric, *EXTRA)
        try:
            scores = {
                key: {name: means[name] for name in wanted if name in means}
                for key, means in scores_of(payload.path.parent)
            }
            with payload.path.open("rb") as file:
                for part in cut_document(pieces(file), ("request_states",), ("adapter_spec",)):
                    if isinstance(part, Rest):
                        if part.fault:
                            yield Fault("file", part.fault)
                    else:
                        yield from _record(part, payload, scores)
        except OSError as error:
            yield Fault("file", f"cannot be read ({error.strerror})")

    def compare(self, prepared: Prepared | None, kept: Kept) -> Iterable[Remark]:
        """Compare the run's own mean with that of the records."""
        if prepared is None or not kept.scored:
            return
        own = own_mean(prepared.path.parent, prepared.metric)
        if own is None:
            return
        mean = kept.score_sum / kept.scored
        said = f"{prepared.spec.task}, {prepared.spec.model}: {prepared.metric} {own:.4g} in {STATS}"
        if abs(own - mean) > TOLERANCE:
            yield Remark(CONTRADICTION, f"{said}, {mean:.4g} over its instances")
        if remark := left_out(said, kept):
            yield remark


def scan_run(path: Path) -> Seen:
    """Return what a run folder holds; runs in a worker process."""
    adapter: Any = None
    folder = path.parent
    try:
        with path.open("rb") as file:
            for part in cut_document(pieces(file), (), ("request_states", "annotator_specs")):
                document = parse_json(part.data)
                adapter = document.get("adapter_spec") if isinstance(document, dict) else None
        return Seen(read_spec(folder, adapter if isinstance(adapter, dict) else {}), metrics_of(folder))
    except UNFORESEEN:
        # What could be read is read again for the records, where the fault is counted.
        return Seen(Spec(folder.name.partition(":")[0], None), Counter())


def _metric(seen: Seen, options: Options) -> str:
    fitting = [name for name, count in seen.metrics.items() if count and name not in EXTRA]
    wanted = [name for name in options.scorers if name in seen.metrics]
    usual = [name for name in FIRST if name in fitting]
    return next(iter([*wanted, *usual, *fitting]), "")


def _record(
    part: Element, run: Prepared, scores: dict[Key, dict[str, float]]
) -> Iterator[RawRecord | Fault | Remark]:
    place = f"request {part.number + 1}"
    try:
        state = parse_json(part.data)
    except ValueError as error:
        yield Fault(place, str(error))
        return
    instance = state.get("instance") if isinstance(state, dict) else None
    if not isinstance(instance, dict):
        yield Fault(place, "no instance")
        return
    if state.get("request_mode") == "calibration":
        return
    perturbation = instance.get("perturbation")
    key = key_of({**state, "perturbation": perturbation}, instance.get("id"))
    # Where each option is a request of its own, the instance has one score: its first request stands for it.
    found = scores.pop(key, None) if state.get("reference_index") is not None else scores.get(key)
    if found is None:
        if state.get("reference_index") is None:
            yield Fault(place, NOT_JOINED)
        return
    item = item_of(instance)
    values = values_of(state, found.get(run.metric), found)
    if state.get("reference_index") is not None:
        values |= {"response": None, "answer": None, "completion_tokens": None, "choices": item["options"]}
        values |= {"finish_reason": None, "token_limit": None}
    params = dict(run.spec.params)
    if isinstance(perturbation, dict):
        params["perturbation"] = str(perturbation.get("name"))
    if instance.get("sub_split"):
        params["sub_split"] = instance["sub_split"]
    model = run.spec.model
    yield RawRecord(
        place,
        {
            **values,
            "model": model,
            "label": label_of(model) if model else None,
            "base_task": run.spec.task,
            "params": params,
            "item_key": str(instance.get("id")),
            "repeat": key[2],
            "reference": item["reference"],
            "scorer": run.metric,
        },
    )
