"""Clusters: per section the evals with their intervals, and which of them are not separated."""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from core.config import DatasetConfig
from core.errors import FilterError, NothingFoundError
from core.filters import Filters
from core.stats.cliques import Cliques, graph_cliques, interval_cliques
from core.stats.pairwise import Pairwise, compare_all
from core.store.dataset import Dataset
from core.tiers.cluster.notes import section_notes
from core.tiers.cluster.stack import (
    SectionItems,
    check_stack,
    read_section_cells,
    read_section_items,
    section_label,
)
from core.tiers.cluster.tokens import clique_tokens, member_tokens
from core.tiers.methods import Methods
from core.tiers.points import read_points

RULES = ("overlap", "paired")
RULE_NAMES = {"overlap": "interval overlap", "paired": "paired difference, Holm"}
ALPHA = 0.05

_MEMBER_COLUMNS = [
    "eval_id", "accuracy", "center", "margin", "lower", "upper", "n", "n_items", "truncated_ratio",
    "below_chance", "tasks", "token_n", "tokenized_n", "mean_tokens", "tokens_lower", "tokens_upper",
]  # fmt: skip


@dataclass(frozen=True)
class Section:
    """One stack value: its evals and their maximal cliques.

    Attributes
    ----------
    value, label
        Id of the task, tier or surface, and what it is called.
    m
        Pairs of evals: those looked at under the overlap rule, those tested under the paired rule.
    members
        One row per eval, highest center first: eval_id, name, label, accuracy, center, margin, lower, upper,
        n, n_items, truncated_ratio, below_chance, mean_tokens with tokens_lower and tokens_upper, cliques
        (its letters).
    cliques
        Maximal cliques as eval ids, best first within and among them; those of one member too.
    groups
        One row per clique: letter, members (names), size, lowest and highest center, mean_tokens with its
        interval over the clique's items (missing until `add_clique_tokens`), saver (the member with the
        fewest mean tokens) and saver_tokens.
    pairs
        One row per two evals, where asked for: see `pair_frame`.
    complete
        Whether these are all maximal cliques, or the search stopped at its cap.
    notes
        What a reader must know before quoting the section, one sentence each.
    """

    value: str
    label: str
    m: int
    members: pd.DataFrame
    cliques: tuple[tuple[int, ...], ...]
    groups: pd.DataFrame
    pairs: pd.DataFrame | None
    complete: bool
    notes: tuple[str, ...]

    def top(self) -> pd.DataFrame:
        """Return the members of the best clique, fewest tokens first (by center without token counts)."""
        if not self.cliques:
            return self.members.iloc[:0]
        best = self.members[self.members["eval_id"].isin(self.cliques[0])]
        return best.sort_values(["mean_tokens", "center"], ascending=[True, False], ignore_index=True)


@dataclass(frozen=True)
class Clusters:
    """The sections of a selection under one rule."""

    sections: tuple[Section, ...]
    stack: str
    rule: str
    config: DatasetConfig
    filters: Filters
    methods: Methods
    visible_tokens: bool

    def section(self, value: str) -> Section:
        """Return the section of a stack value, the first where there is none."""
        return next((one for one in self.sections if one.value == value), self.sections[0])


def read_clusters(
    dataset: Dataset,
    filters: Filters,
    methods: Methods,
    *,
    stack: str = "base_task",
    rule: str = "overlap",
    pairs: bool = False,
    tokens: bool = True,
) -> Clusters:
    """Find the maximal cliques of every section of a selection.

    Parameters
    ----------
    filters : Filters
        As the user gave them.
    stack : str
        base_task, tier or surface: a section is one of them.
    rule : str
        overlap (linked while intervals overlap) or paired (linked unless the paired difference is
        significant at 5% after Holm over the section's pairs).
    pairs : bool
        Add the pairwise differences; the paired rule has them anyway.
    tokens : bool
        Add the tokens of the cliques, which reads every completion: see `add_clique_tokens`.

    Raises
    ------
    FilterError
        An unknown rule or stack, a stack that the config has nothing for, or filters that name what the
        dataset does not have.
    NothingFoundError
        Nothing matches.
    """
    if rule not in RULES:
        raise FilterError(f"No rule {rule!r}; valid: {', '.join(RULES)}")
    check_stack(dataset, stack)
    filters = filters.resolved(dataset.catalog)
    points = read_points(dataset, filters)
    cells = read_section_cells(dataset, filters, methods, stack, points)
    if cells.empty:
        raise NothingFoundError("No results found matching filters")
    spent = member_tokens(dataset, filters, stack, cells, points)
    cells["mean_tokens"], cells["tokens_lower"], cells["tokens_upper"] = spent.mean, spent.lower, spent.upper
    sections = [
        _section(dataset, filters, part, stack=stack, value=str(value), rule=rule, pairs=pairs)
        for value, part in cells.groupby("section", sort=False)
    ]
    visible = bool(cells["tokenized_n"].sum() > 0)
    found = Clusters(tuple(sections), stack, rule, dataset.config, filters, methods, visible)
    return add_clique_tokens(dataset, found) if tokens else found


def add_clique_tokens(dataset: Dataset, clusters: Clusters, only: str | None = None) -> Clusters:
    """Return the clusters with the mean tokens of the cliques of all sections, or of `only` one."""
    return replace(
        clusters,
        sections=tuple(
            _with_tokens(dataset, clusters, one) if only in (None, one.value) else one
            for one in clusters.sections
        ),
    )


def _with_tokens(dataset: Dataset, clusters: Clusters, section: Section) -> Section:
    if not section.cliques or section.groups["mean_tokens"].notna().any():
        return section
    means = clique_tokens(dataset, clusters.filters, clusters.stack, section.value, section.cliques)
    groups = section.groups.assign(mean_tokens=means.mean, tokens_lower=means.lower, tokens_upper=means.upper)
    return replace(section, groups=groups)


def _section(
    dataset: Dataset, filters: Filters, cells: pd.DataFrame, *, stack: str, value: str, rule: str, pairs: bool
) -> Section:
    config = dataset.config
    members = cells[_MEMBER_COLUMNS].sort_values(
        ["center", "eval_id"], ascending=[False, True], na_position="last", ignore_index=True
    )
    evals = [int(one) for one in members["eval_id"]]
    names = config.eval_names
    members.insert(1, "name", [names[one] for one in evals])
    members.insert(2, "label", [config.evals[one].label for one in evals])
    wrong, left_out = None, None
    if rule == "paired" or pairs:
        wrong, left_out = _compare(read_section_items(dataset, filters, stack, value, evals))
    if rule == "overlap":
        found = interval_cliques(members["center"], members["margin"])
        known = int(members["center"].notna().sum())
        m = known * (known - 1) // 2
    else:
        assert wrong is not None
        found = graph_cliques(~wrong.separated(ALPHA))
        m = wrong.tests
    letters = [_letter(number) for number in range(len(found.cliques))]
    members["cliques"] = [
        " ".join(letter for letter, clique in zip(letters, found.cliques, strict=True) if place in clique)
        for place in range(len(evals))
    ]
    differences = None if wrong is None else pair_frame(wrong, left_out, evals, config)
    return Section(
        value=value,
        label=section_label(dataset, stack, value),
        m=m,
        members=members.drop(columns=["token_n", "tokenized_n", "tasks"]),
        cliques=tuple(tuple(evals[place] for place in clique) for clique in found.cliques),
        groups=_groups(members, found, letters),
        pairs=differences,
        complete=found.complete,
        notes=section_notes(members, found, differences, rule=rule, stack=stack),
    )


def _letter(number: int) -> str:
    """Return a, b, ..., z, aa, ab, ... for 0, 1, ..."""
    text = ""
    number += 1
    while number:
        number, digit = divmod(number - 1, 26)
        text = chr(ord("a") + digit) + text
    return text


def _compare(items: SectionItems) -> tuple[Pairwise, Pairwise | None]:
    """Compare all pairs with truncated as wrong and, where any is truncated, with truncated left out."""
    usable = items.paired
    correct, counted = items.correct[:, usable], items.counted[:, usable]
    truncated = items.truncated[:, usable]
    wrong = compare_all(correct, counted + truncated, alpha=ALPHA)
    return wrong, compare_all(correct, counted, alpha=ALPHA) if truncated.any() else None


def pair_frame(
    wrong: Pairwise, left_out: Pairwise | None, evals: list[int], config: DatasetConfig
) -> pd.DataFrame:
    """Return one row per two evals: the difference a minus b in raw accuracy on common items.

    Columns: eval_a, eval_b, name_a, name_b, difference, lower, upper (95%), p, p_adjusted (Holm), separated,
    n_items, left_out (items of either that the other lacks), test; and with truncated left out instead of
    wrong: difference_untruncated, p_adjusted_untruncated.
    """
    names = config.eval_names
    a, b = [evals[place] for place in wrong.first], [evals[place] for place in wrong.second]
    other = wrong if left_out is None else left_out
    return pd.DataFrame(
        {
            "eval_a": a,
            "eval_b": b,
            "name_a": [names[one] for one in a],
            "name_b": [names[one] for one in b],
            "difference": wrong.d,
            "lower": wrong.lower,
            "upper": wrong.upper,
            "p": wrong.p,
            "p_adjusted": wrong.p_adjusted,
            "separated": wrong.p_adjusted < ALPHA,
            "n_items": wrong.n_items,
            "left_out": wrong.left_out,
            "test": list(wrong.test),
            "difference_untruncated": other.d,
            "p_adjusted_untruncated": other.p_adjusted,
        }
    )


def _groups(members: pd.DataFrame, found: Cliques, letters: list[str]) -> pd.DataFrame:
    # Hundreds of cliques are told from lists; a frame of each would take a second at 75 evals.
    names, centers = members["name"].tolist(), members["center"].to_numpy(float)
    tokens = members["mean_tokens"].to_numpy(float)
    rows = []
    for letter, clique in zip(letters, found.cliques, strict=True):
        part = list(clique)
        counted = [place for place in part if not np.isnan(tokens[place])]
        saver = min(counted, key=tokens.__getitem__, default=None)
        known = centers[part][~np.isnan(centers[part])]
        rows.append(
            {
                "clique": letter,
                "members": ", ".join(names[place] for place in part),
                "size": len(part),
                "lowest": known.min() if known.size else np.nan,
                "highest": known.max() if known.size else np.nan,
                "mean_tokens": np.nan,
                "tokens_lower": np.nan,
                "tokens_upper": np.nan,
                "saver": None if saver is None else names[saver],
                "saver_tokens": np.nan if saver is None else tokens[saver],
            }
        )
    columns = ["clique", "members", "size", "lowest", "highest", "mean_tokens", "tokens_lower",
               "tokens_upper", "saver", "saver_tokens"]  # fmt: skip
    return pd.DataFrame(rows, columns=columns)
