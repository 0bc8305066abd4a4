"""The controls of the list of completions: search, outcome, order, and further conditions."""

import streamlit as st

from core.config import is_number
from core.tiers import completions as tier
from core.tiers.loops import LEAST_BYTES, LOOP_RATIO
from core.ui import address, cache, drill, filter_texts
from core.ui import completions as page
from core.ui.sidebar import View
from core.ui.wording import escape

_CONDITIONS = (
    drill.ITEMS, drill.LOOPS, drill.FROM_TOKENS, drill.TO_TOKENS, drill.PAIR, page.RANGED, page.FLAGGED,
)  # fmt: skip
_OPEN = "_list_conditions_open"


def show(view: View) -> None:
    """Draw the controls; core.ui.completions.read_wanted reads them."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input(
            "Search in the text",
            key=page.SEARCH,
            bind="query-params",
            type="search",
            placeholder="A plain substring",
            width=300,
        )
        st.selectbox(
            "Search in",
            tier.SEARCHED,
            format_func=tier.SEARCHED_NAMES.__getitem__,
            key=page.SEARCHED,
            bind="query-params",
            width=220,
        )
        st.toggle("Match case", key=page.CASE, bind="query-params")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.pills(
            "Outcome",
            tier.OUTCOMES,
            selection_mode="multi",
            key=drill.OUTCOMES,
            bind="query-params",
            wrap=True,
        )
        st.selectbox(
            "Sort by",
            tier.SORTS,
            format_func=tier.SORT_NAMES.__getitem__,
            key=drill.SORT,
            bind="query-params",
            width=220,
        )
        st.toggle("Largest first", key=page.DESCENDING, bind="query-params")
    with st.expander("More conditions", icon=":material/tune:", expanded=_open()):
        _conditions(view)


def _open() -> bool:
    if _OPEN not in st.session_state:
        st.session_state[_OPEN] = any(key in st.query_params for key in _CONDITIONS)
    return bool(st.session_state[_OPEN])


def _conditions(view: View) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        _number("Tokens from", drill.FROM_TOKENS, "0")
        _number("Tokens to", drill.TO_TOKENS, "no limit")
        st.text_input(
            "Items",
            key=drill.ITEMS,
            bind="query-params",
            placeholder="12 15",
            width=200,
            help="Numbers of items, as the list and the links to it give them.",
        )
        st.toggle("Flagged only", key=page.FLAGGED, bind="query-params")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        loops = st.toggle(
            "Suspected loops only",
            key=drill.LOOPS,
            bind="query-params",
            help="Long responses that compress to next to nothing: the model probably repeated itself.",
        )
        if loops:
            _number("Bytes at least", page.LOOP_BYTES, f"{LEAST_BYTES:,}", least=1)
            st.number_input(
                "Compressed to less than, %",
                min_value=1.0,
                max_value=100.0,
                value=None,
                step=1.0,
                placeholder=f"{100 * LOOP_RATIO:g}",
                key=page.LOOP_PERCENT,
                bind="query-params",
                width=210,
            )
    _pair(view)
    _ranges(view)


def _number(label: str, key: str, placeholder: str, least: int = 0) -> None:
    st.number_input(
        label,
        min_value=least,
        value=None,
        step=1,
        placeholder=placeholder,
        key=address.whole_number(key),
        bind="query-params",
        width=150,
    )


def _pair(view: View) -> None:
    names = filter_texts.eval_texts(view.config)
    if len(names) < 2:
        return
    for key in (drill.PAIR_A, drill.PAIR_B):
        address.name_unknown(key, list(names.values()), "an eval")
    address.name_unknown(drill.PAIR, list(tier.PAIR_NAMES.values()), "items of a pair")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        for label, key in (("First eval of a pair", drill.PAIR_A), ("Second eval", drill.PAIR_B)):
            st.selectbox(
                label,
                list(names),
                index=None,
                format_func=lambda one: names.get(one, str(one)),
                key=key,
                bind="query-params",
                placeholder="No pair",
                width=240,
            )
        st.selectbox(
            "Items of the pair",
            tier.PAIRS,
            index=None,
            format_func=tier.PAIR_NAMES.__getitem__,
            key=drill.PAIR,
            bind="query-params",
            placeholder="All",
            width=200,
            help="Of items that both have, truncated counted as wrong. The pair replaces the eval filter.",
        )


def _ranges(view: View) -> None:
    params = cache.offers(view.dataset).params
    numeric = [
        name
        for name, by_task in params.items()
        if any(is_number(value) for values in by_task.values() for value in values)
    ]
    if not numeric:
        return
    chosen = st.multiselect(
        "Ranges of params", numeric, key=page.RANGED, bind="query-params", placeholder="None", width=420
    )
    for name in chosen:
        with st.container(horizontal=True, vertical_alignment="bottom"):
            for word, prefix in (("from", page.LEAST), ("to", page.MOST)):
                st.number_input(
                    f"{escape(name)} {word}",
                    value=None,
                    step=1.0,
                    format="%g",
                    placeholder="no limit",
                    key=prefix + name,
                    bind="query-params",
                    width=180,
                )
