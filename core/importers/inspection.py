"""Looking at a source without importing it: what it is, how much is in it, which fields are there."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import orjson

from core.errors import SourceError
from core.importers.planning import make_plan, recognise
from core.importers.progress import Progress, Silent
from core.importers.reader import Options
from core.importers.reading import read_files
from core.importers.report import Mention
from core.importers.sources import find_files, path_text
from core.importers.staging_job import stage
from core.importers.summing_up import import_row, sum_up
from core.importers.workers import Pool
from core.store.attach import quoted

NAMED = 20
"""How many models and tasks are named."""


@dataclass(frozen=True)
class Inspection:
    """What sources hold.

    Attributes
    ----------
    formats : dict
        Files by format.
    left_out : dict
        Files that cannot be imported, by the reason.
    read, kept, skipped
        Records, those that can be used, and the others by reason.
    fields : dict
        By field of a record: in how many of the kept ones the source has it.
    models, base_tasks, params
        Completions by model and by task, and by param in how many completions it is.
    evals, tasks, items, shared_items, numeric_params
        Distinct evals, tasks and items; items that more than one eval has; the most params of one task
        that are numbers and take more than one value.
    """

    formats: Mapping[str, int]
    left_out: Mapping[str, Sequence[str]]
    read: int = 0
    kept: int = 0
    skipped: Mapping[str, int] = field(default_factory=dict)
    places: Mapping[str, Sequence[str]] = field(default_factory=dict)
    remarks: Mapping[str, Mapping[str, Mention]] = field(default_factory=dict)
    fields: Mapping[str, int] = field(default_factory=dict)
    models: Mapping[str, int] = field(default_factory=dict)
    base_tasks: Mapping[str, int] = field(default_factory=dict)
    params: Mapping[str, int] = field(default_factory=dict)
    evals: int = 0
    tasks: int = 0
    items: int = 0
    shared_items: int = 0
    numeric_params: int = 0


def inspect_sources(
    sources: Sequence[Path],
    options: Options,
    *,
    format: str | None = None,
    progress: Progress | None = None,
) -> Inspection:
    """Read sources as an import would, and return what they hold; nothing is kept.

    Parameters
    ----------
    sources : sequence of Path
        Files, and folders with all below them.
    options : Options
        How they are read.
    format : str, optional
        Take every file as this format instead of recognising it.
    progress : Progress, optional
        Who watches.

    Raises
    ------
    SourceError
        A source does not exist, an option does not fit, or there is no room to look at it.
    """
    progress = progress or Silent()
    progress.step("Looking for files")
    found = find_files(list(sources))
    taken = recognise(found, options, format)
    try:
        with (
            TemporaryDirectory(prefix="inspect-source-") as folder,
            Pool(sum(path.stat().st_size for path, _ in taken), options, progress) as pool,
        ):
            plan = make_plan(taken, [], options, found, pool)
            for path, origin in plan.copies.items():
                found.leave_out(path, f"same content as {origin}")
            tallies = read_files(plan, pool, progress, stage, Path(folder))
            rows = [import_row(file, tallies[file.path], "{}") for file in plan.new]
            total = sum_up(plan, tallies, rows)
            held = _held(Path(folder)) if total.records.kept else {}
    except OSError as error:
        raise SourceError(f"The source could not be read to its end: {error}") from error
    return Inspection(
        formats={name: len(paths) for name, paths in plan.by_reader.items()},
        left_out={reason: [path_text(path) for path in paths] for reason, paths in found.left_out.items()},
        read=total.records.read,
        kept=total.records.kept,
        skipped=dict(total.records.skipped.most_common()),
        places=total.records.places,
        remarks=total.remarks,
        **held,
    )


FIELDS = (
    *("prompt", "response", "reference", "answer", "score", "choices", "finish_reason", "token_limit"),
    *("prompt_tokens", "completion_tokens", "reasoning_tokens", "prompt_token_ids", "repeat", "category"),
    *("hf_id", "groups", "scorer", "explanation"),
)
"""Fields that a record may do without."""


def _held(folder: Path) -> dict[str, Any]:
    """Return what the staged records hold."""
    with duckdb.connect(":memory:", config={"memory_limit": "1GB"}) as connection:
        connection.execute(f"SET temp_directory = {quoted(str(folder / 'spill'))}")
        connection.execute(
            f"CREATE VIEW staged AS SELECT * FROM read_parquet({quoted(str(folder / 'part-*.parquet'))})"
        )
        there = {name: f"{name} IS NOT NULL" for name in FIELDS}
        # What is tokenised at import is not in the source.
        there["completion_tokens"] = "token_source = 'reported'"
        counts = ", ".join(f"count(*) FILTER (WHERE {said})" for said in there.values())
        (numbers,) = connection.execute(f"SELECT {counts} FROM staged").fetchall()
        items = "(SELECT base_task, params, item_key, count(DISTINCT (model, template, sampler)) AS evals"
        items += " FROM staged GROUP BY ALL)"
        ((count, shared),) = connection.execute(
            f"SELECT count(*), count(*) FILTER (WHERE evals > 1) FROM {items}"
        ).fetchall()
        ((evals, tasks),) = connection.execute(
            "SELECT count(DISTINCT (model, template, sampler)), count(DISTINCT base_task) FROM staged"
        ).fetchall()
        params, numeric = _params(connection)
        return {
            "fields": dict(zip(FIELDS, numbers, strict=True)),
            "models": _named(connection, "model"),
            "base_tasks": _named(connection, "base_task"),
            "params": params,
            "evals": evals,
            "tasks": tasks,
            "items": count,
            "shared_items": shared,
            "numeric_params": numeric,
        }


def _named(connection: duckdb.DuckDBPyConnection, column: str) -> dict[str, int]:
    rows = connection.execute(
        f"SELECT {column}, count(*) FROM staged GROUP BY ALL ORDER BY count(*) DESC, {column} LIMIT {NAMED}"
    ).fetchall()
    return {str(name): int(count) for name, count in rows}


def _params(connection: duckdb.DuckDBPyConnection) -> tuple[dict[str, int], int]:

    rows = connection.execute("SELECT base_task, params, count(*) FROM staged GROUP BY ALL").fetchall()
    there: Counter[str] = Counter()
    values: dict[str, dict[str, set[Any]]] = {}
    for task, text, count in rows:
        for name, value in orjson.loads(text).items():
            there[name] += count
            values.setdefault(task, {}).setdefault(name, set()).add(value)
    numeric = [
        sum(len(seen) > 1 and all(type(one) in (int, float) for one in seen) for seen in found.values())
        for found in values.values()
    ]
    return dict(there.most_common()), max(numeric, default=0)
