"""The `lm_eval` format: which filter and metric count, which runs are re-runs, and the rows as records."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from core.importers.cutting import NO_OBJECT, Block, Broken
from core.importers.lm_eval.choice import check_choices, choose_filter, choose_metric
from core.importers.lm_eval.figures import compare_figures
from core.importers.lm_eval.results import SAMPLES, Task, date_of, results_beside
from core.importers.lm_eval.rows import Sheet, filter_of, values_of
from core.importers.lm_eval.scan import Seen, blocks_of, scan_samples
from core.importers.metadata import DROPPED, Census
from core.importers.naming import label_of
from core.importers.parsing import digest_of, parse_json
from core.importers.reader import (
    SUPERSEDED,
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

RESULTS = "lm-evaluation-harness results, read with the samples files beside it"
NO_SAMPLES = "lm-evaluation-harness results without samples files (--log_samples writes them)"
NO_MODEL = (
    "lm-evaluation-harness samples without the results file of their date, and the folder names no model;"
    " say whose they are with --set model=NAME"
)
FOLDER = "no results file of the samples' date: the model is the folder's name"
APPENDED = "appended again: the same document and filter"
FILTER = "answer filter used where there are several"
METRIC = "metric used where there are several"
OTHER_PROMPTS = "models were asked the same documents in other words (few-shot examples or template)"

_ROW_KEYS = (b'"doc_id"', b'"arguments"', b'"resps"')


@dataclass(frozen=True)
class Prepared:
    """What is to be read of a samples file."""

    task: str
    about: Task
    sheet: Sheet
    repeated: tuple[int, ...]
    skip: frozenset[Any] = frozenset()
    remarks: tuple[Remark, ...] = ()


class Rows(NamedTuple):
    """A block of rows, for a worker."""

    data: bytes
    first: int
    sheet: Sheet
    repeated: tuple[int, ...]
    skip: frozenset[Any]


class LmEval(PlainReader):
    """Reader of the `lm_eval` format."""

    name = "lm_eval"

    def recognise(self, opening: Opening, options: Options) -> Verdict:
        """Say whether a file holds samples, or results that are read with them."""
        content = opening.content.lstrip()
        head = content[:200]
        if SAMPLES.fullmatch(opening.path.name) and b'"doc_id"' in head and b'"doc"' in content:
            return self._samples(opening.path, options)
        if all(key in content for key in _ROW_KEYS) and b'"doc_id"' in head:
            return self._samples(opening.path, options)
        if content.startswith(b"{") and b'"results"' in head and b'"alias"' in content:
            date = date_of(opening.path)
            beside = any(
                SAMPLES.fullmatch(one.name) and date_of(one) == date for one in opening.path.parent.iterdir()
            )
            return Verdict(True, RESULTS if beside else NO_SAMPLES)
        return Verdict(False)

    def _samples(self, path: Path, options: Options) -> Verdict:
        known = "model" in options.overrides or results_beside(path) is not None or "__" in path.parent.name
        return Verdict(True, "" if known else NO_MODEL)

    def companions(self, path: Path) -> Sequence[Path]:
        """Return the results file of the same date."""
        results = results_beside(path)
        return () if results is None else (results,)

    def survey(self, paths: Sequence[Path], run: Run) -> Survey:
        """Look at all samples files: filters, metrics, re-runs, and which keys of documents are params."""
        scans = run.map(scan_samples, paths, step="Looking at samples")
        seen: dict[Path, Seen] = dict(zip(paths, scans, strict=True))
        check_choices(list(seen.values()), run.options)
        tasks = {path: _task_of(path) for path in paths}
        census: dict[str, Census] = defaultdict(Census)
        for path, one in seen.items():
            census[tasks[path]].add(one.census)
        dropped = {task: one.dropped() for task, one in census.items()}
        params = {task: one.params() for task, one in census.items()}
        sheets = {path: _sheet(path, seen[path], params[tasks[path]], run.options) for path in paths}
        older = superseded(
            {path: Made(_run(tasks[path], sheets[path]), date_of(path)) for path in paths},
            lambda path: seen[path].documents,
        )
        other = _other_prompts(seen, tasks, sheets)
        findings, meanings = {}, {}
        for path, one in seen.items():
            task, sheet = tasks[path], sheets[path]
            skip = older.get(path, frozenset())
            remarks = (*_remarks(one, sheet, dropped[task]), *other.get(path, ()))
            about = one.results.task(task)
            findings[path] = Prepared(task, about, sheet, tuple(one.repeated), skip, remarks)
            plain = sheet._replace(params=frozenset(), twins={})
            said = [plain, sorted(sheet.params), sorted(map(str, skip))]
            meanings[path] = digest_of(said)
        return Survey(meanings, findings)

    def chunks(self, path: Path, prepared: Prepared, options: Options) -> Iterator[Chunk]:
        """Cut a samples file into blocks of rows."""
        yield from (Chunk(remark, 0) for remark in prepared.remarks)
        for block in blocks_of(path):
            if isinstance(block, Broken):
                yield Chunk(Fault(f"line {block.number}", block.reason), 0)
                continue
            end = block.first + block.data.count(b"\n") + 1
            low, high = (bisect_left(prepared.repeated, number) for number in (block.first, end))
            again = prepared.repeated[low:high]
            yield Chunk(Rows(block.data, block.first, prepared.sheet, again, prepared.skip), block.size)

    def records(self, payload: Rows | Fault | Remark) -> Iterator[RawRecord | Fault | Remark]:
        """Read rows of the filter that counts."""
        if isinstance(payload, Fault | Remark):
            yield payload
            return
        block = Block(payload.data, payload.first, 0)
        for number, line in enumerate(block.data.split(b"\n"), start=block.first):
            if not line.strip():
                continue
            place = f"line {number}"
            try:
                row = parse_json(line)
            except ValueError as error:
                yield Fault(place, str(error))
                continue
            if not isinstance(row, dict) or "doc_id" not in row:
                yield Fault(place, NO_OBJECT if not isinstance(row, dict) else "no doc_id")
            elif payload.sheet.filter not in (None, filter_of(row)):
                continue
            elif number in payload.repeated:
                yield Fault(place, APPENDED)
            elif str(row["doc_id"]) in payload.skip:
                yield Fault(place, SUPERSEDED)
            else:
                yield RawRecord(place, values_of(row, payload.sheet))

    def compare(self, prepared: Prepared | None, kept: Kept) -> Iterable[Remark]:
        """Compare the task's mean in the results file with that of the records."""
        if prepared is None or prepared.skip:
            return ()
        return compare_figures(prepared.task, prepared.about, prepared.sheet, kept)


def _task_of(path: Path) -> str:
    match = SAMPLES.fullmatch(path.name)
    return match["task"] if match else path.name.split(".")[0]


def _sheet(path: Path, seen: Seen, params: frozenset[str], options: Options) -> Sheet:
    task, results = _task_of(path), seen.results
    about = results.task(task)
    model = results.model or path.parent.name.replace("__", "/")
    chosen = choose_filter(seen, about, options)
    values = {
        "model": model,
        "template": results.template,
        "sampler": results.sampler,
        "label": results.label or label_of(model),
        "hf_id": results.hf_id,
        "base_task": task,
        "task_label": about.label,
        "category": about.group,
    }
    args = {} if about.shots is None else {"num_fewshot": about.shots}
    metric = choose_metric(seen, chosen, about, options)
    return Sheet(values, args, params, metric, chosen, seen.twins)


def _run(task: str, sheet: Sheet) -> tuple[Any, ...]:
    values = sheet.values
    return task, values["model"], values["template"], values["sampler"], sheet.args.get("num_fewshot")


def _remarks(seen: Seen, sheet: Sheet, dropped: Mapping[str, str]) -> Iterator[Remark]:
    if seen.results.model is None:
        yield Remark(FOLDER, str(sheet.values["model"]))
    if len(seen.rows) > 1:
        yield Remark(FILTER, f"{sheet.filter} (of {', '.join(seen.rows)})")
    metrics = [name for name in seen.metrics.get(sheet.filter or "", {})]
    if len(metrics) > 1:
        yield Remark(METRIC, f"{sheet.metric} (of {', '.join(metrics)})")
    yield from (Remark(DROPPED, f"{key} ({reason})") for key, reason in dropped.items())


def _other_prompts(
    seen: Mapping[Path, Seen], tasks: Mapping[Path, str], sheets: Mapping[Path, Sheet]
) -> dict[Path, list[Remark]]:
    """Find models that were asked the same documents of a task in other words."""
    prompts: dict[tuple[Any, ...], set[str]] = defaultdict(set)
    group = {path: (tasks[path], one.contents, sheets[path].values["template"]) for path, one in seen.items()}
    for path, one in seen.items():
        prompts[group[path]].add(one.prompts)
    return {path: [Remark(OTHER_PROMPTS, tasks[path])] for path in seen if len(prompts[group[path]]) > 1}
