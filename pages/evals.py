"""Evals: what was evaluated, which tiers it covers, and what its tokens say."""

import streamlit as st

from core.errors import ReasonScapeError
from core.tiers.evals_words import summary
from core.ui import cache, download, drill, eval_table, sidebar, states
from core.ui.wording import count, escape

view = sidebar.current(show_unmatched=True)

first = st.container()
search = st.text_input(
    "Search",
    key="evals_search",
    bind="query-params",
    type="search",
    placeholder="Label, model, template, sampler, group or hf_id",
    width=420,
)
try:
    # The table offers every eval that the other filters leave: its selected rows are the eval filter.
    table = cache.evals(view.dataset, view.filters.without("eval_id"), search or "")
except ReasonScapeError as fault:
    states.stop(fault)

first.markdown(f"**{escape(summary(table, view.filters.evals(view.config)))}**")
if table.problems:
    marker = "- " if len(table.problems) > 1 else ""
    st.warning("\n".join(marker + escape(problem) for problem in table.problems), icon=":material/info:")
if len(table.unmatched):
    with st.expander(f"Points that match no eval: {count(len(table.unmatched), 'identity', 'identities')}"):
        st.dataframe(table.unmatched, hide_index=True, alt="Identities in the database that no eval takes")
        download.row(download.csv(view, "unmatched", table.unmatched))
if table.frame.empty:
    states.no_rows(f"No eval has “{search}” in its label, model, template, sampler, groups or hf_id.")
    st.stop()

st.caption(f"{count(len(table.frame), 'eval')}. Select rows to filter every page to them.")
shown = eval_table.show(table)
drill.outcome_links(view, "Completions of the selection", key="evals", filters=view.filters)
download.row(download.csv(view, "evals", shown))

tokens = table.tokens.drop(columns=["name"])
st.subheader("Tokens")
if tokens["tests"].any():
    st.caption(
        (
            "Visible tokens, counted by tokenising the response text"
            if table.visible_tokens
            else "Reported tokens"
        )
        + "; per task the average of correct and of incorrect completions."
    )
    st.dataframe(
        tokens,
        column_config=eval_table.token_columns(tokens),
        hide_index=True,
        placeholder="—",
        alt="Token statistics of each eval",
    )
    download.row(download.csv(view, "tokens", tokens))
else:
    st.caption("This dataset has no token counts.")

if view.config.tiers:
    st.subheader("Tiers")
    definitions = eval_table.tier_definitions(view.config)
    st.dataframe(definitions, hide_index=True, alt="What each tier takes of each task")
    download.row(download.csv(view, "tiers", definitions))
