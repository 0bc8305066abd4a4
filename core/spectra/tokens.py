"""Token ids for prompts whose source has none: by the model's own tokenizer, else as UTF-8 bytes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import duckdb
import pyarrow as pa

from core.spectra.hub import Tokenizers, TokenizerUnavailableError
from core.spectra.names import BYTES, settle_names
from core.spectra.sample import MOST, sample_order

CHUNK = 512
"""Prompts tokenised at a time."""

Identity = tuple[str, str, str]
"""Model, template, sampler."""

Origin = Literal["source", "hub", "bytes"]

OnStep = Callable[[str], None]


@dataclass(frozen=True)
class TokenSource:
    """Where the tokens of some evals come from.

    Attributes
    ----------
    models
        Whose tokens these are.
    origin
        source: token ids of the import; hub: the model's own tokenizer; bytes: the last resort.
    prompts
        Prompts with tokens.
    reason
        Why there is nothing better, or what is incomplete; "" where there is nothing to say.
    """

    models: tuple[str, ...]
    tokenizer: str
    origin: Origin
    prompts: int
    reason: str = ""


def give_tokens(
    connection: duckdb.DuckDBPyConnection,
    hf_ids: Mapping[Identity, str | None],
    tokenizers: Tokenizers,
    on_step: OnStep,
) -> list[TokenSource]:
    """Give every prompt that may get a spectrum its tokens, and say where they come from.

    Parameters
    ----------
    connection
        A points database that is being built.
    hf_ids
        The identities that have prompts, with the repository of each; None where nobody says.
    tokenizers : Tokenizers
        Gives what is on this machine, and fetches where it may.
    on_step : callable
        Told in words what is being done.

    Returns
    -------
    list of TokenSource
        One per tokenizer and reason.
    """
    settle_names(connection)
    present = _origins(connection)
    found: dict[tuple[str, Origin, str], list[Identity]] = {}
    for identity, hf_id in hf_ids.items():
        known = present.get(identity, {})
        reported = [name for name, origin in known.items() if origin == "source"]
        if reported:
            for name in reported:
                found.setdefault((name, "source", ""), []).append(identity)
        else:
            fetched = next((name for name, origin in known.items() if origin == "hub"), None)
            name, origin, reason = _choose(hf_id, fetched, tokenizers, on_step)
            found.setdefault((name, origin, reason), []).append(identity)
    for (name, origin, _), identities in found.items():
        if origin != "source":
            _assign(connection, identities, name, origin)
            _tokenise(connection, name, origin, tokenizers, on_step)
    return [
        TokenSource(
            tuple(dict.fromkeys(identity[0] for identity in identities)),
            name,
            origin,
            _prompts(connection, name, identities),
            reason,
        )
        for (name, origin, reason), identities in found.items()
    ]


def _choose(
    hf_id: str | None, fetched: str | None, tokenizers: Tokenizers, on_step: OnStep
) -> tuple[str, Origin, str]:
    """Return the tokenizer of an identity without token ids, its origin, and what is wrong with it."""
    if hf_id is None and fetched is None:
        return BYTES, "bytes", "no hf_id is known: add one to its eval in the config, and fetch"
    name = hf_id or fetched or ""
    on_step(f"Loading the tokenizer of {name}")
    try:
        tokenizers.get(name)
    except TokenizerUnavailableError as fault:
        # What was fetched once stays, for the prompts that were there then.
        return (name, "hub", str(fault)) if name == fetched else (BYTES, "bytes", str(fault))
    return name, "hub", ""


def _origins(connection: duckdb.DuckDBPyConnection) -> dict[Identity, dict[str, Origin]]:
    origins: dict[Identity, dict[str, Origin]] = {}
    for model, template, sampler, tokenizer, origin in connection.execute(
        "SELECT model, template, sampler, tokenizer, origin FROM identity_tokenizers ORDER BY ALL"
    ).fetchall():
        origins.setdefault((model, template, sampler), {})[tokenizer] = origin
    return origins


def _assign(
    connection: duckdb.DuckDBPyConnection, identities: Sequence[Identity], tokenizer: str, origin: Origin
) -> None:
    for identity in identities:
        connection.execute(
            "DELETE FROM identity_tokenizers WHERE model = ? AND template = ? AND sampler = ?", list(identity)
        )
        connection.execute(
            "INSERT INTO identity_tokenizers VALUES (?, ?, ?, ?, ?)", [*identity, tokenizer, origin]
        )


def _tokenise(
    connection: duckdb.DuckDBPyConnection,
    tokenizer: str,
    origin: Origin,
    tokenizers: Tokenizers,
    on_step: OnStep,
) -> None:
    """Add the tokens of the prompts that a tokenizer's identities were asked, up to MOST per params."""
    connection.execute(
        f"""
        CREATE OR REPLACE TEMP TABLE wanted AS
        SELECT row_number() OVER (ORDER BY prompt_id) AS number, prompt_id
        FROM (
            SELECT q.prompt_id,
                row_number() OVER (
                    PARTITION BY q.template, i.params_id ORDER BY {sample_order("i", "q")}
                ) AS place
            FROM prompts q
            JOIN items i USING (item_id)
            WHERE q.prompt_id IN ({_PROMPTS_OF})
        )
        WHERE place <= {MOST} AND prompt_id NOT IN (
            SELECT prompt_id FROM prompt_tokens WHERE tokenizer = $tokenizer
        )""",
        {"tokenizer": tokenizer},
    )
    total = _count(connection, "SELECT count(*) FROM wanted")
    if not total:
        return
    try:
        encode = _bytes_of if origin == "bytes" else _encoder(tokenizer, tokenizers)
    except TokenizerUnavailableError:
        return
    for start in range(0, total, CHUNK):
        on_step(f"Tokenising prompts with {tokenizer} ({start:,} of {total:,})")
        rows = connection.execute(
            """
            SELECT w.prompt_id, q.text
            FROM wanted w JOIN prompts q USING (prompt_id)
            WHERE w.number > $start AND w.number <= $start + $chunk
            ORDER BY w.number""",
            {"start": start, "chunk": CHUNK},
        ).fetchall()
        table = pa.table(
            {
                "prompt_id": pa.array([row[0] for row in rows], pa.int32()),
                "tokenizer": pa.array([tokenizer] * len(rows), pa.string()),
                "ids": pa.array(encode([row[1] for row in rows]), pa.list_(pa.int32())),
            }
        )
        connection.register("new_tokens", table)
        connection.execute("INSERT INTO prompt_tokens SELECT * FROM new_tokens")
        connection.unregister("new_tokens")


_PROMPTS_OF = """
    SELECT c.prompt_id
    FROM completions c
    JOIN point_identities p USING (point_id)
    JOIN identity_tokenizers t
        ON t.model = p.model AND t.template = p.template AND t.sampler = p.sampler
    WHERE t.tokenizer = $tokenizer AND c.prompt_id IS NOT NULL"""


def _encoder(hf_id: str, tokenizers: Tokenizers) -> Callable[[list[str]], list[list[int]]]:
    tokenizer = tokenizers.get(hf_id)
    # Of the text alone: what a chat template or a beginning-of-text token adds is not in it.
    return lambda texts: [one.ids for one in tokenizer.encode_batch(texts, add_special_tokens=False)]


def _bytes_of(texts: list[str]) -> list[list[int]]:
    return [list(text.encode("utf-8")) for text in texts]


def _prompts(connection: duckdb.DuckDBPyConnection, tokenizer: str, identities: Sequence[Identity]) -> int:
    """Return how many prompts of some identities have tokens by a tokenizer."""
    names = ", ".join(["(?, ?, ?)"] * len(identities))
    return _count(
        connection,
        f"""
        SELECT count(DISTINCT c.prompt_id)
        FROM completions c
        JOIN point_identities p USING (point_id)
        SEMI JOIN prompt_tokens t ON t.prompt_id = c.prompt_id AND t.tokenizer = ?
        WHERE (p.model, p.template, p.sampler) IN ({names})""",
        [tokenizer, *(part for identity in identities for part in identity)],
    )


def _count(connection: duckdb.DuckDBPyConnection, query: str, values: Sequence[object] = ()) -> int:
    rows = connection.execute(query, list(values)).fetchall()
    return int(rows[0][0])
