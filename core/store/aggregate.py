"""From completions to sufficient statistics, as SQL: the one place that says what an outcome counts as.

The same text fills the stored tables (threshold 1) and serves any other threshold at query time. All
statistics add over points of one (model, template, sampler).
"""

import duckdb

STORED_THRESHOLD = 1.0
"""The threshold at which `points`, `point_choices` and `item_results` are stored."""

EFFECTIVE_OUTCOME = """\
CASE
    WHEN c.outcome IN ('error', 'truncated') OR c.score IS NULL THEN c.outcome
    WHEN c.score >= $threshold THEN 'correct'
    WHEN c.outcome = 'invalid' THEN 'invalid'
    ELSE 'incorrect'
END"""
"""A completion's outcome at $threshold, over an alias `c` of completions."""

POINT_STATISTICS = (
    "correct", "incorrect", "invalid", "truncated", "error", "empty",
    "items", "yy", "yk", "kk", "all_items", "all_yk", "all_kk", "least_tries", "most_tries",
    "score_n", "score_sum", "score_item_squares",
    "token_n", "token_sum", "token_squares", "tokenized_n", "token_items", "token_tt", "token_tc", "token_cc",
    "correct_token_n", "correct_token_sum", "incorrect_token_n", "incorrect_token_sum", "truncation_unknown",
)  # fmt: skip
"""Columns of point statistics.

correct .. error: completions by outcome; empty: completions whose response has no bytes.
items, yy, yk, kk: over items with k >= 1 counted completions of which y are correct, their number and the
sums of y^2, yk and k^2 (sum y is `correct`, sum k is correct + incorrect + invalid).
all_items, all_yk, all_kk: the same with truncated completions counted as wrong (y and y^2 do not change).
least_tries, most_tries: smallest and largest number of completions of one item, errors left out.
score_*: completions with a score, their sum, and the sum over items of the squared item sum.
token_*: completions with a token count (any outcome), their sum and sum of squares; tokenized_n of them
were counted by tokenising the visible text. token_items, token_tt, token_tc, token_cc: over items with
c >= 1 such completions and t tokens in them, their number and the sums of t^2, tc and c^2.
truncation_unknown: the source does not say why they stopped.
"""


def item_results(completions: str, where: str = "true") -> str:
    """Return SQL of one row per (point, item) at $threshold: y correct of k counted, truncated, and tokens.

    `tokens` is the sum over the `token_n` completions, of any outcome, that have a token count.

    Parameters
    ----------
    completions : str
        Name of the completions table.
    where : str
        SQL condition over alias `c` that limits the completions read.
    """
    return f"""\
SELECT c.point_id, c.item_id,
    (count(*) FILTER (WHERE {EFFECTIVE_OUTCOME} = 'correct'))::INTEGER AS y,
    (count(*) FILTER (WHERE c.outcome NOT IN ('error', 'truncated')))::INTEGER AS k,
    (count(*) FILTER (WHERE c.outcome = 'truncated'))::INTEGER AS truncated,
    count(c.completion_tokens)::INTEGER AS token_n, coalesce(sum(c.completion_tokens), 0)::BIGINT AS tokens
FROM {completions} c
WHERE {where}
GROUP BY c.point_id, c.item_id"""


def point_statistics(completions: str, where: str = "true") -> str:
    """Return SQL of one row per point_id with POINT_STATISTICS at $threshold."""
    return f"""\
WITH effective AS (
    SELECT c.point_id, c.item_id, {EFFECTIVE_OUTCOME} AS outcome, c.score, c.completion_tokens AS tokens,
        c.token_source, c.truncation, c.response_bytes
    FROM {completions} c
    WHERE {where}
), by_item AS (
    SELECT point_id, item_id,
        count(*) FILTER (WHERE outcome = 'correct') AS correct,
        count(*) FILTER (WHERE outcome = 'incorrect') AS incorrect,
        count(*) FILTER (WHERE outcome = 'invalid') AS invalid,
        count(*) FILTER (WHERE outcome = 'truncated') AS truncated,
        count(*) FILTER (WHERE outcome = 'error') AS error,
        count(*) FILTER (WHERE response_bytes = 0) AS empty,
        count(score) AS score_n, coalesce(sum(score), 0) AS score_sum,
        count(tokens) AS token_n, coalesce(sum(tokens), 0)::DOUBLE AS token_sum,
        coalesce(sum(tokens::DOUBLE * tokens), 0) AS token_squares,
        count(tokens) FILTER (WHERE starts_with(token_source, 'tokenized')) AS tokenized_n,
        count(tokens) FILTER (WHERE outcome = 'correct') AS correct_token_n,
        coalesce(sum(tokens) FILTER (WHERE outcome = 'correct'), 0)::DOUBLE AS correct_token_sum,
        count(tokens) FILTER (WHERE outcome = 'incorrect') AS incorrect_token_n,
        coalesce(sum(tokens) FILTER (WHERE outcome = 'incorrect'), 0)::DOUBLE AS incorrect_token_sum,
        count(*) FILTER (WHERE truncation = 'unknown') AS truncation_unknown
    FROM effective
    GROUP BY point_id, item_id
), counted AS (
    SELECT *, (correct + incorrect + invalid)::DOUBLE AS k,
        (correct + incorrect + invalid + truncated)::DOUBLE AS tries, correct::DOUBLE AS y
    FROM by_item
)
SELECT point_id,
    sum(correct)::BIGINT AS correct, sum(incorrect)::BIGINT AS incorrect, sum(invalid)::BIGINT AS invalid,
    sum(truncated)::BIGINT AS truncated, sum(error)::BIGINT AS error, sum(empty)::BIGINT AS empty,
    count(*) FILTER (WHERE k > 0) AS items, sum(y * y) AS yy, sum(y * k) AS yk, sum(k * k) AS kk,
    count(*) FILTER (WHERE tries > 0) AS all_items, sum(y * tries) AS all_yk, sum(tries * tries) AS all_kk,
    (min(tries) FILTER (WHERE tries > 0))::INTEGER AS least_tries, max(tries)::INTEGER AS most_tries,
    sum(score_n)::BIGINT AS score_n, sum(score_sum) AS score_sum,
    sum(score_sum * score_sum) AS score_item_squares,
    sum(token_n)::BIGINT AS token_n, sum(token_sum) AS token_sum, sum(token_squares) AS token_squares,
    sum(tokenized_n)::BIGINT AS tokenized_n,
    count(*) FILTER (WHERE token_n > 0) AS token_items, sum(token_sum * token_sum) AS token_tt,
    sum(token_sum * token_n) AS token_tc, sum(token_n::DOUBLE * token_n) AS token_cc,
    sum(correct_token_n)::BIGINT AS correct_token_n, sum(correct_token_sum) AS correct_token_sum,
    sum(incorrect_token_n)::BIGINT AS incorrect_token_n, sum(incorrect_token_sum) AS incorrect_token_sum,
    sum(truncation_unknown)::BIGINT AS truncation_unknown
FROM counted
GROUP BY point_id"""


def point_choices(item_results_name: str, items: str) -> str:
    """Return SQL of counted completions per (point, choices), free-form items left out.

    Guess mass is the sum over choices of n / choices, divided after the counts are summed.
    """
    return f"""\
SELECT r.point_id, i.choices, sum(r.k)::BIGINT AS n
FROM {item_results_name} r
JOIN {items} i USING (item_id)
WHERE i.choices IS NOT NULL AND r.k > 0
GROUP BY r.point_id, i.choices"""


def write_aggregates(connection: duckdb.DuckDBPyConnection) -> None:
    """Rewrite item_results, points and point_choices from all completions."""
    threshold = {"threshold": STORED_THRESHOLD}
    connection.execute(
        "CREATE OR REPLACE TABLE item_results"
        " (point_id INTEGER, item_id INTEGER, y INTEGER, k INTEGER, truncated INTEGER, token_n INTEGER,"
        " tokens BIGINT)"
    )
    connection.execute(
        f"INSERT INTO item_results SELECT * FROM ({item_results('completions')}) ORDER BY point_id, item_id",
        threshold,
    )
    names = ", ".join(f"a.{name}" for name in POINT_STATISTICS)
    # CREATE TABLE AS takes no parameters, so the shape comes from an empty select.
    select = f"""
        SELECT p.point_id, p.model, p.template, p.sampler, t.base_task, t.params, p.params_id, {names}
        FROM ({point_statistics("completions")}) a
        JOIN point_identities p USING (point_id)
        JOIN param_sets t USING (params_id)"""
    connection.execute(
        "CREATE OR REPLACE TABLE points AS " + select.replace("$threshold", "1.0") + " WHERE false"
    )
    connection.execute(f"INSERT INTO points {select} ORDER BY p.point_id", threshold)
    connection.execute(
        "CREATE OR REPLACE TABLE point_choices AS "
        + point_choices("item_results", "items")
        + " ORDER BY point_id, choices"
    )
