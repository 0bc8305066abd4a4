"""Clusters in words: what each rule means, what came out, and which model to take."""

from collections import Counter

import pandas as pd

from core import charts
from core.tiers.cluster.stack import STACK_NAMES
from core.tiers.cluster.table import RULE_NAMES, Clusters, Section
from core.tiers.tokens import mean_text
from core.tiers.words import capital, listed

MOST_NAMED = 3
"""Evals that a sentence names where several are alike."""

RULE_WORDS = {
    "overlap": (
        "Two evals are linked while their 95% intervals overlap, and a clique is a largest group in which"
        " every two are linked. Overlap is no test: intervals that just fail to overlap mean p of about .006"
        " when errors are independent and 9e-5 when they are correlated .5, so evals in one clique may still"
        " differ."
    ),
    "paired": (
        "Two evals are linked unless their difference on common items is significant at 5% after Holm's"
        " correction over the m pairs of the section, and a clique is a largest group in which no two were"
        " found to differ. Being linked is no proof of being equal: how far apart two evals may still be is"
        " what the interval of their difference says."
    ),
}
"""What each rule means, in two sentences."""


def rule_sentence(clusters: Clusters, section: Section | None = None) -> str:
    """Return which rule is in force and its number of pairs, of a section or over all."""
    counts = [one.m for one in clusters.sections] if section is None else [section.m]
    kind = "pairs tested" if clusters.rule == "paired" else "pairs looked at"
    span = charts.span_text(min(counts), max(counts))
    end = "" if section is not None else " a section"
    return f"In force: {RULE_NAMES[clusters.rule]}, m = {span} {kind}{end}."


def summary(clusters: Clusters) -> str:
    """Return the result in one sentence."""
    noun = STACK_NAMES[clusters.stack]
    sections = [section for section in clusters.sections if section.cliques]
    if not sections:
        return "No eval has a counted completion in any section, so there are no cliques."
    if len(sections) == 1:
        return f"{sections[0].label}: {_section_words(sections[0])}{_n_words(sections)}."
    alone = sum(len(section.cliques[0]) == 1 and len(section.members) > 1 for section in sections)
    members = Counter(eval_id for section in sections for eval_id in section.cliques[0])
    times = max(members.values())
    often = [clusters.config.eval_names[one] for one, number in sorted(members.items()) if number == times]
    named = (
        f"{listed(often)} {'is' if len(often) == 1 else 'are'} most often"
        if len(often) <= MOST_NAMED
        else f"{len(often)} evals are most often"
    )
    first = (
        f"In {alone} of {len(sections)} {noun}s one eval is separated from all others"
        if alone
        else f"In none of {len(sections)} {noun}s is one eval separated from all others"
    )
    return (
        f"{first}; {named} in the top clique"
        f" ({times} of {len(sections)} {noun}s)"
        f"{_saving(clusters, sections)}{_n_words(sections)}."
    )


def _n_words(sections: list[Section]) -> str:
    """Return how many counted completions an eval has in a section, from the fewest to the most."""
    counted = pd.concat([section.members["n"] for section in sections])
    return f"; {charts.n_text(counted.min(), counted.max())} an eval{' and section' * (len(sections) > 1)}"


def _saving(clusters: Clusters, sections: list[Section]) -> str:
    savers = Counter(
        int(top["eval_id"].iloc[0])
        for section in sections
        if len(top := section.top()) > 1 and pd.notna(top["mean_tokens"].iloc[0])
    )
    if not savers:
        return ""
    saver, times = max(savers.items(), key=lambda pair: (pair[1], -pair[0]))
    kind = "visible tokens" if clusters.visible_tokens else "tokens"
    return f", and {clusters.config.eval_names[saver]} most often its member with the fewest {kind} ({times})"


def _section_words(section: Section) -> str:
    total = len(section.members)
    size = len(section.cliques[0])
    best = section.members["name"].iloc[0]
    if total == 1:
        return f"{best} is the only eval"
    if size == total:
        return f"all {total} evals are in one clique, so none is separated from another"
    if size == 1:
        return f"{best} is separated from {f'all {total - 1} others' if total > 2 else 'the other'}"
    more = len(section.cliques) - 1
    others = f"; there {'are' if more > 1 else 'is'} {more} more clique{'s' if more > 1 else ''}"
    return f"the top clique holds {size} of {total} evals, {best} first{others if more else ''}"


def section_sentence(section: Section) -> str:
    """Return what came out in a section."""
    if not section.cliques:
        return "No eval has a counted completion here."
    text = _section_words(section)
    # A sentence that begins with a name leaves the name as it is.
    return f"{text}." if text.startswith(str(section.members["name"].iloc[0])) else f"{capital(text)}."


def recommendation(section: Section, *, visible_tokens: bool = False) -> str:
    """Return which member of the top clique spends the fewest tokens, and how sure that is."""
    top = section.top()
    if top.empty:
        return "No eval has a counted completion here."
    if len(top) == 1:
        return f"{top['name'].iloc[0]}: nothing else is in its clique."
    best = section.members["name"].iloc[0]
    if top["mean_tokens"].isna().all():
        return (
            f"Any of {listed(list(top['name']))}: none is separated from another, and without token counts"
            " there is no tie-break."
        )
    kind = "visible tokens" if visible_tokens else "tokens"
    first = top.iloc[0]
    text = f"{first['name']}: it spends the fewest {kind} of the top clique, {_spent(first)}"
    if first["name"] != best:
        text += f", and is not separated from {best}, which has the highest center"
    near = top[(top["tokens_lower"] <= first["tokens_upper"]) & (top["eval_id"] != first["eval_id"])]
    if len(near):
        whose = "interval of" if len(near) == 1 else "intervals of"
        verb = "overlaps" if len(near) == 1 else "overlap"
        text += f"; the token {whose} {listed(list(near['name']))} {verb} with its own"
    return f"{text}."


def _spent(row: pd.Series) -> str:
    return mean_text(row["mean_tokens"], row["tokens_lower"], row["tokens_upper"])
