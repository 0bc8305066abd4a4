"""Reading a whole database back, with numbers given at build time replaced by what they stand for."""

from pathlib import Path
from typing import Any

import duckdb

Rows = list[tuple[Any, ...]]


def tables(db_path: Path) -> dict[str, list[str]]:
    """Columns of every table."""
    with duckdb.connect(str(db_path), read_only=True) as connection:
        rows = connection.execute(
            "SELECT table_name, column_name FROM information_schema.columns"
            " ORDER BY table_name, ordinal_position"
        ).fetchall()
    found: dict[str, list[str]] = {}
    for table, column in rows:
        found.setdefault(table, []).append(column)
    return found


def query(db_path: Path, sql: str) -> Rows:
    """Run a query on a database file."""
    with duckdb.connect(str(db_path), read_only=True) as connection:
        return connection.execute(sql).fetchall()


def everything(db_path: Path) -> dict[str, Rows]:
    """Every row of every table, ids included; only the time of import is left out."""
    with duckdb.connect(str(db_path), read_only=True) as connection:
        return {
            table: connection.execute(
                f"SELECT {'* EXCLUDE (imported_at)' if table == 'imports' else '*'} FROM {table} ORDER BY ALL"
            ).fetchall()
            for table in tables(db_path)
        }


def by_name(db_path: Path) -> dict[str, Rows]:
    """What a database says whatever ids it gave: points, items, completions and their texts by name."""
    point = "q.model, q.template, q.sampler, t.base_task, t.params"
    return {
        "points": query(
            db_path, "SELECT * EXCLUDE (point_id, params_id) FROM points ORDER BY ALL"
        ),
        "items": query(
            db_path, "SELECT * EXCLUDE (item_id, params_id) FROM items ORDER BY ALL"
        ),
        "choices": query(
            db_path,
            f"SELECT {point}, c.choices, c.n FROM point_choices c JOIN point_identities q USING (point_id)"
            " JOIN param_sets t USING (params_id) ORDER BY ALL",
        ),
        "completions": query(
            db_path,
            f"""
            SELECT {point}, i.key, p.text AS prompt, r.text AS response,
                c.* EXCLUDE (completion_id, point_id, item_id, prompt_id)
            FROM completions c
            JOIN point_identities q USING (point_id)
            JOIN param_sets t USING (params_id)
            JOIN items i USING (item_id)
            LEFT JOIN prompts p USING (prompt_id)
            LEFT JOIN responses r USING (completion_id)
            ORDER BY ALL""",
        ),
        "results": query(
            db_path,
            f"SELECT {point}, i.key, r.y, r.k, r.truncated, r.token_n, r.tokens FROM item_results r"
            " JOIN point_identities q USING (point_id) JOIN param_sets t USING (params_id)"
            " JOIN items i USING (item_id) ORDER BY ALL",
        ),
    }  # fmt: skip
