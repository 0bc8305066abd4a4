"""The `lighteval` format: Parquet details, cut into batches of rows."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from core.errors import SourceError
from core.importers.lighteval.results import (
    About,
    Results,
    about,
    has_details,
    model_of,
    read_results,
    results_beside,
)
from core.importers.lighteval.rows import CUT_PROMPTS, TOGETHER, Sheet, key_of, part, specific_of, values_of
from core.importers.metadata import DROPPED, Census
from core.importers.naming import label_of
from core.importers.own_figures import CONTRADICTION, TOLERANCE, left_out
from core.importers.parquet import PARQUET, batches_of, column_names
from core.importers.parsing import digest_of
from core.importers.reader import (
    SUPERSEDED,
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
from core.importers.reruns import Made, superseded

COLUMNS = ("doc", "model_response", "metric")
EARLY = frozenset({"full_prompt", "predictions", "metrics", "gold_index"})

RESULTS = "LightEval results, read with the details beside them"
NO_DETAILS = "LightEval results without details (--save-details writes them)"
EARLY_VERSION = "LightEval details of a version before 0.10, whose columns are not read"
NO_MODEL = (
    "LightEval details outside a folder details/<model>/<date>; say whose they are with --set model=NAME"
)
METRIC = "metric used where there are several"

FIRST = (
    "exact_match",
    "em",
    "extractive_match",
    "qem",
    "acc",
    "loglikelihood_acc",
    "prompt_level_strict_acc",
)
"""Metrics of single answers that are right or wrong; any of them goes before others."""


@dataclass
class Seen:
    """What a details file holds; `metrics` counts the rows in which one is a number from 0 to 1."""

    results: Results = field(default_factory=Results)
    metrics: Counter[str] = field(default_factory=Counter)
    documents: list[str] = field(default_factory=list)
    census: Census = field(default_factory=Census)


@dataclass(frozen=True)
class Prepared:
    """What is to be read of a details file."""

    about: About
    results: Results
    sheet: Sheet
    skip: frozenset[Any] = frozenset()
    remarks: tuple[Remark, ...] = ()


class Batch(NamedTuple):
    """Some rows, for a worker."""

    rows: pa.RecordBatch
    first: int
    sheet: Sheet
    skip: frozenset[Any]


class LightEval(PlainReader):
    """Reader of the `lighteval` format."""

    name = "lighteval"

    def recognise(self, opening: Opening, options: Options) -> Verdict:
        """Say whether a Parquet file has the columns of details."""
        if not opening.raw.startswith(PARQUET):
            general = opening.content.lstrip()[:200].find(b'"config_general"') > 0
            return Verdict(general, (RESULTS if has_details(opening.path) else NO_DETAILS) if general else "")
        names = set(column_names(opening.path) or ())
        if set(COLUMNS) <= names or {f"__{name}__" for name in COLUMNS} <= names:
            known = about(opening.path) is not None and model_of(opening.path) is not None
            return Verdict(True, "" if known or "model" in options.overrides else NO_MODEL)
        return Verdict(names >= EARLY, EARLY_VERSION if names >= EARLY else "")

    def companions(self, path: Path) -> Sequence[Path]:
        """Return the results file of the same run."""
        results = results_beside(path)
        return () if results is None else (results,)

    def survey(self, paths: Sequence[Path], run: Run) -> Survey:
        """Look at all details: metrics, re-runs, and which keys of documents are params."""
        scans = run.map(scan_details, paths, step="Looking at details")
        seen: dict[Path, Seen] = dict(zip(paths, scans, strict=True))
        _check_scorers(seen.values(), run.options)
        named = {path: about(path) or About(path.stem, path.stem, None, "") for path in paths}
        census: dict[str, Census] = defaultdict(Census)
        for path, one in seen.items():
            census[named[path].task].add(one.census)
        dropped = {task: one.dropped() for task, one in census.items()}
        params = {task: one.params() for task, one in census.items()}
        sheets = {
            path: _sheet(path, named[path], one, params[named[path].task], run.options)
            for path, one in seen.items()
        }
        older = superseded(
            {path: Made(_run(sheets[path]), named[path].date) for path in paths},
            lambda path: seen[path].documents,
        )
        findings, meanings = {}, {}
        for path, one in seen.items():
            skip, sheet = older.get(path, frozenset()), sheets[path]
            remarks = [Remark(DROPPED, f"{key} ({why})") for key, why in dropped[named[path].task].items()]
            if len(one.metrics) > 1:
                remarks.append(Remark(METRIC, f"{sheet.metric} (of {', '.join(one.metrics)})"))
            findings[path] = Prepared(named[path], one.results, sheet, skip, tuple(remarks))
            said = [sheet._replace(params=frozenset()), sorted(sheet.params), sorted(map(str, skip))]
            meanings[path] = digest_of(said)
        return Survey(meanings, findings)

    def chunks(self, path: Path, prepared: Prepared, options: Options) -> Iterator[Chunk]:
        """Cut a details file into batches of rows."""
        yield from (Chunk(remark, 0) for remark in prepared.remarks)
        for first, size, rows in batches_of(path):
            if isinstance(rows, str):
                yield Chunk(Fault(f"row {first}", rows), 0)
            else:
                yield Chunk(Batch(rows, first, prepared.sheet, prepared.skip), size)

    def records(self, payload: Batch | Fault | Remark) -> Iterator[RawRecord | Fault | Remark]:
        """Read rows."""
        if isinstance(payload, Fault | Remark):
            yield payload
            return
        for number, row in enumerate(payload.rows.to_pylist(maps_as_pydicts="lossy"), start=payload.first):
            document, response = part(row, "doc"), part(row, "model_response")
            if key_of(document, number) in payload.skip:
                yield Fault(f"row {number}", SUPERSEDED)
                continue
            if len(response.get("text") or ()) > 1:
                yield Remark(TOGETHER)
            if response.get("truncated_tokens_count"):
                yield Remark(CUT_PROMPTS)
            yield RawRecord(f"row {number}", values_of(row, number, payload.sheet))

    def compare(self, prepared: Prepared | None, kept: Kept) -> Iterable[Remark]:
        """Compare the task's mean in the results file with that of the records."""
        if prepared is None or prepared.skip or not kept.scored:
            return
        own = prepared.results.own.get(prepared.about.full, {}).get(prepared.sheet.metric)
        if own is None:
            return
        mean = kept.score_sum / kept.scored
        run = f"{prepared.about.task}, {prepared.sheet.values['model']}"
        said = f"{run}: {prepared.sheet.metric} {own:.4g} in the results"
        if abs(own - mean) > TOLERANCE:
            yield Remark(CONTRADICTION, f"{said}, {mean:.4g} over its rows")
        if remark := left_out(said, kept):
            yield remark


def scan_details(path: Path) -> Seen:
    """Return what a details file holds; runs in a worker process."""
    seen = Seen()
    try:
        seen.results = read_results(results_beside(path))
        for first, _, rows in batches_of(path, leave_out=("model_response", "__model_response__")):
            if not isinstance(rows, str):
                _see(seen, first, rows.to_pylist(maps_as_pydicts="lossy"))
    except UNFORESEEN:
        # What could be read is read again for the records, where the fault is counted.
        pass
    return seen


def _see(seen: Seen, first: int, rows: list[dict[str, Any]]) -> None:
    for number, row in enumerate(rows, start=first):
        document = part(row, "doc")
        seen.documents.append(key_of(document, number))
        answers = [str(document.get("query") or ""), *(document.get("choices") or ())]
        seen.census.see(seen.documents[-1], specific_of(document), answers)
        for name, value in part(row, "metric").items():
            if isinstance(value, bool | int | float):
                seen.metrics[name] += 0 <= value <= 1


def _check_scorers(seen: Iterable[Seen], options: Options) -> None:
    valid = list(dict.fromkeys(name for one in seen for name in one.metrics))
    if options.scorers and valid and not set(options.scorers) & set(valid):
        raise SourceError(f"--scorer {', '.join(options.scorers)}: no such metric; valid: {', '.join(valid)}")


def _sheet(path: Path, named: About, seen: Seen, params: frozenset[str], options: Options) -> Sheet:
    results = seen.results
    model = results.model or model_of(path) or ""
    fitting = [name for name, count in seen.metrics.items() if count]
    wanted = [name for name in options.scorers if name in seen.metrics]
    usual = [name for name in FIRST if name in fitting]
    metric = next(iter([*wanted, *usual, *fitting, *seen.metrics]), "")
    values = {
        "model": model or None,
        "template": results.template,
        "sampler": results.sampler,
        "label": label_of(model) if model else None,
        "hf_id": model if model.count("/") == 1 else None,
        "base_task": named.task,
        "token_limit": results.token_limit,
    }
    args = {} if named.shots is None else {"num_fewshot": named.shots}
    return Sheet(values, args, params, metric)


def _run(sheet: Sheet) -> tuple[Any, ...]:
    names = ("base_task", "model", "template", "sampler")
    return (*(sheet.values[name] for name in names), sheet.args.get("num_fewshot"))
