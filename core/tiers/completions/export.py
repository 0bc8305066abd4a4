"""A list of completions as records: CSV and JSON Lines, a few hundred rows in memory at a time.

A record has the fields of the project's own interchange format, so that what was exported can be imported
again, and beside them where it comes from.
"""

import csv
import io
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

import orjson

from core.config import DatasetConfig
from core.errors import FilterError
from core.export import csv_cell
from core.filters import Filters
from core.store.aggregate import STORED_THRESHOLD
from core.store.dataset import Dataset
from core.tiers.completions.query import filters_of, listing, names_of, outcome_at
from core.tiers.completions.wanted import Wanted
from core.tiers.files import check_form
from core.tiers.selection import selected_points

FIELDS = (
    "model", "template", "sampler", "label", "category", "base_task", "params", "item_key", "repeat",
    "prompt", "response", "reference", "answer", "outcome", "score", "choices", "finish_reason", "truncated",
    "token_limit", "prompt_token_ids", "tokenizer", "prompt_tokens", "completion_tokens", "reasoning_tokens",
    "scorer", "explanation", "hf_id", "groups", "place", "completion_id", "point_id", "item_id", "eval_id",
    "response_bytes", "compressed_bytes", "token_source", "flag", "source",
)  # fmt: skip
"""Of a record, in order. outcome: at the threshold of the filters; truncated: null where the source does not
say; token counts are the reported ones or counted by tokenising (token_source); flag: the note of a flagged
completion; source, place: the file it was read from and where in it."""

FORMATS = {"csv": "csv", "jsonl": "jsonl"}
"""File extensions by format."""

BATCH = 500


def records(
    dataset: Dataset, filters: Filters, wanted: Wanted, limit: int | None = None
) -> Iterator[dict[str, Any]]:
    """Yield the completions of a list in its order, each a dictionary of FIELDS.

    Parameters
    ----------
    limit : int, optional
        Most records.

    Raises
    ------
    FilterError
        The filters or the list name what the dataset does not have, or the limit is below 1.
    """
    if limit is not None and limit < 1:
        raise FilterError(f"A limit is at least 1 completion; given: {limit}")
    filters = filters.resolved(dataset.catalog)
    found = listing(dataset, filters, wanted.checked(dataset.catalog))
    ids = dataset.sql(found.ids() + ("" if limit is None else f"\nLIMIT {limit:d}"), **found.parameters)[
        "completion_id"
    ]
    filters = filters_of(filters, wanted)
    for start in range(0, len(ids), BATCH):
        yield from _batch(dataset, filters, ids[start : start + BATCH].to_pylist())


def _batch(dataset: Dataset, filters: Filters, ids: list[int]) -> Iterator[dict[str, Any]]:
    names, bound = names_of("id", ids)
    selected, parameters = selected_points(dataset, filters)
    threshold = filters.threshold or STORED_THRESHOLD
    if threshold != STORED_THRESHOLD:
        bound["threshold"] = threshold
    rows = dataset.rows(
        f"""
        WITH selected AS ({selected}), here AS (
            SELECT * FROM data.completions WHERE completion_id IN ({names})
        ), homes AS (
            SELECT point_id, min(eval_id) AS eval_id
            FROM selected WHERE point_id IN (SELECT point_id FROM here) GROUP BY point_id
        ), own_tokens AS (
            -- Tokens that came with the records, not those that were fetched or made for the spectra.
            SELECT model, template, sampler, min(tokenizer) AS tokenizer
            FROM data.identity_tokenizers WHERE origin = 'source' GROUP BY ALL
        )
        SELECT c.* EXCLUDE (outcome, prompt_id, import_id), {outcome_at(threshold)} AS outcome, h.eval_id,
            p.model, p.template, p.sampler, p.base_task, p.params, i.key AS item_key, i.reference, i.choices,
            q.text AS prompt, k.ids AS prompt_token_ids, k.tokenizer, r.text AS response, f.note AS flag,
            m.path AS source
        FROM here c
        JOIN homes h USING (point_id)
        JOIN data.points p USING (point_id)
        JOIN data.items i USING (item_id)
        LEFT JOIN data.prompts q ON q.prompt_id = c.prompt_id
        LEFT JOIN own_tokens t ON (t.model, t.template, t.sampler) = (p.model, p.template, p.sampler)
        LEFT JOIN data.prompt_tokens k ON k.prompt_id = c.prompt_id AND k.tokenizer = t.tokenizer
        LEFT JOIN data.responses r ON r.completion_id = c.completion_id
        LEFT JOIN flagged f ON f.completion_id = c.completion_id
        LEFT JOIN data.imports m ON m.import_id = c.import_id""",
        **{**parameters, **bound},
    )
    by_id = {row["completion_id"]: _record(dataset.config, row) for row in rows}
    return (by_id[one] for one in ids)


def _record(config: DatasetConfig, row: dict[str, Any]) -> dict[str, Any]:
    entry = config.evals[row["eval_id"]]
    task = config.basetasks.get(row["base_task"])
    cut = row["outcome"] == "truncated"
    row |= {
        "label": entry.label,
        "hf_id": entry.hf_id,
        "groups": list(entry.groups),
        "category": None if task is None else task.category,
        "params": orjson.loads(row["params"]),
        "truncated": True if cut else None if row["truncation"] == "unknown" else False,
    }
    return {name: row[name] for name in FIELDS}


def jsonl_lines(some: Iterable[dict[str, Any]]) -> Iterator[bytes]:
    """Yield records as JSON Lines, texts as they are."""
    return (orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE) for record in some)


def csv_lines(some: Iterable[dict[str, Any]]) -> Iterator[bytes]:
    """Yield records as the lines of a CSV file, header first, in parts of some rows.

    As core.export.csv_bytes writes it: UTF-8 with a byte-order mark, and text that a spreadsheet would run
    as a formula gets an apostrophe in front.
    """
    left = iter(some)
    part: list[dict[str, Any]] | None = []
    head: list[Any] = [list(FIELDS)]
    mark = b"\xef\xbb\xbf"
    while head or part:
        part = list(islice(left, BATCH))
        buffer = io.StringIO(newline="")
        writer = csv.writer(buffer, lineterminator="\r\n")
        writer.writerows(head)
        writer.writerows([csv_cell(record[name]) for name in FIELDS] for record in part)
        yield mark + buffer.getvalue().encode()
        head, mark = [], b""


def lines(some: Iterable[dict[str, Any]], form: str) -> Iterator[bytes]:
    """Yield records as the bytes of a file of a format. Raises FilterError for another than FORMATS."""
    check_form(form, FORMATS)
    return csv_lines(some) if form == "csv" else jsonl_lines(some)


def joined(parts: Iterable[bytes], most_bytes: int) -> bytes:
    """Return the parts of a file as one, ending before the part that would make it larger than a limit."""
    kept, size = [], 0
    for part in parts:
        size += len(part)
        if size > most_bytes:
            break
        kept.append(part)
    return b"".join(kept)
