"""The aggregate behind each page as one plain DuckDB query over completions: what a page is compared to."""

import json
import sys
import time
from pathlib import Path

import duckdb

_BY_CELL = """
    SELECT p.model, p.base_task, p.params->>'difficulty' AS tier,
        count(*) FILTER (WHERE c.outcome = 'correct') AS correct,
        count(*) FILTER (WHERE c.outcome NOT IN ('truncated', 'error')) AS n,
        count(*) FILTER (WHERE c.outcome = 'truncated') AS truncated,
        sum(1.0 / i.choices) AS guesses, avg(c.completion_tokens) AS tokens
    FROM completions c JOIN points p USING (point_id) JOIN items i USING (item_id)
    GROUP BY ALL"""

_GROUPS = """
    SELECT p.base_task, p.model, {columns}, count(*) AS n
    FROM completions c JOIN points p USING (point_id)
    WHERE {where}
    GROUP BY ALL"""

QUERIES = {
    "scores": _BY_CELL,
    "cluster": _BY_CELL,
    "spiderweb": _BY_CELL,
    "modelinfo": _BY_CELL,
    "evals": """
        SELECT p.model, p.base_task, c.outcome, count(*) AS n, sum(c.completion_tokens) AS tokens
        FROM completions c JOIN points p USING (point_id)
        GROUP BY ALL""",
    "tasks": """
        SELECT p.base_task, p.params, count(*) AS n, count(DISTINCT c.item_id) AS items
        FROM completions c JOIN points p USING (point_id)
        GROUP BY ALL""",
    "surface": """
        SELECT p.model, p.base_task, p.params->>'length' AS x, p.params->>'depth' AS y, count(*) AS n,
            count(*) FILTER (WHERE c.outcome = 'correct') AS correct
        FROM completions c JOIN points p USING (point_id)
        GROUP BY ALL""",
    "hazard": _GROUPS.format(columns="c.outcome, c.completion_tokens", where="p.base_task = 'task_00'"),
    "compression": _GROUPS.format(
        columns="c.outcome, p.params->>'difficulty' AS tier,"
        " floor(8 * log2(greatest(c.completion_tokens, 1))) AS x,"
        " floor(8 * log2(greatest(c.compressed_bytes, 1))) AS y",
        where="p.base_task = 'task_00'",
    ),
    "compare": """
        WITH pairs AS (
            SELECT p.base_task, p.params->>'difficulty' AS tier, p.params->>'length' AS x,
                p.params->>'depth' AS y, a.outcome AS a, b.outcome AS b, a.completion_tokens AS a_tokens,
                b.completion_tokens AS b_tokens
            FROM completions a JOIN completions b USING (item_id) JOIN points p ON p.point_id = a.point_id
            JOIN points q ON q.point_id = b.point_id
            WHERE p.model = 'org/model-00' AND q.model = 'org/model-01'
        )
        SELECT base_task, tier, x, y, a, b, count(*) AS n, avg(a_tokens - b_tokens) AS tokens
        FROM pairs
        GROUP BY GROUPING SETS ((base_task, a, b), (tier, a, b), (base_task, x, y, a, b), (a, b))""",
    "completions": """
        SELECT c.*
        FROM completions c JOIN points p USING (point_id)
        ORDER BY c.completion_id
        LIMIT 50""",
}
"""By the name of the page's script. Groups that a page shows a few of at a time are read for one task."""


def measure(database: Path) -> dict[str, float]:
    """Return the seconds of each query, the best of three."""
    seconds = {}
    with duckdb.connect(str(database), read_only=True) as connection:
        for page, query in QUERIES.items():
            seconds[page] = min(_timed(connection, query) for _ in range(3))
    return seconds


def _timed(connection: duckdb.DuckDBPyConnection, query: str) -> float:
    start = time.perf_counter()
    connection.sql(query).to_arrow_table()
    return time.perf_counter() - start


if __name__ == "__main__":
    print(json.dumps(measure(Path(sys.argv[1]))))
