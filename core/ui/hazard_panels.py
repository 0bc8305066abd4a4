"""Hazard on screen: a panel per group, the table of a smaller budget, and evals beside each other."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from core.errors import ReasonScapeError
from core.tiers import hazard as tier
from core.tiers.hazard import Comparison, Curves, Difference, Group, Hazard
from core.tiers.hazard.groups import group_filters
from core.tiers.hazard.words import points_range, share_range
from core.tiers.words import EM_DASH
from core.ui import download, drill, figure, hazard, hazard_controls, states
from core.ui.cache import Spec
from core.ui.sidebar import View
from core.ui.wording import count, escape

HOW_TO_READ = (
    "Read a picture at any number of tokens as if the model had to stop there: **blue, from below,** has"
    " answered correctly, **red, from above,** incorrectly or unreadably, and **grey, between them,** is"
    " still thinking: not at its end yet (yellow ticks: cut off). The points under it are per bucket of"
    " tokens: of those still thinking at its start, the shares that answer in it; where red stands above"
    " blue, an answer that comes then is more often wrong than right. Shaded: 95% intervals; faded: few are"
    " left. The lines go through the tokens at which completions ended, whatever the bucket."
)

INCIDENCE_HEIGHT, HAZARD_HEIGHT = 210, 110


def show_panels(view: View, found: Hazard, specs: Sequence[tuple[Spec, Spec]]) -> None:
    """Show the pictures of groups, two beside each other, row by row."""
    panels = list(zip(found.curves, specs, strict=True))
    for first in range(0, len(panels), 2):
        row = panels[first : first + 2]
        for column, (curves, pair) in zip(
            st.columns(2) if len(panels) > 1 else [st.container()], row, strict=False
        ):
            with column, st.container(gap="xsmall"):
                _show_panel(view, found, curves, pair, first)


def _show_panel(view: View, found: Hazard, curves: Curves, pair: tuple[Spec, Spec], row: int) -> None:
    group = curves.group
    st.markdown(f"**{escape(group.title)}** ({escape(tier.n_words(curves))})")
    st.caption(escape(tier.aids_sentence(curves, found.methods)))
    for told in tier.explanations(curves):
        st.info(escape(told), icon=":material/info:")
    for kind, spec, height in zip(
        ("incidence", "hazard"), pair, (INCIDENCE_HEIGHT, HAZARD_HEIGHT), strict=True
    ):
        screen: dict[str, Any] = figure.screen_spec(spec, height)
        words = screen.pop("description")
        st.vega_lite_chart(
            spec=screen, theme=None, width="stretch", key=f"{kind} {row} {group.title}", alt=words
        )
    _links(view, found, curves)


def _links(view: View, found: Hazard, curves: Curves) -> None:
    """Link to the late wrong answers and to what was cut off, where there are any."""
    turn = tier.wrong_past(curves, found.methods)
    filters = group_filters(view.filters, found.split, curves.group)
    cut = int(curves.observed.table.censored.sum())
    with st.container(horizontal=True, gap="small"):
        if turn is not None and turn.told and turn.tokens:
            drill.link(
                view,
                f"Wrong answers past {turn.tokens:,} tokens",
                key=f"late {curves.group.number}",
                filters=filters,
                outcomes=("incorrect", "invalid"),
                tokens=(turn.tokens + 1, None),
            )
        if cut:
            drill.link(
                view,
                f"{count(cut, 'completion')} cut off",
                key=f"cut {curves.group.number}",
                filters=filters,
                outcomes=("truncated",),
            )


def budget_table(found: Hazard, budget: int) -> pd.DataFrame:
    """Return what a budget would do to each group, as texts."""
    rows = []
    for curves in found.curves:
        cost = tier.budget_cost(curves, found.methods, budget)
        rows.append(
            {
                "group": curves.group.title,
                "n": curves.n,
                f"accuracy within {budget:,}": share_range(cost.accuracy),
                "accuracy as it is": share_range(cost.full),
                "cost": points_range(cost.cost) if budget < curves.reach else "none: nothing is longer",
            }
        )
    return pd.DataFrame(rows)


def budget_sentence(found: Hazard, budget: int) -> str:
    """Return what a budget would cost, in a sentence."""
    costs = [(tier.budget_cost(curves, found.methods, budget).cost, curves) for curves in found.curves]
    worst, where = max(costs, key=lambda pair: pair[0].value)
    would = f"A budget of {count(budget, 'token')} would cost"
    if len(costs) == 1:
        return f"{would} {points_range(worst)} of accuracy."
    most = f"most in {where.group.title}: {points_range(worst)}"
    free = sum(cost.value == 0 for cost, _ in costs)
    if free == len(costs):
        return f"{would} nothing seen in any of the {free} groups."
    if not free:
        return f"{would} accuracy in all {len(costs)} groups, {most}."
    return f"{would} nothing seen in {free} of {len(costs)} groups, {most}."


def show_budget(found: Hazard, budget: int) -> None:
    """Show what a smaller budget would cost each group."""
    st.markdown(f"**{escape(budget_sentence(found, budget))}**")
    st.dataframe(
        budget_table(found, budget),
        hide_index=True,
        alt=f"Accuracy of each group shown with a budget of {budget:,} tokens and without, with intervals",
    )
    st.caption(
        "Accuracy: share of all completions answered correctly, raw, those cut off counted as wrong;"
        " cost in percentage points. In square brackets: 95% intervals."
    )


def show_comparison(
    view: View,
    split: tuple[str, ...],
    evals: Sequence[int],
    parts: Sequence[Group],
    bucket_size: int,
    budget: int,
    *,
    dark: bool,
) -> None:
    """Show evals in one chart, with their differences at the budget and, on request, log-rank tests."""
    if len(evals) < 2:
        st.caption("Only one eval is selected: lift the filter on evals to compare.")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = hazard_controls.choose_evals(view, evals)
        part = hazard_controls.choose_part(parts)
        log_rank = st.toggle(
            "Log-rank tests", key="log_rank", bind="query-params", help="Whether two hazards are the same."
        )
    asked = (view.dataset, view.filters, view.methods, chosen, split, part, bucket_size)
    try:
        compared = hazard.comparison(*asked)
    except ReasonScapeError as fault:
        states.no_rows(str(fault))
        return
    spec = hazard.comparison_spec(*asked, budget, dark=dark)
    figure.show(spec, key="hazard_compare", height=300)
    st.dataframe(
        comparison_table(compared, hazard.differences(*asked, budget), log_rank=log_rank),
        hide_index=True,
        placeholder=EM_DASH,
        alt=f"Share answered correctly within {budget:,} tokens by each eval, and difference to the first",
    )
    st.caption(
        escape(
            f"Within {budget:,} tokens. Difference to {view.config.eval_names[compared.evals[0]]}: in points"
            " of a percent, paired on the items both answered, with its 95% interval; an em dash where an"
            f" eval was not followed so far.{f' {tier.WARNING}' if log_rank else ''}"
        )
    )
    download.row(*hazard.comparison_downloads(view, compared, budget, log_rank=log_rank, dark=dark))


def comparison_table(compared: Comparison, found: Sequence[Difference], *, log_rank: bool) -> pd.DataFrame:
    """Return the evals at a budget as texts, a row each."""
    names = compared.hazard.config.eval_names
    tests = {(test.eval_id, test.cause): test for test in tier.logranks(compared)} if log_rank else {}
    rows = []
    for row, curves in zip(found, compared.hazard.curves, strict=True):
        line: dict[str, Any] = {
            "eval": names[row.eval_id],
            "n": curves.n,
            "correct by then": EM_DASH if row.accuracy is None else share_range(row.accuracy),
            "difference": EM_DASH if row.difference is None else points_range(row.difference),
            "common items": row.common_items,
        }
        if log_rank:
            for cause in ("correct", "incorrect"):
                test = tests.get((row.eval_id, cause))
                line[f"log-rank, {cause} (m = {len(tests)})"] = (
                    EM_DASH if test is None or pd.isna(test.p) else f"χ² {test.chi2:.1f}, p {test.p_holm:.2g}"
                )
        rows.append(line)
    return pd.DataFrame(rows)
