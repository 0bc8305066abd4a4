"""Scores: who is better, with intervals, shared ranks and the numbers behind every cell."""

import functools

import streamlit as st

from core.errors import ReasonScapeError
from core.tiers.scores import explain_cell, explain_score, export_frame, interval_chart, leaderboard_image
from core.ui import address, cache, download, drill, figure, leaderboard, sidebar, states
from core.ui.fragment import fragment
from core.ui.wording import escape

view = sidebar.current()
names = view.config.eval_names
dark = figure.is_dark()

summary = st.container()
offered = view.filters.evals(view.config)
address.name_unknown("baseline", [names[one] for one in offered], "a baseline")
with st.container(horizontal=True, vertical_alignment="bottom"):
    baseline = st.selectbox(
        "Compare with",
        offered,
        index=None,
        format_func=names.__getitem__,
        key="baseline",
        bind="query-params",
        placeholder="No baseline",
        width=300,
        help="Every other row then shows its difference in accuracy on the items that both answered.",
    )
    by_tier = bool(view.config.tiers) and st.toggle("A column per tier", key="by_tier", bind="query-params")
    rank_incomplete = st.toggle(
        "Rank incomplete evals",
        key="rank_incomplete",
        bind="query-params",
        help="Rank evals that lack a cell too, on the cells they have. They are marked *.",
    )

try:
    board = cache.scores(view.dataset, view.filters, view.methods, rank_incomplete=rank_incomplete)
    chart = cache.score_chart(
        view.dataset, view.filters, view.methods, rank_incomplete=rank_incomplete, dark=dark
    )
    pinned = None if baseline is None else cache.differences(view.dataset, view.filters, baseline)
except ReasonScapeError as fault:
    states.stop(fault)

with summary:
    st.markdown(f"**{escape(board.summary())}**")
    if len(first_two := board.first_two()) == 2:
        st.caption("Evals share a rank while their intervals overlap; item by item they may still differ.")
        drill.compare_link(view, *first_two, key="first two")
clicked = figure.show(
    chart, key="score_chart", height=leaderboard.chart_height(len(board.rows)), fields=("eval_id",)
)
if clicked:
    eval_id = int(clicked["eval_id"])
    chosen = drill.narrowed(view.filters, eval_id=eval_id)
    drill.outcome_links(view, f"Completions of {names[eval_id]}", key="chart", filters=chosen)
download.row(download.png(view, "scores", functools.partial(interval_chart, board, dark=dark)))


@fragment
def show_table() -> None:
    """Show the leaderboard and explain the selected cell; a selection runs only this."""
    table = leaderboard.screen_table(board, by_tier=by_tier, differences=pinned, baseline=baseline, dark=dark)
    asked = view.dataset.fingerprint, view.filters, view.methods, by_tier, rank_incomplete
    st.subheader("Leaderboard")
    st.caption(
        "A cell reads center - upper of its 95% interval, [-share truncated] above 2%, shaded by accuracy."
        " **Select a cell to see where its number comes from.**"
    )
    event = st.dataframe(
        table.styler,
        column_config=table.columns,
        hide_index=True,
        height=table.height,
        placeholder="—",
        on_select="rerun",
        selection_mode="single-cell",
        # Another table is another widget: a selection never stays on a row that has moved.
        key=f"leaderboard {hash(asked)}",
        alt=f"Leaderboard of {len(board.rows)} evals: rank, scores and a cell per task",
    )
    if found := leaderboard.selected(event, table, board):
        explain(*found)
    rows = functools.partial(export_frame, board, differences=pinned)
    image = functools.partial(leaderboard_image, board, by_tier=by_tier, dark=dark)
    download.row(
        download.csv(view, "leaderboard", rows),
        download.png(view, "leaderboard", image),
    )


def explain(eval_id: int, cell: leaderboard.Cell | None) -> None:
    """Show how a number came about."""
    with st.container(border=True):
        title, lines = names[eval_id], explain_score(board, eval_id)
        if cell is not None:
            task, tier = cell
            lines = explain_cell(board, eval_id, task, tier)
            parts = [view.config.task_label(task), *([view.config.tier_label(tier)] if tier else [])]
            title = ", ".join([title, *parts])
        st.markdown(f"**{escape(title)}**")
        st.table({escape(what): escape(how) for what, how in lines}, border="horizontal")
        task, tier = cell or (None, None)
        filters = drill.narrowed(view.filters, eval_id=eval_id, base_task=task, tier=tier)
        drill.outcome_links(view, "Completions behind this", key="cell", filters=filters)


@fragment
def show_draws() -> None:
    """Show rank sets when asked for: they take a second or two, and concern nothing else."""
    if not st.toggle(
        "Rank sets and chance of being first",
        key="draws",
        bind="query-params",
        help="From paired draws of the items: which ranks an eval may have, and how often it comes first.",
    ):
        return
    try:
        drawn = cache.draws(view.dataset, view.filters, view.methods, rank_incomplete=rank_incomplete)
    except ReasonScapeError as fault:
        states.error(fault)
        return
    frame = leaderboard.draws_frame(drawn, names)
    st.dataframe(
        frame,
        column_config={"P(first)": st.column_config.NumberColumn(format="%.2f")},
        hide_index=True,
        alt="Rank set and chance of being first of each eval",
    )
    st.caption(escape(f"{drawn.method}."))
    download.row(download.csv(view, "rank-sets", frame))


show_table()
show_draws()
states.notes(board.notes)
