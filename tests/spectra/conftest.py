"""A dataset of a few records, rebuilt and added to at will, and what its database says of spectra."""

import sys
import types
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pytest

from core.importers import import_sources
from core.spectra import SpectraReport, compute_spectra
from tests.synthetic import write_records

SOURCES_OF_TOKENS = "SELECT DISTINCT model, tokenizer, origin FROM identity_tokenizers ORDER BY ALL"


@dataclass
class Place:
    """A data folder with one dataset."""

    data: Path

    @property
    def config(self) -> Path:
        return self.data / "d.json"

    @property
    def database(self) -> Path:
        return self.data / "d.duckdb"

    def take(self, name: str, records: list[dict[str, Any]], **options: Any) -> None:
        """Import records from a file of this name."""
        source = write_records(self.data.parent / f"{name}.jsonl", records)
        import_sources([source], name="d", data=self.data, **options)

    def compute(self, **options: Any) -> SpectraReport:
        return compute_spectra(self.config, **options)

    def ask(self, query: str) -> list[tuple[Any, ...]]:
        with duckdb.connect(str(self.database), read_only=True) as connection:
            return connection.execute(query).fetchall()

    def change(self, query: str) -> None:
        with duckdb.connect(str(self.database)) as connection:
            connection.execute(query)

    def spectra(self) -> dict[tuple[str, str, str], tuple[int, list[float] | None]]:
        """By item, tokenizer and kind."""
        rows = self.ask(
            "SELECT i.key, s.tokenizer, s.kind, s.n_tokens, s.bands FROM spectra s"
            " JOIN prompts USING (prompt_id) JOIN items i USING (item_id)"
        )
        return {tuple(row[:3]): tuple(row[3:]) for row in rows}  # type: ignore[misc]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    # As in tests/importers: a worker runs the file of its parent's __main__ again.
    monkeypatch.setitem(sys.modules, "__main__", types.ModuleType("__main__"))
    return Place(tmp_path / "data")


def records(model: str, count: int = 6, *, ids: bool = True, start: int = 0, **fields: Any) -> list[dict]:
    """Records with prompts, and with token ids of 20 to 29 tokens."""
    made = []
    for number in range(start, start + count):
        record: dict[str, Any] = {
            "model": model, "base_task": "add", "params": {"size": number % 2}, "item_key": f"{number}",
            "prompt": f"What is {number} + {number}? " * 2, "outcome": "correct",
        }  # fmt: skip
        if ids:
            record["prompt_token_ids"] = [(number * place) % 7 for place in range(20 + number % 10)]
        made.append(record | fields)
    return made
