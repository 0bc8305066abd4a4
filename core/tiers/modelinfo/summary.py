"""What results against architecture say, in sentences."""

import math

import pandas as pd

from core.stats.spearman import RankCorrelation, spearman
from core.tiers.modelinfo.axes import Axis, ScoreKind
from core.tiers.modelinfo.scales import short_number
from core.tiers.modelinfo.table import ModelInfo
from core.tiers.words import number


def summarise(info: ModelInfo, against: Axis) -> str:
    """Return who leads, and how small an eval may be without being separated from it.

    Parameters
    ----------
    against
        What evals are set against.
    """
    rows = info.rows[info.rows["complete"].astype(bool)]
    known = rows[rows[against.column].notna() & rows["plain_score"].notna()]
    if known.empty:
        return _without(info.rows, against)
    leader = known.sort_values("plain_score", ascending=False).iloc[0]
    value = float(leader[against.column])
    of = f"Of the {len(known)} of {len(rows)} evals whose {against.label} are known, "
    said = (
        f"{of if len(known) < len(rows) else ''}{leader['name']} leads with a plain score of {_score(leader)}"
        f" on {int(leader['n_items']):,} items, at {_amount(value, against)}"
    )
    level = known[known["plain_upper"] >= leader["plain_lower"]]
    smallest = level.loc[level[against.column].astype(float).idxmin()]
    least = float(smallest[against.column])
    if least < value:
        return (
            f"{said}; the smallest not separated from it (95% intervals overlap) is {smallest['name']}"
            f" ({_score(smallest)}) at {_amount(least, against)}: the leader has {value / least:.3g} times as"
            " many."
        )
    larger = known[known[against.column].astype(float) > value]
    if len(larger):
        rival = larger.sort_values("plain_score", ascending=False).iloc[0]
        overlap = "not separated from it" if rival["plain_upper"] >= leader["plain_lower"] else "below it"
        times = float(rival[against.column]) / value
        return (
            f"{said}; the best with more is {rival['name']} ({_score(rival)}), {overlap} with"
            f" {times:.3g} times as many."
        )
    fewer = known[known[against.column].astype(float) < value]
    if len(fewer):
        rival = fewer.sort_values("plain_score", ascending=False).iloc[0]
        return (
            f"{said}; every eval with fewer is separated from it (95% intervals do not overlap), the best of"
            f" them {rival['name']} ({_score(rival)})."
        )
    return f"{said}; all evals have as many, so there is nothing to compare."


def _without(rows: pd.DataFrame, against: Axis) -> str:
    """Return what can be said where nobody knows the quantity."""
    said = f"Nobody says the {against.label} of any eval yet, so scores cannot be set against that"
    scored = rows[rows["plain_score"].notna()]
    if scored.empty:
        return f"{said}."
    best = scored.sort_values("plain_score", ascending=False).iloc[0]
    said += f"; {best['name']} leads with a plain score of {_score(best)} on {int(best['n_items']):,} items"
    # Nobody gets far with no right answer, and the floor of the score over few tokens is no thrift.
    thrifty = scored[scored["plain_per_tokens"].notna() & (scored["correct"] > 0)]
    if thrifty.empty:
        return f"{said}."
    tokens = "visible tokens" if rows["visible_tokens"].any() else "tokens"
    first = thrifty.sort_values("plain_per_tokens", ascending=False).iloc[0]
    value, low, high = (first[f"plain_per_tokens{end}"] for end in ("", "_lower", "_upper"))
    return (
        f"{said}, and per 1,000 {tokens} {first['name']} gets furthest with {number(value, 0)}"
        f" [{number(low, 0)}, {number(high, 0)}]"
        f"{'; reasoning that a text lacks is not in its visible tokens' if tokens != 'tokens' else ''}."
    )


def correlation_sentence(info: ModelInfo, against: Axis, kind: ScoreKind) -> str:
    """Return whether score and quantity rise together over models, "" where there are too few."""
    found = correlation(info, against, kind)
    if math.isnan(found.rho):
        return ""
    interval = "" if math.isnan(found.lower) else f" [{found.lower:.2f}, {found.upper:.2f}]"
    return (
        f"Over {found.n} models, each by its best eval, {kind.label} and {against.label} have a rank"
        f" correlation (Spearman) of {found.rho:.2f}{interval}, 95% interval by Fisher's z."
    )


def correlation(info: ModelInfo, against: Axis, kind: ScoreKind) -> RankCorrelation:
    """Return the rank correlation over models: evals of one model are no independent observations."""
    rows = info.rows[info.rows["complete"].astype(bool)]
    column = kind.score.column
    known = pd.DataFrame(
        {
            # Without an hf_id, evals of one stored model are of one model.
            "model": rows["hf_id"]
            .where(rows["hf_id"].notna(), rows["model"])
            .where(lambda m: m.notna(), rows["name"]),
            "x": rows[against.column].astype(float),
            "y": rows[column].astype(float),
        }
    ).dropna()
    best = known.sort_values("y", ascending=False).drop_duplicates("model")
    return spearman(best["x"], best["y"])


def _score(row: pd.Series) -> str:
    return f"{row['plain_score']:.0f} [{row['plain_lower']:.0f}, {row['plain_upper']:.0f}]"


def _amount(value: float, against: Axis) -> str:
    return f"{short_number(value, against.kind)} {against.label}"
