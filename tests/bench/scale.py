"""A made-up dataset of any size, the same on every machine: 75 evals, 12 tasks, 3 tiers, no text."""

import json
import shutil
from pathlib import Path

import duckdb

from core.store.build import build_database
from core.store.imports import ImportRow
from core.store.schema import SCHEMA_VERSION

EVALS, TASKS, TIERS = 75, 12, ("easy", "medium", "hard")
CELLS = EVALS * TASKS * len(TIERS)
TOKEN_LIMIT = 8192
EVALS_A_PART = 5

# Every draw is a hash of its place, so that neither threads nor versions change it. Tokens are log-normal
# by Box-Muller; the item's own difficulty is shared by all evals, so that pairing has something to gain.
_PART = """
COPY (
    WITH places AS (
        SELECT m.range AS m, t.range AS t, d.range AS d, i.range AS i
        FROM range($first, $last) m, range($tasks) t, range($tiers) d, range($items) i
    ), draws AS (
        SELECT *,
            (hash(m, t, d, i, 1) % 1000003 + 0.5) / 1000003 AS grade,
            (hash(m, t, d, i, 2) % 1000003 + 0.5) / 1000003 AS radius,
            (hash(t, d, i, 3) % 1000003 + 0.5) / 1000003 AS hardness,
            (hash(m, t, d, i, 4) % 1000003 + 0.5) / 1000003 AS angle
        FROM places
    ), graded AS (
        SELECT *, grade < 0.85 - 0.25 * d + 0.004 * m - 0.3 * hardness AS solved,
            least({limit}, greatest(1, exp(5.5 + 0.5 * d + 0.01 * m
                + 0.9 * sqrt(-2 * ln(radius)) * cos(2 * pi() * angle))))::INTEGER AS tokens
        FROM draws
    )
    SELECT 0::INTEGER AS import_no, $chunk::INTEGER AS chunk, (row_number() OVER ())::INTEGER AS "row",
        'org/model-' || lpad(m::VARCHAR, 2, '0') AS model, 'default' AS template, 'default' AS sampler,
        NULL::VARCHAR AS label, NULL::VARCHAR AS hf_id, NULL::VARCHAR[] AS "groups",
        NULL::VARCHAR AS category, NULL::VARCHAR AS task_label,
        'task_' || lpad(t::VARCHAR, 2, '0') AS base_task,
        '{{"depth":' || (i % 4)::VARCHAR || ',"difficulty":"'
            || CASE d WHEN 0 THEN 'easy' WHEN 1 THEN 'medium' ELSE 'hard' END
            || '","length":' || (i % 5)::VARCHAR || '}}' AS params,
        t || '/' || d || '/' || i AS item_key, true AS paired, NULL::INTEGER AS repeat,
        NULL::VARCHAR AS prompt, NULL::INTEGER[] AS prompt_token_ids, NULL::VARCHAR AS tokenizer,
        NULL::VARCHAR AS response, NULL::VARCHAR AS reference, NULL::VARCHAR AS answer,
        CASE
            WHEN tokens >= {limit} THEN 'truncated'
            WHEN solved THEN 'correct'
            WHEN angle < 0.02 THEN 'invalid'
            ELSE 'incorrect'
        END AS outcome,
        NULL::DOUBLE AS score, CASE WHEN t % 3 = 0 THEN 4 END AS choices,
        CASE WHEN tokens >= {limit} THEN 'length' ELSE 'stop' END AS finish_reason,
        'reported' AS truncation, {limit}::INTEGER AS token_limit, 120::INTEGER AS prompt_tokens,
        tokens AS completion_tokens, NULL::INTEGER AS reasoning_tokens, 'reported' AS token_source,
        (tokens * 4)::BIGINT AS response_bytes,
        greatest(20, tokens * 4 * CASE WHEN angle > 0.97 THEN 0.05 ELSE 0.3 + 0.2 * radius END)::BIGINT
            AS compressed_bytes,
        NULL::VARCHAR AS scorer, NULL::VARCHAR AS explanation, (m * 1000 + i)::VARCHAR AS place
    FROM graded
) TO '{path}' (FORMAT parquet, COMPRESSION zstd)"""


def build(folder: Path, completions: int) -> Path:
    """Return the config of the dataset of about so many completions, built where it is not there yet."""
    items = max(1, round(completions / CELLS))
    # A database of another schema would be refused.
    name = f"scale-{items * CELLS}-v{SCHEMA_VERSION}"
    config = folder / f"{name}.json"
    if config.exists() and config.with_suffix(".duckdb").exists():
        return config
    staging = folder / f"{name}.staging"
    shutil.rmtree(staging, ignore_errors=True)
    staging.mkdir(parents=True)
    try:
        with duckdb.connect() as connection:
            connection.execute("SET memory_limit = '4GB'")
            for first in range(0, EVALS, EVALS_A_PART):
                path = str(staging / f"part-{first:06d}.parquet").replace("'", "''")
                places = {"first": first, "last": first + EVALS_A_PART, "chunk": first}
                sizes = {"tasks": TASKS, "tiers": len(TIERS), "items": items}
                connection.execute(_PART.format(path=path, limit=TOKEN_LIMIT), {**places, **sizes})
        source = ImportRow(
            path=name, key=name, size=0, sha256="", format="scale", read=items * CELLS, kept=items * CELLS
        )
        build_database(config.with_suffix(".duckdb"), staging, [source], rebuild=True, keep_text=False)
    finally:
        shutil.rmtree(staging, ignore_errors=True)
    config.write_text(json.dumps(_config(name), indent=2), encoding="utf-8")
    return config


def _config(name: str) -> dict[str, object]:
    sizes = ("small", "medium", "large")
    return {
        "db": f"{name}.duckdb",
        "name": name,
        "evals": [
            {
                "label": f"Model {m:02d}",
                "filters": {"model": f"org/model-{m:02d}"},
                "groups": [f"size:{sizes[m * len(sizes) // EVALS]}"],
            }
            for m in range(EVALS)
        ],
        "basetasks": {
            f"task_{t:02d}": {
                "label": f"Task {t:02d}",
                "surfaces": [
                    {
                        "id": f"task_{t:02d}_length_x_depth", "label": "Length x Depth",
                        "x_data": "length", "y_data": "depth",
                        "x_values": [0, 1, 2, 3, 4], "y_values": [0, 1, 2, 3],
                    }
                ],
                "projections": [
                    {
                        "id": f"task_{t:02d}_length", "label": "Length",
                        "axis": "length", "values": [0, 1, 2, 3, 4],
                    }
                ],
            }
            for t in range(TASKS)
        },
        "tiers": [
            {"id": tier, "label": tier.capitalize(), "filter": {"difficulty": tier}} for tier in TIERS
        ],
    }  # fmt: skip
