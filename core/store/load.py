"""From staged Parquet into the tables of a database that is being built; set-based SQL throughout.

Ids are given in file order and continue where the existing ones end, so that a rebuild from the same
sources gives the same database.
"""

import glob
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import duckdb
import orjson
import pyarrow as pa

from core.store.attach import quoted
from core.store.imports import ImportRow

DUPLICATE = "duplicate of an earlier record"
"""Skip reason: same identity, item and explicit repeat."""


def load_staging(
    connection: duckdb.DuckDBPyConnection,
    staging: Path,
    imports: list[ImportRow],
    *,
    first_import: int,
    keep_text: bool,
    on_step: Callable[[str], None],
) -> list[ImportRow]:
    """Move staged completions into the tables; return the imports with their duplicates counted."""
    connection.execute(
        "CREATE TEMP VIEW staged AS"
        " SELECT *, (import_no::HUGEINT << 64) + (chunk::HUGEINT << 32) + row AS place_in_order"
        f" FROM read_parquet({quoted(str(Path(glob.escape(str(staging)), 'part-*.parquet')))})"
    )
    on_step("Numbering points and items")
    _number_task_plane(connection)
    _number_items(connection)
    on_step("Numbering prompts")
    _number_prompts(connection)
    on_step("Numbering repeats, leaving duplicates out")
    _number_completions(connection)
    on_step("Writing completions")
    _write_completions(connection, first_import, keep_text=keep_text)
    _write_hints(connection)
    return _count_duplicates(connection, imports)


def _number_task_plane(connection: duckdb.DuckDBPyConnection) -> None:
    connection.execute("""
        CREATE TEMP TABLE new_param_sets AS
        SELECT
            (SELECT coalesce(max(params_id), -1) FROM param_sets)
                + row_number() OVER (ORDER BY first) AS params_id,
            base_task, params
        FROM (SELECT base_task, params, min(place_in_order) AS first FROM staged GROUP BY ALL)
        ANTI JOIN param_sets USING (base_task, params)""")
    connection.execute("INSERT INTO param_sets SELECT params_id, base_task, params FROM new_param_sets")
    rows = connection.execute("SELECT params_id, params FROM new_param_sets").fetchall()
    values = [(number, name, value) for number, text in rows for name, value in orjson.loads(text).items()]
    table = pa.table(
        {
            "params_id": pa.array([row[0] for row in values], pa.int32()),
            "name": pa.array([row[1] for row in values], pa.string()),
            "number": pa.array([_number(row[2]) for row in values], pa.float64()),
            "text": pa.array([_text(row[2]) for row in values], pa.string()),
        }
    )
    connection.register("new_param_values", table)
    connection.execute("INSERT INTO param_values SELECT * FROM new_param_values")
    connection.unregister("new_param_values")
    connection.execute("""
        INSERT INTO point_identities
        SELECT
            (SELECT coalesce(max(point_id), -1) FROM point_identities) + row_number() OVER (ORDER BY first),
            model, template, sampler, params_id
        FROM (
            SELECT s.model, s.template, s.sampler, t.params_id, min(s.place_in_order) AS first
            FROM staged s JOIN param_sets t USING (base_task, params)
            GROUP BY ALL
        )
        ANTI JOIN point_identities USING (model, template, sampler, params_id)""")


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _text(value: object) -> str | None:
    if isinstance(value, bool):
        return str(value).lower()
    return value if isinstance(value, str) else None


def _number_items(connection: duckdb.DuckDBPyConnection) -> None:
    connection.execute("""
        CREATE TEMP TABLE staged_items AS
        SELECT t.params_id, s.base_task, s.params, s.item_key AS key,
            bool_and(s.paired) AS paired, min(s.place_in_order) AS first,
            arg_min(s.reference, s.place_in_order) AS reference,
            arg_min(s.choices, s.place_in_order) AS choices
        FROM staged s JOIN param_sets t USING (base_task, params)
        GROUP BY ALL""")
    # What earlier files did not say of an item is taken from these, as in one build of all files.
    connection.execute("""
        UPDATE items
        SET paired = items.paired AND n.paired,
            reference = coalesce(items.reference, n.reference),
            choices = coalesce(items.choices, n.choices)
        FROM staged_items n
        WHERE items.params_id = n.params_id AND items.key = n.key
            AND (items.paired AND NOT n.paired
                OR items.reference IS NULL AND n.reference IS NOT NULL
                OR items.choices IS NULL AND n.choices IS NOT NULL)""")
    connection.execute("""
        INSERT INTO items
        SELECT (SELECT coalesce(max(item_id), -1) FROM items) + row_number() OVER (ORDER BY first),
            params_id, base_task, params, key, paired, reference, choices
        FROM staged_items
        ANTI JOIN items USING (params_id, key)""")


def _number_prompts(connection: duckdb.DuckDBPyConnection) -> None:
    # Texts are compared by digest: grouping by the texts themselves would hold them all in memory.
    connection.execute("""
        CREATE TEMP TABLE staged_prompts AS
        SELECT i.item_id, s.template, sha256(s.prompt) AS digest, min(s.place_in_order) AS first
        FROM staged s JOIN param_sets t USING (base_task, params)
        JOIN items i ON i.params_id = t.params_id AND i.key = s.item_key
        WHERE s.prompt IS NOT NULL
        GROUP BY ALL""")
    connection.execute("""
        CREATE TEMP TABLE known_prompts AS
        SELECT prompt_id, item_id, template, sha256(text) AS digest FROM prompts""")
    connection.execute("""
        CREATE TEMP TABLE new_prompts AS
        SELECT
            (SELECT coalesce(max(prompt_id), -1) FROM prompts)
                + row_number() OVER (ORDER BY first) AS prompt_id,
            item_id, template, digest, first
        FROM staged_prompts ANTI JOIN known_prompts USING (item_id, template, digest)""")
    connection.execute(
        "INSERT INTO known_prompts SELECT prompt_id, item_id, template, digest FROM new_prompts"
    )
    connection.execute("""
        INSERT INTO prompts
        SELECT n.prompt_id, n.item_id, n.template, s.prompt
        FROM new_prompts n JOIN staged s ON s.place_in_order = n.first""")


def _number_completions(connection: duckdb.DuckDBPyConnection) -> None:
    connection.execute("""
        CREATE TEMP TABLE located AS
        SELECT s.place_in_order, s.import_no, s.place, p.point_id, i.item_id, k.prompt_id, s.repeat
        FROM staged s JOIN param_sets t USING (base_task, params)
        JOIN point_identities p
            ON p.model = s.model AND p.template = s.template AND p.sampler = s.sampler
                AND p.params_id = t.params_id
        JOIN items i ON i.params_id = t.params_id AND i.key = s.item_key
        LEFT JOIN known_prompts k
            ON k.item_id = i.item_id AND k.template = s.template AND k.digest = sha256(s.prompt)""")
    connection.execute("""
        CREATE TEMP TABLE numbered AS
        WITH explicit AS (
            SELECT *, row_number() OVER (PARTITION BY point_id, item_id, repeat ORDER BY place_in_order) > 1
                OR (point_id, item_id, repeat) IN (SELECT (point_id, item_id, repeat) FROM completions)
                AS duplicate
            FROM located
            WHERE repeat IS NOT NULL
        ), used AS (
            SELECT point_id, item_id, max(repeat) + 1 AS next
            FROM (
                SELECT point_id, item_id, repeat FROM explicit
                UNION ALL SELECT point_id, item_id, repeat FROM completions
            )
            GROUP BY ALL
        )
        SELECT place_in_order, import_no, place, point_id, item_id, prompt_id, repeat, duplicate FROM explicit
        UNION ALL
        SELECT l.place_in_order, l.import_no, l.place, l.point_id, l.item_id, l.prompt_id,
            coalesce(u.next, 0) - 1
                + row_number() OVER (PARTITION BY l.point_id, l.item_id ORDER BY l.place_in_order) AS repeat,
            false AS duplicate
        FROM located l LEFT JOIN used u USING (point_id, item_id)
        WHERE l.repeat IS NULL""")
    connection.execute("""
        CREATE TEMP TABLE kept AS
        SELECT *, (SELECT coalesce(max(completion_id), -1) FROM completions)
            + row_number() OVER (ORDER BY point_id, item_id, repeat) AS completion_id
        FROM numbered
        WHERE NOT duplicate""")


def _write_completions(connection: duckdb.DuckDBPyConnection, first_import: int, *, keep_text: bool) -> None:
    # Ordered by point, so that a scan of some points reads some row groups.
    connection.execute(
        """
        INSERT INTO completions
        SELECT k.completion_id, k.point_id, k.item_id, k.prompt_id, k.repeat, s.outcome, s.score, s.answer,
            s.prompt_tokens, s.completion_tokens, s.reasoning_tokens, s.token_source, s.truncation,
            s.token_limit, s.finish_reason, s.response_bytes, s.compressed_bytes, s.scorer, s.explanation,
            s.import_no + $first_import, s.place
        FROM kept k JOIN staged s USING (place_in_order)
        ORDER BY k.completion_id""",
        {"first_import": first_import},
    )
    if keep_text:
        connection.execute("""
            INSERT INTO responses
            SELECT k.completion_id, s.response
            FROM kept k JOIN staged s USING (place_in_order)
            WHERE s.response IS NOT NULL""")
    connection.execute("""
        INSERT INTO prompt_tokens
        SELECT prompt_id, tokenizer, prompt_token_ids
        FROM (
            SELECT k.prompt_id, coalesce(s.tokenizer, s.hf_id, s.model) AS tokenizer, s.prompt_token_ids,
                row_number() OVER (PARTITION BY k.prompt_id, coalesce(s.tokenizer, s.hf_id, s.model)
                    ORDER BY s.place_in_order) AS nth
            FROM kept k JOIN staged s USING (place_in_order)
            WHERE s.prompt_token_ids IS NOT NULL AND k.prompt_id IS NOT NULL
        )
        ANTI JOIN prompt_tokens USING (prompt_id, tokenizer)
        WHERE nth = 1""")
    connection.execute("""
        INSERT INTO identity_tokenizers
        SELECT *
        FROM (
            SELECT DISTINCT model, template, sampler, coalesce(tokenizer, hf_id, model) AS tokenizer,
                'source' AS origin
            FROM staged
            WHERE prompt_token_ids IS NOT NULL AND prompt IS NOT NULL
        )
        ANTI JOIN identity_tokenizers USING (model, template, sampler, tokenizer, origin)
        ORDER BY ALL""")


def _write_hints(connection: duckdb.DuckDBPyConnection) -> None:
    connection.execute("""
        INSERT INTO eval_hints
        SELECT model, template, sampler,
            arg_min(label, place_in_order) FILTER (WHERE label IS NOT NULL),
            arg_min(hf_id, place_in_order) FILTER (WHERE hf_id IS NOT NULL),
            arg_min(groups, place_in_order) FILTER (WHERE groups IS NOT NULL)
        FROM staged
        ANTI JOIN eval_hints USING (model, template, sampler)
        GROUP BY model, template, sampler
        ORDER BY min(place_in_order)""")
    connection.execute("""
        INSERT INTO task_hints
        SELECT base_task,
            arg_min(task_label, place_in_order) FILTER (WHERE task_label IS NOT NULL),
            arg_min(category, place_in_order) FILTER (WHERE category IS NOT NULL)
        FROM staged
        ANTI JOIN task_hints USING (base_task)
        GROUP BY base_task
        ORDER BY min(place_in_order)""")


def _count_duplicates(connection: duckdb.DuckDBPyConnection, imports: list[ImportRow]) -> list[ImportRow]:
    found = connection.execute("""
        SELECT import_no, any_value(total), list(place ORDER BY place_in_order)
        FROM (
            SELECT import_no, place, place_in_order, count(*) OVER (PARTITION BY import_no) AS total,
                row_number() OVER (PARTITION BY import_no ORDER BY place_in_order) AS nth
            FROM numbered
            WHERE duplicate
        )
        WHERE nth <= 5
        GROUP BY import_no""").fetchall()
    counted = list(imports)
    for number, total, places in found:
        row = counted[number]
        counted[number] = replace(
            row,
            kept=row.kept - total,
            skipped={**row.skipped, DUPLICATE: total},
            places={**row.places, DUPLICATE: places},
        )
    return counted
