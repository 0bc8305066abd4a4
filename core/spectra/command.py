"""The spectra command: tokens where they are missing, then spectra, in a copy of the database."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import duckdb

from core.config import DatasetConfig, load_config, lock_path
from core.errors import DatasetError, NothingFoundError
from core.spectra.hub import Tokenizers
from core.spectra.tokens import Identity, TokenSource, give_tokens
from core.spectra.write import write_spectra
from core.store.attach import attach
from core.store.build import rewrite_database
from core.store.dataset import database_path
from core.store.lock import only_one
from core.store.membership import eval_matches
from core.store.schema import TABLES

NO_PROMPTS = (
    "The dataset has no prompts, so nothing can have a spectrum: import records that have `prompt`, and"
    " `prompt_token_ids` where they are known"
)

_OURS = ("identity_tokenizers", "prompt_tokens", "spectra")

_WORDS = {
    "source": "token ids of the source",
    "hub": "its own tokenizer, on the text of the prompt alone",
    "bytes": "UTF-8 bytes in place of tokens",
}


@dataclass(frozen=True)
class SpectraReport:
    """What the spectra command did.

    Attributes
    ----------
    sources
        Where the tokens come from.
    computed
        Pairs of prompt and tokenizer that got their spectra in this run.
    present, without
        Pairs in the database, and those of them that have no spectrum (fewer than 16 tokens, or only one
        token value).
    """

    sources: tuple[TokenSource, ...]
    computed: int
    present: int
    without: int
    seconds: float

    def to_text(self) -> str:
        """Return the report as text."""
        lines = [
            f"{self.present:,} prompts by tokenizer have been looked at, {self.computed:,} of them now"
            f" ({self.seconds:.1f} s)."
        ]
        if self.without:
            lines.append(
                f"{self.without:,} have no spectrum: fewer than 16 tokens, or the same token throughout."
            )
        for source in self.sources:
            lines.append(f"- {source_text(source)}")
        return "\n".join(lines)


def source_text(source: TokenSource) -> str:
    """Return where the tokens of some models come from, in a sentence."""
    reason = f" ({source.reason})" if source.reason else ""
    name = "" if source.origin == "bytes" else f" {source.tokenizer},"
    return f"{', '.join(source.models)}:{name} {_WORDS[source.origin]}, {source.prompts:,} prompts{reason}."


def compute_spectra(
    config_path: Path,
    *,
    root: Path | None = None,
    fetch: bool = False,
    on_step: Callable[[str], None] = lambda step: None,
) -> SpectraReport:
    """Compute the spectra of a dataset's prompts and move the changed database into place.

    Token ids of the source are used as they are. Evals without any get the model's own tokenizer where it
    is on this machine or may be fetched, else UTF-8 bytes. What is there already is not computed again.

    Parameters
    ----------
    config_path : Path
        The dataset config; its evals' hf_id name the tokenizers.
    root : Path, optional
        Folder that the database must lie in.
    fetch : bool
        Whether tokenizers may be fetched from the Hugging Face Hub.
    on_step : callable
        Told in words what is being done.

    Raises
    ------
    ConfigError, DatasetError
        The config or the database cannot be used, or the new one not written; nothing was changed.
    NothingFoundError
        The dataset has no prompts.
    """
    began = time.monotonic()
    config = load_config(config_path)
    db_path = database_path(config_path, config, root)
    try:
        with only_one(
            lock_path(config_path), lambda: on_step(f"Waiting for an import into {config_path.stem}")
        ):
            _require_prompts(db_path)
            on_step("Copying the database")

            def change(connection: duckdb.DuckDBPyConnection) -> SpectraReport:
                for table in _OURS:
                    connection.execute(f"CREATE TABLE IF NOT EXISTS {table} {TABLES[table]}")
                hf_ids = _hf_ids(connection, config)
                sources = give_tokens(connection, hf_ids, Tokenizers(online=fetch), on_step)
                computed = write_spectra(connection, on_step)
                present, without = connection.execute(
                    "SELECT count(*), count(*) FILTER (WHERE bands IS NULL) FROM spectra"
                    " WHERE kind = 'indicator'"
                ).fetchall()[0]
                seconds = time.monotonic() - began
                return SpectraReport(tuple(sources), computed, present, without, seconds)

            spill = db_path.with_name(f"{db_path.name}.spill")
            return rewrite_database(db_path, spill, change, on_step=on_step)
    except OSError as error:
        raise DatasetError(f"No spectra were computed, the database is as it was: {error}") from error


def _require_prompts(db_path: Path) -> None:
    with duckdb.connect(":memory:") as connection:
        attach(connection, db_path, "data")
        if not connection.execute("SELECT 1 FROM data.prompts LIMIT 1").fetchall():
            raise NothingFoundError(NO_PROMPTS)


def _hf_ids(connection: duckdb.DuckDBPyConnection, config: DatasetConfig) -> dict[Identity, str | None]:
    """Return the identities that have prompts, each with its repository: the config's, else the source's."""
    rows = connection.execute("""
        SELECT p.model, p.template, p.sampler, any_value(h.hf_id)
        FROM (SELECT DISTINCT point_id FROM completions WHERE prompt_id IS NOT NULL)
        JOIN point_identities p USING (point_id)
        LEFT JOIN eval_hints h
            ON h.model = p.model AND h.template = p.template AND h.sampler = p.sampler
        GROUP BY ALL
        ORDER BY min(p.point_id)""").fetchall()
    return {
        (model, template, sampler): next(
            (e.hf_id for e in config.evals if e.hf_id and eval_matches(e, model, template, sampler)), hint
        )
        for model, template, sampler, hint in rows
    }
