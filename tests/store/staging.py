"""Staged completions as an importer hands them to the store, from short descriptions."""

import json
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from core.store import BuildReport, ImportRow, build_database

Row = dict[str, Any]

SCHEMA = pa.schema(
    [
        *((name, pa.int32()) for name in ("import_no", "chunk", "row")),
        *((name, pa.string()) for name in ("model", "template", "sampler", "label", "hf_id")),
        ("groups", pa.list_(pa.string())),
        *((name, pa.string()) for name in ("category", "task_label", "base_task", "params", "item_key")),
        ("paired", pa.bool_()),
        ("repeat", pa.int32()),
        ("prompt", pa.string()),
        ("prompt_token_ids", pa.list_(pa.int32())),
        *((name, pa.string()) for name in ("tokenizer", "response", "reference", "answer", "outcome")),
        ("score", pa.float64()),
        ("choices", pa.int32()),
        ("finish_reason", pa.string()),
        ("truncation", pa.string()),
        *(
            (name, pa.int32())
            for name in ("token_limit", "prompt_tokens", "completion_tokens", "reasoning_tokens")
        ),
        ("token_source", pa.string()),
        ("response_bytes", pa.int64()),
        ("compressed_bytes", pa.int64()),
        *((name, pa.string()) for name in ("scorer", "explanation", "place")),
    ]
)

ABSENT: Row = dict.fromkeys(SCHEMA.names)
REQUIRED: Row = {
    "model": "m", "template": "default", "sampler": "default", "base_task": "add", "item_key": "0",
    "paired": True, "outcome": "correct", "truncation": "reported", "token_source": "unknown",
}  # fmt: skip


def completion(**fields: Any) -> Row:
    """One completion; params as a dictionary, bytes follow from the response."""
    row = {**ABSENT, **REQUIRED, **fields}
    row["params"] = json.dumps(row["params"] or {}, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    if row["response"] is not None:
        encoded = row["response"].encode()
        row |= {"response_bytes": len(encoded), "compressed_bytes": len(zlib.compress(encoded, 6))}
    if row["completion_tokens"] is not None and row["token_source"] == "unknown":
        row["token_source"] = "reported"
    return row


def stage(folder: Path, files: Sequence[Iterable[Row]], *, parts: int = 1) -> None:
    """Write the completions of some files; parts interleave rows, for their order must not matter."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("part-*.parquet"):
        old.unlink()
    rows = [
        {**row, "import_no": number, "chunk": place // 3, "row": place, "place": f"line {place + 1}"}
        for number, file in enumerate(files)
        for place, row in enumerate(file)
    ]
    for part in range(parts):
        table = pa.Table.from_pylist(rows[part::parts][::-1], schema=SCHEMA)
        pq.write_table(table, folder / f"part-{part}.parquet", compression="zstd")


def imports_of(files: Sequence[Sequence[Row]], *, key: str = "", first: int = 0) -> list[ImportRow]:
    """What an importer says of the files."""
    return [
        ImportRow(
            path=f"file-{first + number}.jsonl", key=f"{key}key-{first + number}", size=100, sha256="0" * 64,
            format="records", read=len(file), kept=len(file),
        )
        for number, file in enumerate(files)
    ]  # fmt: skip


def build(
    db_path: Path,
    *files: Sequence[Row],
    rebuild: bool = False,
    keep_text: bool = True,
    imports: list[ImportRow] | None = None,
    parts: int = 1,
    **options: Any,
) -> BuildReport:
    """Build a database from files of completions, staged beside it."""
    staging = db_path.parent / "staging"
    stage(staging, files, parts=parts)
    rows = imports_of(files) if imports is None else imports
    return build_database(db_path, staging, rows, rebuild=rebuild, keep_text=keep_text, **options)


def write_config(folder: Path, name: str = "small", **entries: Any) -> Path:
    """Write a dataset config beside a database of the same name."""
    path = folder / f"{name}.json"
    document = {"db": f"{name}.duckdb", "name": name, **entries}
    path.write_text(json.dumps(document, ensure_ascii=False), encoding="utf-8")
    return path
