"""Cluster: who is indistinguishable, and which of them spends the fewest tokens."""

import functools

import streamlit as st

from core.errors import ReasonScapeError
from core.tiers import cluster as tier
from core.tiers.split import dimensions
from core.ui import cache, cluster, download, figure, linked_table, sidebar, states
from core.ui.wording import apart, escape, said_as

view = sidebar.current()
dark = figure.is_dark()

summary = st.container()
with st.container(horizontal=True, vertical_alignment="bottom"):
    stacks = tier.stacks(view.dataset)
    stack = st.segmented_control(
        "A section per",
        stacks,
        default=stacks[0],
        required=True,
        format_func=tier.STACK_NAMES.__getitem__,
        key="stack",
        bind="query-params",
    )
    rule = st.segmented_control(
        "Rule",
        tier.RULES,
        default=tier.RULES[0],
        required=True,
        format_func=tier.RULE_NAMES.__getitem__,
        key="rule",
        bind="query-params",
    )
    dimension = st.selectbox(
        "Split by",
        dimensions(view.dataset),
        index=None,
        key="cluster_split",
        bind="query-params",
        placeholder="Not split",
        width=180,
        help="One value at a time; the downloads then have a file per value.",
    )
    pairs = st.toggle(
        "Pairwise differences",
        key="pairs",
        bind="query-params",
        help="The difference of every two evals on their common items, with its interval.",
    )
stack, rule = stack or stacks[0], rule or tier.RULES[0]

try:
    part = None
    if dimension is not None:
        parts = {str(one.value): one for one in cache.splits(view.dataset, view.filters, dimension)}
        labels = apart(parts, [one.label for one in parts.values()])
        chosen = st.selectbox(
            dimension,
            list(parts),
            format_func=labels.__getitem__,
            key="cluster_part",
            bind="query-params",
            width=320,
        )
        part = parts.get(str(chosen)) or next(iter(parts.values()), None)
    filters = part.filters if part else view.filters
    found = cluster.clusters(view.dataset, filters, view.methods, stack=stack, rule=rule, pairs=pairs)
except ReasonScapeError as fault:
    states.stop(fault)

summary.markdown(f"**{escape(tier.summary(found))}**")
st.caption(escape(f"{tier.rule_sentence(found)} {tier.RULE_WORDS[rule]}"))
if view.filters.eval_id:
    st.button(
        "All evals again",
        key="all_evals",
        icon=":material/filter_alt_off:",
        type="tertiary",
        on_click=sidebar.lift,
        args=("eval_id",),
    )

if len(found.sections) > 1:
    overview = tier.overview_frame(found)
    st.subheader("At a glance")
    st.caption(
        "Center of the 95% interval and the letters of the eval's cliques; evals that share a letter are not"
        " separated."
    )
    st.dataframe(
        overview,
        column_config={"eval": st.column_config.TextColumn("Eval", pinned=True, width=260)},
        hide_index=True,
        height=linked_table.height(len(overview), cluster.SHORT),
        alt="Center and cliques of each eval in each section",
    )

names = apart([one.value for one in found.sections], [one.label for one in found.sections])
with st.container(horizontal=True, vertical_alignment="bottom"):
    value = st.selectbox(
        tier.STACK_NAMES[stack].capitalize(),
        list(names),
        format_func=said_as(names),
        key="section",
        bind="query-params",
        width=320,
    )
    section = cluster.section(
        view.dataset, filters, view.methods, stack=stack, rule=rule, pairs=pairs,
        value=found.section(value or found.sections[0].value).value,
    )  # fmt: skip
    total = tier.pages(section)
    page = st.pagination(total, key="cluster_page", bind="query-params") - 1 if total > 1 else 0

st.markdown(f"**{escape(section.label)}.** {escape(tier.section_sentence(section))}")
chart = cluster.chart(
    view.dataset, filters, view.methods, stack=stack, rule=rule, pairs=pairs, value=section.value, page=page,
    dark=dark,
)  # fmt: skip
clicked = figure.show(
    chart, key="cluster_chart", height=tier.screen_height(section, page), fields=("eval_id",)
)
cluster.show_links(view, filters, stack, section, clicked)
place = (stack, section.value, *([f"page-{page + 1}"] if total > 1 else []))
image = functools.partial(tier.section_chart, found, section, page=page, dark=dark)
download.row(download.png(view, "cluster", image, parts=place))

st.subheader(f"Which model should I take: {escape(section.label)}?")
visible = found.visible_tokens
st.markdown(escape(tier.recommendation(section, visible_tokens=visible)))
st.dataframe(
    tier.choice_frame(section, visible_tokens=visible),
    hide_index=True,
    alt=f"Top clique of {section.label}, fewest tokens first",
)

st.subheader("Cliques")
st.caption("Select a clique to filter every page to its members. Token intervals: 95%, items as the sample.")
cluster.show_cliques(found, section)
with st.expander(f"All evals of {escape(section.label)}"):
    st.dataframe(
        tier.member_frame(section, visible_tokens=visible),
        hide_index=True,
        alt=f"Accuracy, interval, cliques and tokens of each eval in {section.label}",
    )

if pairs:
    cluster.show_pairs(view, section, stack)

states.notes([*section.notes, f"{view.methods.sentence()}."])

st.subheader("All sections")
download.row(*cluster.downloads(view, found, part, pairs=pairs))
if dimension is not None:
    download.row(*cluster.split_downloads(view, dimension, stack=stack, rule=rule, pairs=pairs))
