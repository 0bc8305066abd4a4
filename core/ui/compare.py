"""The Compare page's choices, cached results and downloads."""

import functools
from dataclasses import dataclass

import streamlit as st

from core import charts
from core.filters import Filters
from core.store.dataset import Dataset
from core.tiers import compare as tier
from core.tiers.compare import Against, Comparison, Lengths
from core.tiers.files import bundled
from core.tiers.methods import Methods
from core.ui import address, sidebar
from core.ui.cache import Spec, kept
from core.ui.download import MIME, Download
from core.ui.filter_texts import eval_texts
from core.ui.sidebar import View

A, B, WITH = "a", "b", "compare_with"
ONE, ALL = "one", "all"
_WITH_NAMES = {ONE: "One other", ALL: "All others"}

FORMAT_NAMES = {"markdown": "Markdown", "json": "JSON", "csv": "CSV", "png": "Forest PNG"}


@dataclass(frozen=True)
class Choice:
    """What someone chose to compare; b is None for A against all others."""

    a: int
    b: int | None
    measure: str
    rule: str


def choose(view: View) -> Choice:
    """Show the controls and return what they say; ends the page where there are no two evals."""
    offered = tier.offered_evals(view.dataset, view.filters)
    if len(offered) < 2:
        _too_few(view, offered)
    best = ranked(view.dataset, view.filters)
    names = eval_texts(view.config)
    for key in (A, B):
        address.name_unknown(key, [names[one] for one in offered], "an eval")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        against = st.segmented_control(
            "Compare A with",
            [ONE, ALL],
            default=ONE,
            required=True,
            format_func=_WITH_NAMES.__getitem__,
            key=WITH,
            bind="query-params",
        )
        a = _choose_eval("A", A, offered, best, names)
        if against != ALL:
            st.button(
                "Swap",
                key="swap",
                icon=":material/swap_horiz:",
                help="A becomes B, and B becomes A",
                on_click=_swap,
                args=(best, a),
            )
            b = _choose_eval("B", B, [one for one in offered if one != a], best, names)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        measure = st.segmented_control(
            "Measure",
            tier.MEASURES,
            default=tier.MEASURES[0],
            required=True,
            format_func=tier.MEASURE_NAMES.__getitem__,
            key="measure",
            bind="query-params",
            help="Share of correct completions; the same divided by 1 − the chance of guessing right; or the"
            " mean score, with partial credit.",
        )
        rule = st.segmented_control(
            "Truncated completions",
            tier.RULES,
            default=tier.RULES[0],
            required=True,
            format_func=tier.RULE_NAMES.__getitem__,
            key="truncated",
            bind="query-params",
            help="Both results are computed, and the page says where they disagree; this is the one shown.",
        )
    chosen = None if against == ALL else b
    return Choice(a, chosen, measure or tier.MEASURES[0], rule or tier.RULES[0])


def _choose_eval(label: str, key: str, offered: list[int], best: list[int], names: dict[int, str]) -> int:
    first = next(one for one in best if one in offered)
    chosen = st.selectbox(
        label,
        offered,
        index=offered.index(first),
        format_func=names.__getitem__,
        key=key,
        bind="query-params",
        width=290,
    )
    return first if chosen is None else chosen


def _swap(best: list[int], a: int) -> None:
    b = st.session_state.get(B)
    st.session_state[A] = next(one for one in best if one != a) if b is None else b
    st.session_state[B] = a


def _too_few(view: View, offered: list[int]) -> None:
    st.subheader("A comparison needs two evals")
    if view.filters.eval_id or view.filters.groups:
        st.markdown("The filters leave fewer than two evals with results.")
        for key in ("eval_id", "groups"):
            if getattr(view.filters, key):
                words = "All evals again" if key == "eval_id" else "All groups again"
                st.button(
                    words,
                    key=f"lift {key} to compare",
                    icon=":material/filter_alt_off:",
                    on_click=sidebar.lift,
                    args=(key,),
                )
    else:
        have = "one eval" if offered else "no eval"
        st.markdown(
            f"Only {have} of this dataset has results here. Import another model, template or sampler, or a"
            " second run of the same one kept apart with `--set model=NAME`."
        )
    st.stop()


@kept("Looking for the pair to begin with …")
def ranked(dataset: Dataset, filters: Filters) -> list[int]:
    """Return the evals to compare, the best first."""
    return tier.ranked_evals(dataset, filters)


@kept("Comparing item by item …")
def comparison(dataset: Dataset, filters: Filters, a: int, b: int, *, measure: str) -> Comparison:
    """Return A against B."""
    return tier.read_comparison(dataset, filters, a, b, measure=measure)


@kept("Comparing with every other eval, item by item …")
def against(dataset: Dataset, filters: Filters, a: int, *, measure: str) -> Against:
    """Return A against all others."""
    return tier.read_against(dataset, filters, a, measure=measure)


@kept("Cutting responses into fifths by length …")
def lengths(dataset: Dataset, filters: Filters, methods: Methods, a: int, b: int, *, rule: str) -> Lengths:
    """Return accuracy by length of response."""
    return tier.read_lengths(dataset, filters, methods, a, b, rule=rule)


@kept("Drawing the differences …")
def pair_chart(
    dataset: Dataset, filters: Filters, a: int, b: int, *, measure: str, rule: str, page: int, dark: bool
) -> Spec:
    """Return the specification of the forest plot of A against B."""
    found = comparison(dataset, filters, a, b, measure=measure)
    return charts.to_spec(tier.forest_chart(found, rule, page=page, dark=dark))


@kept("Drawing the differences …")
def against_chart(
    dataset: Dataset, filters: Filters, a: int, *, measure: str, rule: str, page: int, dark: bool
) -> Spec:
    """Return the specification of the forest plot of A against all others."""
    found = against(dataset, filters, a, measure=measure)
    return charts.to_spec(tier.forest_chart(found, rule, page=page, dark=dark))


@kept("Drawing accuracy by length …")
def length_chart(
    dataset: Dataset, filters: Filters, methods: Methods, a: int, b: int, *, rule: str, dark: bool
) -> Spec:
    """Return the specification of the chart of accuracy by length of response."""
    return charts.to_spec(tier.length_chart(lengths(dataset, filters, methods, a, b, rule=rule), dark=dark))


def downloads(view: View, result: Comparison | Against, rule: str) -> list[Download]:
    """Return what is compared, one download per format: what the command line writes."""
    made = []
    for form, label in FORMAT_NAMES.items():
        name = tier.result_files(result, [], view.named_filters, view.methods, form, rule=rule)[0].name
        several = form == "png" and tier.pages(result, rule) > 1
        made.append(
            Download(
                f"{label} (ZIP)" if several else label,
                name.removesuffix(".png") + "_png.zip" if several else name,
                functools.partial(_make, view, result, rule, form),
                MIME["zip" if several else form],
            )
        )
    return made


def _make(view: View, result: Comparison | Against, rule: str, form: str) -> bytes:
    found = [
        tier.read_lengths(view.dataset, view.filters, view.methods, result.a, result.b, rule=one)
        for one in tier.RULES
        if isinstance(result, Comparison) and form in ("json", "markdown")
    ]
    files = tier.result_files(result, found, view.named_filters, view.methods, form, rule=rule)
    return bundled(files)
