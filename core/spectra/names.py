"""Which tokenizer stands for which identity: kept true to the tokens that are there."""

import duckdb

BYTES = "UTF-8 bytes"
"""Stands where there is no tokenizer: every byte of the text is a token."""


def settle_names(connection: duckdb.DuckDBPyConnection) -> None:
    """Name the tokenizers of identities after token ids were added, and drop what stood in for them.

    Parameters
    ----------
    connection
        A points database that is being built.
    """
    _adopt(connection)
    connection.execute("""
        DELETE FROM identity_tokenizers
        WHERE origin <> 'source' AND (model, template, sampler) IN (
            SELECT (model, template, sampler) FROM identity_tokenizers WHERE origin = 'source'
        )""")
    drop_bytes(connection)


def drop_bytes(connection: duckdb.DuckDBPyConnection) -> None:
    """Remove the bytes that no identity needs any more."""
    for table in ("prompt_tokens", "spectra"):
        connection.execute(
            f"DELETE FROM {table} WHERE tokenizer = $bytes"
            " AND NOT EXISTS (FROM identity_tokenizers WHERE tokenizer = $bytes)",
            {"bytes": BYTES},
        )


def _adopt(connection: duckdb.DuckDBPyConnection) -> None:
    """Name the tokenizer of identities without one whose prompts have tokens under their own name.

    So is that of token ids imported before identities had one, and of a new sampler of a known model.
    """
    connection.execute("""
        INSERT INTO identity_tokenizers
        SELECT DISTINCT p.model, p.template, p.sampler, t.tokenizer, coalesce(k.origin, 'source')
        FROM completions c
        JOIN point_identities p USING (point_id)
        JOIN prompt_tokens t USING (prompt_id)
        LEFT JOIN eval_hints h
            ON h.model = p.model AND h.template = p.template AND h.sampler = p.sampler
        LEFT JOIN (SELECT tokenizer, min(origin) AS origin FROM identity_tokenizers GROUP BY tokenizer) k
            ON k.tokenizer = t.tokenizer
        ANTI JOIN identity_tokenizers x
            ON x.model = p.model AND x.template = p.template AND x.sampler = p.sampler
        WHERE t.tokenizer = coalesce(h.hf_id, p.model)""")
