"""From prompt tokens to spectra: what is due, computed prompt by prompt and stored."""

from collections.abc import Callable
from itertools import pairwise

import duckdb
import pyarrow as pa

from core.spectra.names import settle_names
from core.spectra.sample import MOST, sample_order
from core.stats.spectrum import indicator_spectrum, signal_spectrum

KINDS = ("indicator", "raw")

CHUNK = 2048
"""Prompts read, computed and written at a time."""


def write_spectra(connection: duckdb.DuckDBPyConnection, on_step: Callable[[str], None]) -> int:
    """Compute the spectra that are due and absent; return how many prompts got theirs.

    Due are up to MOST prompts of each (tokenizer, template, params). Spectra that are there stay: a prompt
    and its tokens never change under their id.

    Parameters
    ----------
    connection
        A points database that is being built.
    on_step : callable
        Told in words what is being done.
    """
    if not _count(connection, "SELECT count(*) FROM (FROM prompt_tokens LIMIT 1)"):
        return 0
    settle_names(connection)
    connection.execute(f"""
        CREATE OR REPLACE TEMP TABLE due AS
        SELECT row_number() OVER (ORDER BY prompt_id, tokenizer) AS number, prompt_id, tokenizer
        FROM (
            SELECT t.prompt_id, t.tokenizer,
                row_number() OVER (
                    PARTITION BY t.tokenizer, q.template, i.params_id ORDER BY {sample_order("i", "q")}
                ) AS place
            FROM prompt_tokens t
            JOIN prompts q USING (prompt_id)
            JOIN items i USING (item_id)
        )
        ANTI JOIN spectra USING (prompt_id, tokenizer)
        WHERE place <= {MOST}""")
    total = _count(connection, "SELECT count(*) FROM due")
    for start in range(0, total, CHUNK):
        on_step(f"Computing spectra of prompts ({start:,} of {total:,})")
        table = connection.sql(
            """
            SELECT d.prompt_id, d.tokenizer, t.ids
            FROM due d JOIN prompt_tokens t USING (prompt_id, tokenizer)
            WHERE d.number > $start AND d.number <= $start + $chunk
            ORDER BY d.number""",
            params={"start": start, "chunk": CHUNK},
        ).to_arrow_table()
        connection.register("new_spectra", _spectra(table))
        connection.execute("INSERT INTO spectra SELECT * FROM new_spectra")
        connection.unregister("new_spectra")
    connection.execute("DROP TABLE due")
    return total


def _spectra(table: pa.Table) -> pa.Table:
    """Return the rows of the spectra table for rows of (prompt_id, tokenizer, ids)."""
    lists = table["ids"].combine_chunks()
    values = lists.values.to_numpy()
    bounds = lists.offsets.to_numpy()
    sequences = [values[low:high] for low, high in pairwise(bounds)]
    computed = {
        "indicator": [indicator_spectrum(ids) for ids in sequences],
        "raw": [signal_spectrum(ids) for ids in sequences],
    }
    parts = [
        pa.table(
            {
                "prompt_id": table["prompt_id"],
                "tokenizer": table["tokenizer"],
                "kind": pa.array([kind] * len(sequences), pa.string()),
                "n_tokens": pa.array([len(ids) for ids in sequences], pa.int32()),
                "bands": pa.array(computed[kind], pa.list_(pa.float32())),
            }
        )
        for kind in KINDS
    ]
    return pa.concat_tables(parts)


def _count(connection: duckdb.DuckDBPyConnection, query: str) -> int:
    rows = connection.execute(query).fetchall()
    return int(rows[0][0])
