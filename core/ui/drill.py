"""From a number to its completions: links to the Completions page whose address carries the selection.

A link is an address like any other: the browser's Back returns to the page it was on, as it was.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from html import escape as as_html
from urllib.parse import urlencode

import streamlit as st

from core.config import Scalar
from core.filters import Filters
from core.tiers.completions import PAIR_NAMES, SORT_NAMES
from core.ui import cache, datasets, filter_texts
from core.ui.sidebar import View

OUTCOMES, ITEMS, LOOPS = "list.outcome", "list.items", "list.loops"
FROM_TOKENS, TO_TOKENS = "list.tokens_from", "list.tokens_to"
PAIR, PAIR_A, PAIR_B = "list.pair", "list.pair_a", "list.pair_b"
SORT = "list.sort"
"""Keys of the list's widgets in the session and in the address of the Completions page."""

COMPARED_A, COMPARED_B = "a", "b"
"""Keys of the two evals on the Compare page."""

OUTCOMES_LINKED = ("correct", "incorrect", "invalid", "truncated")

Tokens = tuple[int | None, int | None]
"""Fewest and most completion tokens, both inclusive."""
Pair = tuple[int, int, str]
"""Two evals and what became of an item in both, one of core.tiers.completions.PAIRS."""


def address(
    view: View,
    *,
    filters: Filters,
    outcomes: Sequence[str] = (),
    items: Sequence[int] = (),
    loops: bool = False,
    tokens: Tokens = (None, None),
    pair: Pair | None = None,
) -> str:
    """Return the address of a list of completions, relative to any page: for link columns.

    Parameters
    ----------
    filters : Filters
        Those of the list, resolved; they need not be the view's.
    outcomes : sequence of str
        Of core.tiers.completions.OUTCOMES; none means all.
    items : sequence of int
        Item ids; none means all.
    loops : bool
        Suspected loops only.
    tokens : tuple
        Fewest and most completion tokens, inclusive; None where there is no limit.
    pair : tuple, optional
        (eval a, eval b, "gained" | "lost" | "both_right" | "both_wrong"): the completions of both on the
        items where a does better, where b does, and so on; see core.tiers.completions.Wanted.
    """
    pairs = [
        (datasets.KEY, view.dataset.config_path.stem),
        *filter_texts.filter_pairs(filters, view.dataset.catalog, cache.offers(view.dataset)),
        *filter_texts.method_pairs(view.methods),
        *[(OUTCOMES, outcome) for outcome in outcomes],
    ]
    if items:
        pairs.append((ITEMS, " ".join(map(str, items))))
    if loops:
        pairs.append((LOOPS, "true"))
    low, high = tokens
    pairs += [(key, str(n)) for key, n in ((FROM_TOKENS, low), (TO_TOKENS, high)) if n is not None]
    if pair is not None:
        names = filter_texts.eval_texts(view.config)
        pairs += [(PAIR_A, names[pair[0]]), (PAIR_B, names[pair[1]]), (PAIR, PAIR_NAMES[pair[2]])]
        # Both answers to an item stand beside each other.
        pairs.append((SORT, SORT_NAMES["item"]))
    return f"completions?{urlencode(pairs)}"


def link(
    view: View,
    label: str,
    *,
    key: str,
    filters: Filters,
    outcomes: Sequence[str] = (),
    items: Sequence[int] = (),
    loops: bool = False,
    tokens: Tokens = (None, None),
    pair: Pair | None = None,
) -> None:
    """Show a small link to a list of completions; the other arguments are those of `address`.

    Parameters
    ----------
    label : str
        Such as "3 completions"; plain text.
    key : str
        Unique on the page.
    """
    href = address(
        view, filters=filters, outcomes=outcomes, items=items, loops=loops, tokens=tokens, pair=pair
    )
    with st.container(key=f"drill {key}"):
        st.html(f'<span style="font-size: 0.875rem">{_anchor(f"{label} →", href)}</span>')


def compare_link(view: View, a: int, b: int, *, key: str) -> None:
    """Show a small link to the comparison of two evals, item by item, under the view's filters.

    Parameters
    ----------
    key : str
        Unique on the page.
    """
    names = filter_texts.eval_texts(view.config)
    pairs = [
        (datasets.KEY, view.dataset.config_path.stem),
        *filter_texts.filter_pairs(view.filters, view.dataset.catalog, cache.offers(view.dataset)),
        *filter_texts.method_pairs(view.methods),
        (COMPARED_A, names[a]),
        (COMPARED_B, names[b]),
    ]
    label = f"Compare {names[a]} with {names[b]} item by item →"
    with st.container(key=f"drill {key}"):
        st.html(f'<span style="font-size: 0.875rem">{_anchor(label, f"compare?{urlencode(pairs)}")}</span>')


def outcome_links(view: View, what: str, *, key: str, filters: Filters) -> None:
    """Show links to all completions of something, and to those of each outcome.

    Parameters
    ----------
    what : str
        Such as "Completions of this cell"; plain text.
    key : str
        Unique on the page.
    filters : Filters
        Those of the list, resolved; see `narrowed`.
    """
    links = [_anchor("all", address(view, filters=filters))]
    links += [_anchor(one, address(view, filters=filters, outcomes=(one,))) for one in OUTCOMES_LINKED]
    with st.container(key=f"drill {key}"):
        st.html(f'<span style="font-size: 0.875rem">{as_html(what)}: {" · ".join(links)}</span>')


def narrowed(
    filters: Filters,
    *,
    eval_id: int | None = None,
    base_task: str | None = None,
    tier: str | None = None,
    surface: str | None = None,
    params: Mapping[str, Sequence[Scalar]] | None = None,
) -> Filters:
    """Return filters narrowed to what a cell or a mark of a chart stands for; None leaves a key as it is."""
    if eval_id is not None:
        filters = replace(filters.without("groups"), eval_id=(eval_id,))
    if base_task is not None:
        filters = replace(filters, base_task=(base_task,))
    if tier is not None:
        filters = replace(filters, tiers=(tier,))
    if surface is not None:
        filters = replace(filters, surfaces=(surface,))
    if params:
        own = {**dict(filters.params), **{name: tuple(values) for name, values in params.items()}}
        filters = replace(filters, params=tuple(sorted(own.items())))
    return filters


def _anchor(label: str, href: str) -> str:
    # An anchor of our own: Streamlit's links to pages keep the filters of the page that one leaves, and its
    # Markdown links open another tab. The label and the address are data, so both are escaped.
    # Not the theme of this run either: the browser changes it without one.
    light, dark = (st.get_option(f"theme.{theme}.linkColor") for theme in ("light", "dark"))
    return f'<a href="{as_html(href)}" style="color: light-dark({light}, {dark})">{as_html(label)}</a>'
