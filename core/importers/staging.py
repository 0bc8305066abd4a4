"""The staging area between the readers and the store: Parquet part files of one schema."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

SCHEMA = pa.schema(
    [
        # (import_no, chunk, row) is the order of the files; import_no counts the files of one run.
        pa.field("import_no", pa.int32(), nullable=False),
        pa.field("chunk", pa.int32(), nullable=False),
        pa.field("row", pa.int32(), nullable=False),
        pa.field("model", pa.string(), nullable=False),
        pa.field("template", pa.string(), nullable=False),
        pa.field("sampler", pa.string(), nullable=False),
        pa.field("label", pa.string()),
        pa.field("hf_id", pa.string()),
        pa.field("groups", pa.list_(pa.string())),
        pa.field("category", pa.string()),
        pa.field("task_label", pa.string()),
        pa.field("base_task", pa.string(), nullable=False),
        pa.field("params", pa.string(), nullable=False),
        pa.field("item_key", pa.string(), nullable=False),
        pa.field("paired", pa.bool_(), nullable=False),
        pa.field("repeat", pa.int32()),
        pa.field("prompt", pa.string()),
        pa.field("prompt_token_ids", pa.list_(pa.int32())),
        pa.field("tokenizer", pa.string()),
        pa.field("response", pa.string()),
        pa.field("reference", pa.string()),
        pa.field("answer", pa.string()),
        pa.field("outcome", pa.string(), nullable=False),
        pa.field("score", pa.float64()),
        pa.field("choices", pa.int32()),
        pa.field("finish_reason", pa.string()),
        pa.field("truncation", pa.string(), nullable=False),
        pa.field("token_limit", pa.int32()),
        pa.field("prompt_tokens", pa.int32()),
        pa.field("completion_tokens", pa.int32()),
        pa.field("reasoning_tokens", pa.int32()),
        pa.field("token_source", pa.string(), nullable=False),
        pa.field("response_bytes", pa.int64()),
        pa.field("compressed_bytes", pa.int64()),
        pa.field("scorer", pa.string()),
        pa.field("explanation", pa.string()),
        pa.field("place", pa.string(), nullable=False),
    ]
)

ROW_GROUP = 4096

# Columns with few distinct values; a dictionary of the long texts would only cost time.
_DICTIONARY = [
    *("model", "template", "sampler", "label", "hf_id", "category", "task_label", "base_task", "params"),
    *("tokenizer", "outcome", "finish_reason", "truncation", "token_source", "scorer"),
]


class Part:
    """The kept records of one or more chunks, column by column, on their way into one part file."""

    def __init__(self) -> None:
        self._columns: dict[str, list[Any]] = {name: [] for name in SCHEMA.names}
        self.rows = 0

    def add(self, row: dict[str, Any], import_no: int, chunk: int, number: int) -> None:
        """Append a row as `core.importers.record.complete` returns it, under its number in its chunk."""
        row |= {"import_no": import_no, "chunk": chunk, "row": number}
        for name, values in self._columns.items():
            values.append(row[name])
        self.rows += 1

    def write(self, folder: Path, name: str) -> None:
        """Write the file part-NAME.parquet; nothing where no row was kept."""
        if not self.rows:
            return
        pq.write_table(
            pa.table(self._columns, schema=SCHEMA),
            folder / f"part-{name}.parquet",
            compression="zstd",
            compression_level=1,
            row_group_size=ROW_GROUP,
            use_dictionary=_DICTIONARY,
            write_statistics=False,
        )
