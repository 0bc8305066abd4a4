"""An import of some sources, and what the database holds of them."""

from pathlib import Path
from typing import Any

import duckdb

from core.importers import ImportReport, import_sources


class Taken:
    """An import of some logs, and what the database holds of them."""

    def __init__(self, data: Path, *sources: Path, **options: Any) -> None:
        self.database = data / "d.duckdb"
        self.report: ImportReport = import_sources(list(sources), name="d", data=data, **options)

    def ask(self, query: str) -> list[tuple[Any, ...]]:
        with duckdb.connect(str(self.database), read_only=True) as connection:
            return connection.execute(query).fetchall()

    def outcomes(self) -> dict[str, int]:
        return dict(self.ask("SELECT outcome, count(*) FROM completions GROUP BY outcome"))

    def said(self, what: str) -> str:
        return " ".join(self.report.remarks[what])

    def rows(self) -> list[tuple[Any, ...]]:
        return self.ask(
            "SELECT model, p.template, sampler, p.base_task, p.params, key, repeat, outcome, score, answer,"
            " finish_reason, truncation, token_limit, prompt_tokens, completion_tokens, reasoning_tokens,"
            " scorer, explanation, r.text, q.text, reference, choices"
            " FROM completions c JOIN points p USING (point_id) JOIN items USING (item_id)"
            " LEFT JOIN responses r USING (completion_id) LEFT JOIN prompts q USING (prompt_id)"
            " ORDER BY ALL"
        )
