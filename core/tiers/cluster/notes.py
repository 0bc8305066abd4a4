"""What a reader must know before quoting a section, one sentence each, from the data."""

import pandas as pd

from core.stats.cliques import MOST_CLIQUES, Cliques
from core.tiers.notes import TRUNCATION_TOLD
from core.tiers.words import listed

UNEVEN_ITEMS = 1.5


def section_notes(
    members: pd.DataFrame, found: Cliques, pairs: pd.DataFrame | None, *, rule: str, stack: str
) -> tuple[str, ...]:
    """Return the notes of a section; see core.tiers.cluster.table for the frames."""
    notes = [
        _one(members),
        _capped(found),
        _no_number(members, rule),
        _different_tasks(members, stack),
        _uneven(members),
        _truncated(members, rule),
        _visible(members),
    ]
    if pairs is not None:
        notes += [_tests(pairs), _not_common(pairs, rule), _disagreement(pairs)]
    return tuple(note for note in notes if note)


def _one(members: pd.DataFrame) -> str:
    return "One eval: there is nothing to compare it with." if len(members) == 1 else ""


def _capped(found: Cliques) -> str:
    if found.complete:
        return ""
    return (
        f"There are more than {MOST_CLIQUES:,} maximal cliques; the {MOST_CLIQUES:,} shown have all those of"
        " the best evals, and some evals may be in none of them."
    )


def _no_number(members: pd.DataFrame, rule: str) -> str:
    without = members[members["center"].isna()]
    if without.empty:
        return ""
    end = ", so in no clique" if rule == "overlap" else ""
    return f"Without a counted completion{end}: {listed(list(without['name']))}."


def _different_tasks(members: pd.DataFrame, stack: str) -> str:
    fewer = members[members["tasks"] < members["tasks"].max()]
    if stack == "base_task" or fewer.empty:
        return ""
    return f"Without some of the section's tasks, so of another mix: {listed(list(fewer['name']))}."


def _uneven(members: pd.DataFrame) -> str:
    items = members.loc[members["n_items"] > 0, "n_items"]
    if items.empty or items.max() <= UNEVEN_ITEMS * items.min():
        return ""
    return (
        f"Items per eval differ: {int(items.min()):,} to {int(items.max()):,}; a wide interval of a small"
        " sample overlaps many others."
    )


def _truncated(members: pd.DataFrame, rule: str) -> str:
    some = members[members["truncated_ratio"] > TRUNCATION_TOLD]
    if some.empty:
        return ""
    told = [f"{name} {ratio:.0%}" for name, ratio in zip(some["name"], some["truncated_ratio"], strict=True)]
    end = "; the paired rule counts them as wrong" if rule == "paired" else ""
    return f"Truncated completions are left out of the accuracies{end}: {listed(told)}."


def _visible(members: pd.DataFrame) -> str:
    if not members["tokenized_n"].sum():
        return ""
    return "Tokens are visible tokens of the response text; hidden reasoning is not included."


def _tests(pairs: pd.DataFrame) -> str:
    names = [name for name in dict.fromkeys(pairs["test"]) if name != "no common items"]
    return f"Tests of the differences: {'; '.join(names)}." if names else ""


def _not_common(pairs: pd.DataFrame, rule: str) -> str:
    without = pairs[pairs["n_items"] == 0]
    if without.empty:
        return ""
    told = [f"{a} and {b}" for a, b in zip(without["name_a"], without["name_b"], strict=True)]
    end = ", so they cannot be separated" if rule == "paired" else ""
    return f"No common items{end}: {listed(told, 3)}."


def _disagreement(pairs: pd.DataFrame) -> str:
    """Name the pairs whose winner depends on what truncated completions count as."""
    wrong = _winner(pairs["difference"], pairs["p_adjusted"])
    left_out = _winner(pairs["difference_untruncated"], pairs["p_adjusted_untruncated"])
    differ = pairs[wrong != left_out]
    if differ.empty:
        return ""
    told = [f"{a} and {b}" for a, b in zip(differ["name_a"], differ["name_b"], strict=True)]
    return (
        f"With truncated completions left out instead of wrong, {len(differ)} of {len(pairs)} pairs have"
        f" another winner or none: {listed(told, 3)}."
    )


def _winner(difference: pd.Series, p_adjusted: pd.Series) -> pd.Series:
    return (difference > 0).astype(int).sub((difference < 0).astype(int)).where(p_adjusted < 0.05, 0)
