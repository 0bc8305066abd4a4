"""A first look at a samples file, in a worker process: filters, metrics, documents, rows that come again."""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from core.importers.cutting import BOM, Block, Broken, cut_array, cut_lines
from core.importers.lm_eval.results import Results, read_results, results_beside
from core.importers.lm_eval.rows import document_of, filter_of
from core.importers.metadata import Census
from core.importers.parsing import digest_of, parse_json
from core.importers.reader import UNFORESEEN
from core.importers.sources import open_beginning


@dataclass
class Seen:
    """What a samples file holds.

    Attributes
    ----------
    rows : Counter
        Rows by filter, in order of appearance.
    metrics : dict
        By filter and metric: in how many rows it is a number from 0 to 1.
    repeated : list of int
        Rows, counted from 1, that come again (the harness appends to a file that is there).
    twins : dict
        Documents whose content is another document's too: which of them it is, from 1.
    prompts : str
        Digest over the prompts, equal where the same documents were asked in the same words.
    """

    results: Results = field(default_factory=Results)
    rows: Counter[str] = field(default_factory=Counter)
    metrics: dict[str, Counter[str]] = field(default_factory=dict)
    documents: set[str] = field(default_factory=set)
    repeated: list[int] = field(default_factory=list)
    twins: dict[str, int] = field(default_factory=dict)
    census: Census = field(default_factory=Census)
    contents: str = ""
    prompts: str = ""


def scan_samples(path: Path) -> Seen:
    """Return what a samples file holds; runs in a worker process."""
    seen = Seen(read_results(results_beside(path)))
    known: set[tuple[str, str]] = set()
    hashes: Counter[str] = Counter()
    digests = [0, 0]
    try:
        for number, row in rows_of(path):
            key = document_of(row), filter_of(row)
            if key in known:
                seen.repeated.append(number)
                continue
            known.add(key)
            seen.rows[key[1]] += 1
            _see_metrics(row, seen.metrics.setdefault(key[1], Counter()))
            if key[0] not in seen.documents:
                seen.documents.add(key[0])
                _see_document(row, seen, hashes, digests)
    except UNFORESEEN:
        # What could be read is read again for the records, where the fault is counted.
        pass
    seen.contents, seen.prompts = (f"{one:032x}" for one in digests)
    return seen


def blocks_of(path: Path) -> Any:
    """Return the blocks of a samples file: of lines, or of the elements of one array."""
    array = open_beginning(path).content.removeprefix(BOM).lstrip().startswith(b"[")
    with path.open("rb") as file:
        yield from cut_array(file) if array else cut_lines(file)


def rows_of(path: Path) -> Any:
    """Yield the rows of a samples file with their numbers, those that can be read."""
    for block in blocks_of(path):
        if isinstance(block, Broken):
            continue
        yield from rows_in(block)


def rows_in(block: Block) -> Any:
    """Yield the rows of a block with their numbers."""
    for number, line in enumerate(block.data.split(b"\n"), start=block.first):
        try:
            row = parse_json(line) if line.strip() else None
        except ValueError:
            continue
        if isinstance(row, dict):
            yield number, row


def _see_metrics(row: dict[str, Any], metrics: Counter[str]) -> None:
    listed = row.get("metrics")
    names = listed if isinstance(listed, list) else [name for name in row if name not in _OTHER]
    for name in names:
        value = row.get(name) if isinstance(name, str) else None
        if isinstance(value, bool | int | float):
            metrics[name] += 0 <= value <= 1


_OTHER = frozenset(
    {
        *("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics"),
        *("doc_hash", "prompt_hash", "target_hash"),
    }
)


def _see_document(row: dict[str, Any], seen: Seen, hashes: Counter[str], digests: list[int]) -> None:
    digest = str(row.get("doc_hash") or "")
    if digest:
        hashes[digest] += 1
        if hashes[digest] > 1:
            seen.twins[document_of(row)] = hashes[digest]
    # Sums do not depend on the order of the rows.
    for place, said in enumerate((digest, [digest, row.get("prompt_hash")])):
        digests[place] = (digests[place] + int(digest_of(said, 32), 16)) % 2**128
    document = row.get("doc")
    if isinstance(document, dict):
        seen.census.see(document_of(row), document, [row.get("target")])
