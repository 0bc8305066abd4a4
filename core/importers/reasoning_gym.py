"""Reasoning Gym evaluation results: one JSON file per model run, difficulty, category and dataset.

`<difficulty>/<org>_<model>_<yyyymmdd>_<hhmmss>/<category>/<dataset>.json`; the dated folders of one model
are one eval. Responses hold the visible answer only, and neither tokens nor finish reasons are recorded.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from core.importers.gym_items import question_digest
from core.importers.gym_params import Wanted, params_of
from core.importers.parsing import parse_json
from core.importers.reader import (
    Chunk,
    Fault,
    Opening,
    Options,
    PlainReader,
    RawRecord,
    Remark,
    Run,
    Survey,
    Verdict,
)

RUN_FOLDER = re.compile(r"(?P<model>.+)_\d{8}_\d{6}")

NO_RUN_FOLDER = (
    "not in a folder named <org>_<model>_<date>_<time>; say whose results these are with --set model=NAME"
)
OWN_FIGURES = "a file's own figures contradict its completions; the completions were used"
UNPAIRED = "one index holds different questions for different models; those items are not paired"
NO_PARAMS = "items without regenerated params"

TOLERANCE = 1e-6
"""Averages that differ by less differ by rounding."""

_RESULT_KEYS = (b'"name"', b'"results"', b'"config"')
_OTHER_KEYS = (b'"total_datasets"', b'"dataset_best_scores"', b'"completed_datasets"')


class Scan(NamedTuple):
    """What the items of a file are, without their completions; None fields where it cannot be read."""

    dataset: str
    config: dict[str, Any]
    digests: tuple[str, ...]


class Gym(NamedTuple):
    """One file, with what was found out about all files: params by index, and remarks."""

    path: Path
    params: Mapping[int, dict[str, Any]]
    remarks: tuple[Remark, ...]


class Place(NamedTuple):
    """What a file's path says."""

    difficulty: str | None
    model: str | None
    category: str


class ReasoningGym(PlainReader):
    """Reader of the `reasoning_gym` format."""

    name = "reasoning_gym"

    def recognise(self, opening: Opening, options: Options) -> Verdict:
        """Say whether a file holds the results of one dataset, or what else a run folder holds."""
        content = opening.content.lstrip()
        if not content.startswith(b"{"):
            return Verdict(False)
        if all(key in content for key in _RESULT_KEYS) and b'"question"' in content:
            refused = locate(opening.path).model is None and "model" not in options.overrides
            return Verdict(True, NO_RUN_FOLDER if refused else "")
        beside = opening.path.name in ("summary.json", "checkpoint.json")
        if beside and (
            RUN_FOLDER.fullmatch(opening.path.parent.name) or any(key in content for key in _OTHER_KEYS)
        ):
            return Verdict(True, f"{opening.path.stem} of a run, not results")
        return Verdict(False)

    def meaning(self, path: Path) -> str:
        """Return difficulty, model and category: the same file elsewhere is about something else."""
        return "/".join(part or "" for part in locate(path))

    def survey(self, paths: Sequence[Path], run: Run) -> Survey:
        """Return what the path of each file says."""
        return Survey({path: self.meaning(path) for path in paths})

    def prepare(
        self, paths: Sequence[Path], new: Sequence[Path], run: Run, survey: Survey | None = None
    ) -> Mapping[Path, Gym]:
        """Compare the items of all files, and regenerate the params of the new ones' items once."""
        scans: dict[Path, Scan] = {
            path: scan
            for path, scan in zip(paths, run.map(scan_file, paths, step="Comparing items"), strict=True)
            if scan is not None
        }
        unpaired = _unpaired(scans)
        params, notes = _regenerated({path: scans[path] for path in new if path in scans}, run)
        prepared = {}
        for path in new:
            remarks = list(notes.get(path, ()))
            if unpaired.get(path):
                scan = scans[path]
                detail = f"{scan.dataset}: {unpaired[path]} of {len(scan.digests)} items"
                remarks.append(Remark(UNPAIRED, detail))
            prepared[path] = Gym(path, params.get(path, {}), tuple(remarks))
        return prepared

    def chunks(self, path: Path, prepared: Gym, options: Options) -> Iterable[Chunk]:
        """Return the file as one chunk: it is one JSON document, read by the worker."""
        return [Chunk(prepared, path.stat().st_size)]

    def records(self, payload: Gym) -> Iterator[RawRecord | Fault | Remark]:
        """Read the completions of a file."""
        yield from payload.remarks
        document = _read(payload.path)
        if isinstance(document, Fault):
            yield document
            return
        yield from _own_figures(document)
        place = locate(payload.path)
        shared = {
            "model": place.model,
            "label": _label(place.model),
            "base_task": document["name"],
            "category": document.get("category") or place.category or None,
        }
        seed = document["config"].get("seed")
        for index, result in enumerate(document["results"]):
            where = f"result {index}"
            if not isinstance(result, dict) or not isinstance(result.get("completions"), list):
                yield Fault(where, "result without completions")
                continue
            question = result.get("question")
            if not isinstance(question, str):
                yield Fault(where, "result without a question")
                continue
            item = shared | {
                "params": _params(place, payload.params.get(index)),
                "item_key": f"{place.difficulty or ''}/{seed}/{index}/{question_digest(question)}",
                "prompt": question,
                "reference": result.get("expected_answer"),
            }
            for repeat, completion in enumerate(result["completions"]):
                yield _record(item, completion, repeat, f"{where} completion {repeat}")


def locate(path: Path) -> Place:
    """Return what a file's path says of it; a run's folder is the nearest one above with a date in its name.

    Without a dated folder the model is unknown (None), and so is the difficulty.
    """
    for folder in path.parents:
        if match := RUN_FOLDER.fullmatch(folder.name):
            category = path.parent.name if path.parent != folder else ""
            return Place(folder.parent.name or None, match["model"], category)
    return Place(None, None, path.parent.name)


def scan_file(path: Path) -> Scan | None:
    """Return the items of a file; runs in a worker process."""
    document = _read(path)
    if isinstance(document, Fault):
        return None
    questions = (one.get("question") if isinstance(one, dict) else None for one in document["results"])
    digests = tuple(question_digest(one) if isinstance(one, str) else "" for one in questions)
    return Scan(document["name"], document["config"], digests)


def _read(path: Path) -> dict[str, Any] | Fault:
    try:
        document = parse_json(path.read_bytes())
    except (ValueError, OSError) as error:
        return Fault("file", str(error) if isinstance(error, ValueError) else "cannot be read")
    expected = {"name": str, "results": list, "config": dict}
    for key, kind in expected.items():
        if not isinstance(document, dict) or not isinstance(document.get(key), kind):
            return Fault("file", f"not Reasoning Gym results: no {key}")
    return dict(document)


def _label(model: str | None) -> str | None:
    """Return "o3-mini" for "openai_o3-mini": the folder's name without the organisation."""
    if model is None:
        return None
    organisation, _, label = model.partition("_")
    return label or organisation


def _params(place: Place, regenerated: Mapping[str, Any] | None) -> dict[str, Any]:
    difficulty = {} if place.difficulty is None else {"difficulty": place.difficulty}
    return dict(regenerated or {}) | difficulty


def _record(item: dict[str, Any], completion: Any, repeat: int, place: str) -> RawRecord | Fault:
    if not isinstance(completion, dict):
        return Fault(place, "completion is not a JSON object")
    answer, score, error = completion.get("model_answer"), completion.get("score"), completion.get("error")
    outcome = None
    if error is not None:
        outcome = "error"
    elif answer in (None, "") and isinstance(score, int | float) and score < 1.0:
        outcome = "invalid"
    values = item | {
        "repeat": repeat,
        "response": completion.get("full_model_response"),
        "answer": answer,
        "score": score,
        "outcome": outcome,
        "explanation": error,
    }
    return RawRecord(place, values)


def _own_figures(document: dict[str, Any]) -> Iterator[Remark]:
    """Compare a file's averages and counts with its completions; scores that are no numbers count 0."""
    results = [one for one in document["results"] if isinstance(one, dict)]
    scores = [[_plain(one) for one in result.get("completions") or []] for result in results]
    if not scores or not all(scores):
        return
    found = {
        "average_best_score": sum(max(one) for one in scores) / len(scores),
        "average_mean_score": sum(sum(one) / len(one) for one in scores) / len(scores),
        "total_examples": len(scores),
        "completions_per_prompt": max(len(one) for one in scores),
    }
    for key, value in found.items():
        own = document.get(key)
        if isinstance(own, int | float) and not abs(own - value) <= TOLERANCE:
            yield Remark(OWN_FIGURES, f"{key}: {own:.6g} in the file, {value:.6g} by its completions")


def _plain(completion: Any) -> float:
    score = completion.get("score") if isinstance(completion, dict) else None
    return float(score) if isinstance(score, int | float) else 0.0


def _unpaired(scans: Mapping[Path, Scan]) -> dict[Path, int]:
    """Return how many items of each file have another question at their index in another model's file."""
    questions: dict[tuple[str | None, str, Any], dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
    for path, scan in scans.items():
        group = questions[locate(path).difficulty, scan.dataset, scan.config.get("seed")]
        for index, one in enumerate(scan.digests):
            group[index].add(one)
    return {
        path: sum(
            len(questions[locate(path).difficulty, scan.dataset, scan.config.get("seed")][index]) > 1
            for index in range(len(scan.digests))
        )
        for path, scan in scans.items()
    }


def _regenerated(
    scans: Mapping[Path, Scan], run: Run
) -> tuple[dict[Path, dict[int, dict[str, Any]]], dict[Path, list[Remark]]]:
    wanted = {path: Wanted(scan.dataset, scan.config, scan.digests) for path, scan in scans.items()}
    found = params_of(list(wanted.values()), run)
    params: dict[Path, dict[int, dict[str, Any]]] = {}
    remarks: dict[Path, list[Remark]] = {}
    for path, one in wanted.items():
        result = found.of(one)
        params[path] = result.params
        remarks[path] = list(result.remarks)
        missing = len(one.digests) - len(result.params)
        if missing:
            remarks[path].append(Remark(NO_PARAMS, f"{one.dataset} ({locate(path).difficulty})", missing))
    return params, remarks
