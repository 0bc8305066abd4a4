"""Parquet sources: their columns, and their rows in batches of bounded size."""

from collections.abc import Collection, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

PARQUET = b"PAR1"

BATCH_BYTES = 4 * 1024 * 1024
BATCH_ROWS = 8192


def column_names(path: Path) -> list[str] | None:
    """Return the names of the columns; None where the file is damaged."""
    try:
        return list(pq.read_schema(path).names)
    except (pa.ArrowException, OSError):
        return None


def batches_of(
    path: Path, columns: list[str] | None = None, *, leave_out: Collection[str] = ()
) -> Iterator[tuple[int, int, pa.RecordBatch | str]]:
    """Yield batches: the number of the first row, the bytes of the file behind it, and the rows.

    A damaged file ends with what is wrong with it in place of rows.
    """
    row = 1
    try:
        with pq.ParquetFile(path, pre_buffer=False, buffer_size=1024 * 1024) as file:
            size = path.stat().st_size / max(1, file.metadata.num_rows)
            names = file.schema_arrow.names if columns is None else columns
            used = [name for name in names if name not in leave_out]
            for batch in file.iter_batches(batch_size=batch_rows(file), columns=used, use_threads=False):
                yield row, int(size * batch.num_rows), batch
                row += batch.num_rows
    except (pa.ArrowException, OSError) as error:
        yield row, 0, f"the Parquet data is damaged ({type(error).__name__})"


def batch_rows(file: pq.ParquetFile) -> int:
    """Return how many rows make a batch of about 4 MB, so that rows of 5 MB come one at a time."""
    groups = (file.metadata.row_group(number) for number in range(file.metadata.num_row_groups))
    widest = max((group.total_byte_size / max(1, group.num_rows) for group in groups), default=1.0)
    return max(1, min(BATCH_ROWS, int(BATCH_BYTES / max(1.0, widest))))
