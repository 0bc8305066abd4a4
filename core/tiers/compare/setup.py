"""Whether two evals were run alike: templates, samplers, prompts, token limits, repeats, scorers."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pandas as pd

from core.filters import Filters
from core.store.aggregate import STORED_THRESHOLD
from core.store.dataset import Dataset
from core.tiers.points import completions_of, points_at
from core.tiers.selection import selected_points
from core.tiers.words import listed


@dataclass(frozen=True)
class Setup:
    """How A and B were run.

    Attributes
    ----------
    mismatches
        What differs between them, so that a difference may be due to it; one sentence each.
    unknown
        What the data do not say, one sentence each.
    alike
        What was found to be the same, in a few words each.
    truncation_known
        Whether the sources say of completions of both which were cut off.
    visible_tokens
        Whether any tokens were counted from the visible text.
    weights
        What a reader must know where items have different numbers of completions, "" where all have as many.
    """

    mismatches: tuple[str, ...]
    unknown: tuple[str, ...]
    alike: tuple[str, ...]
    truncation_known: bool
    visible_tokens: bool
    weights: str = ""


WEIGHTS = (
    "Here every item weighs alike, however many completions it has. Scores, Evals and Hazard weigh"
    " completions, so that their accuracies, tokens and differences are others where items have different"
    " numbers of them."
)


@dataclass(frozen=True)
class _Found:
    """What was found in one respect: a mismatch, a thing unknown or the same, "" where it is not."""

    mismatch: str = ""
    unknown: str = ""
    alike: str = ""
    weights: str = ""


def read_setup(dataset: Dataset, filters: Filters, a: int, b: int) -> Setup:
    """Compare how A and B were run.

    Parameters
    ----------
    filters : Filters
        Selecting A and B, resolved.
    """
    runs = _runs(dataset, filters)
    sides = tuple(runs[runs["eval_id"] == one] for one in (a, b))
    found = [
        _values("Templates", "template", sides, str),
        _values("Samplers", "sampler", sides, str),
        _no_prompts(sides) or _prompts(dataset, filters, a, b),
        _token_limits(sides),
        _repeats(dataset, filters, a, b),
        _values("Scorers", "scorer", sides, str),
        _token_sources(sides),
        _truncation(sides),
        _shared_points(dataset, filters),
    ]
    return Setup(
        mismatches=tuple(one.mismatch for one in found if one.mismatch),
        unknown=tuple(one.unknown for one in found if one.unknown),
        alike=tuple(one.alike for one in found if one.alike),
        truncation_known=all((side["truncation"] != "unknown").any() for side in sides),
        visible_tokens=any(
            str(source).startswith("tokenized") for source in runs.loc[runs["tokens"] > 0, "token_source"]
        ),
        weights=" ".join(one.weights for one in found if one.weights),
    )


def _runs(dataset: Dataset, filters: Filters) -> pd.DataFrame:
    selected, parameters = selected_points(dataset, filters)
    frame: pd.DataFrame = dataset.sql(
        f"""
        WITH selected AS ({selected})
        SELECT s.eval_id, p.template, p.sampler, c.token_limit, c.token_source, c.scorer, c.truncation,
            count(*) AS n, count(c.completion_tokens) AS tokens, count(c.prompt_id) AS prompts
        FROM {completions_of(filters)} c
        JOIN selected s USING (point_id)
        JOIN data.points p USING (point_id)
        GROUP BY ALL
        ORDER BY ALL""",
        **parameters,
    ).to_pandas()
    return frame


def _values(name: str, column: str, sides: tuple[pd.DataFrame, ...], text: Callable[[Any], str]) -> _Found:
    """Compare the values of a column; nothing where neither eval has any."""
    left, right = ([text(one) for one in side[column].dropna().drop_duplicates()] for side in sides)
    if not left and not right:
        return _Found()
    if not left or not right:
        return _Found(unknown=f"{name} of {'B' if left else 'A'} are not known.")
    if sorted(left) == sorted(right):
        return _Found(alike=f"{name.lower()}: {listed(left)}")
    return _Found(mismatch=f"{name} differ: {listed(left)} (A), {listed(right)} (B).")


def _token_limits(sides: tuple[pd.DataFrame, ...]) -> _Found:
    found = _values("Token limits", "token_limit", sides, lambda limit: f"{int(limit):,}")
    if found.mismatch:
        end = " The eval with the lower limit is cut off sooner."
        return _Found(mismatch=found.mismatch + end)
    if not found.alike and not found.unknown:
        return _Found(unknown="Token limits of A and B are not known.")
    return found


def _token_sources(sides: tuple[pd.DataFrame, ...]) -> _Found:
    counted = tuple(side[side["tokens"] > 0] for side in sides)
    if any(side.empty for side in counted):
        return _Found(unknown="There are no token counts of both evals, so what they spend is not compared.")
    found = _values("Token counts", "token_source", counted, str)
    end = " The difference in tokens is not one of like with like."
    return _Found(mismatch=found.mismatch + end) if found.mismatch else found


def _truncation(sides: tuple[pd.DataFrame, ...]) -> _Found:
    names = [name for name, side in zip("AB", sides, strict=True) if (side["truncation"] == "unknown").any()]
    if not names:
        return _Found()
    return _Found(
        unknown=f"The source does not say which responses of {' and '.join(names)} were cut off: truncated"
        " ones count as they were graded."
    )


def _no_prompts(sides: tuple[pd.DataFrame, ...]) -> _Found | None:
    """Return that prompts are not stored at all, which spares looking at every item; None where some are."""
    names = [name for name, side in zip("AB", sides, strict=True) if not side["prompts"].sum()]
    return _Found(unknown=f"The prompts of {' and '.join(names)} are not stored.") if names else None


def _prompts(dataset: Dataset, filters: Filters, a: int, b: int) -> _Found:
    selected, parameters = selected_points(dataset, filters)
    row = dataset.rows(
        f"""
        WITH selected AS ({selected}), asked AS (
            SELECT c.item_id,
                min(c.prompt_id) FILTER (WHERE s.eval_id = $a) AS a_first,
                max(c.prompt_id) FILTER (WHERE s.eval_id = $a) AS a_last,
                min(c.prompt_id) FILTER (WHERE s.eval_id = $b) AS b_first,
                max(c.prompt_id) FILTER (WHERE s.eval_id = $b) AS b_last,
                bool_or(s.eval_id = $a) AND bool_or(s.eval_id = $b) AS common
            FROM {completions_of(filters)} c
            JOIN selected s USING (point_id)
            GROUP BY c.item_id
        ), met AS (
            SELECT a.*, a_first IS NULL OR b_first IS NULL AS unknown,
                a_first = b_first AND a_last = b_last AS same
            FROM asked a JOIN data.items i USING (item_id)
            WHERE common AND i.paired
        )
        SELECT count(*) AS items, count(*) FILTER (WHERE unknown) AS unknown,
            (SELECT count(*)
                FROM met m
                JOIN data.prompts p ON p.prompt_id = m.a_first
                JOIN data.prompts q ON q.prompt_id = m.b_first
                JOIN data.prompts r ON r.prompt_id = m.a_last
                JOIN data.prompts t ON t.prompt_id = m.b_last
                WHERE NOT m.same AND NOT m.unknown AND (p.text <> q.text OR r.text <> t.text)) AS differ
        FROM met""",
        a=a,
        b=b,
        **parameters,
    )[0]
    items, unknown, differ = row["items"], row["unknown"], row["differ"]
    if not items:
        return _Found()
    known = items - unknown
    return _Found(
        mismatch=f"The prompts of {differ:,} of {known:,} common items differ." if differ else "",
        unknown=f"Of {unknown:,} of {items:,} common items the prompts are not stored." if unknown else "",
        alike=f"prompts of {known:,} common items" if known and not differ else "",
    )


def _repeats(dataset: Dataset, filters: Filters, a: int, b: int) -> _Found:
    selected, parameters = selected_points(dataset, filters)
    rows = dataset.rows(
        f"""
        WITH selected AS ({selected})
        SELECT s.eval_id, min(p.least_tries) AS least, max(p.most_tries) AS most
        FROM {points_at(STORED_THRESHOLD, filters.flagged)} p JOIN selected s USING (point_id)
        GROUP BY s.eval_id""",
        **parameters,
    )
    spans = {row["eval_id"]: (row["least"], row["most"]) for row in rows}
    left, right = (spans.get(one, (None, None)) for one in (a, b))
    if None in (*left, *right):
        return _Found()
    texts = [str(low) if low == high else f"{low} to {high}" for low, high in (left, right)]
    # Equal numbers weigh items as completions do.
    weights = "" if left[0] == left[1] and right[0] == right[1] else WEIGHTS
    if left == right:
        return _Found(alike=f"completions per item: {texts[0]}", weights=weights)
    return _Found(
        mismatch=f"Completions per item differ: {texts[0]} (A), {texts[1]} (B); an item counts its mean.",
        weights=weights,
    )


def _shared_points(dataset: Dataset, filters: Filters) -> _Found:
    selected, parameters = selected_points(dataset, filters)
    shared = dataset.rows(
        f"""
        WITH selected AS ({selected})
        SELECT count(*) - count(DISTINCT point_id) AS shared FROM selected""",
        **parameters,
    )[0]["shared"]
    if not shared:
        return _Found()
    return _Found(
        mismatch=f"{shared:,} points belong to both evals: the same completions stand on both sides there."
    )
