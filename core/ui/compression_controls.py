"""The choices of the Compression page, bound to the address."""

import streamlit as st

from core.errors import FilterError
from core.tiers import compression as tier
from core.tiers.compression import Options
from core.tiers.loops import LEAST_BYTES, LOOP_RATIO, LoopRule
from core.tiers.split import dimensions
from core.ui import address, states
from core.ui.sidebar import View

NOT_SPLIT = "none"
STACKS = {"none": "All evals together", "eval_id": "Each eval apart"}
LENGTH_NAMES = {"auto": "Auto", "tokens": "Tokens", "bytes": "Bytes"}


def choose(view: View) -> tuple[str | None, Options]:
    """Show the choices and return the dimension to split by, None for no split, and the options."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        splits = [*dimensions(view.dataset), NOT_SPLIT]
        dimension = st.selectbox(
            "Split by",
            splits,
            index=splits.index("base_task"),
            key="compression_split",
            bind="query-params",
            width=160,
            help="Panels, figures and files for each value.",
        )
        offered = tier.offered_series(view.dataset)
        series = st.selectbox(
            "Colour by",
            offered,
            index=offered.index(tier.default_series(view.dataset)),
            key="compression_series",
            bind="query-params",
            width=160,
        )
        stack = st.segmented_control(
            "Panels of",
            list(STACKS),
            default="none",
            required=True,
            format_func=STACKS.__getitem__,
            key="compression_stack",
            bind="query-params",
        )
        length = st.segmented_control(
            "Length in",
            list(LENGTH_NAMES),
            default="auto",
            required=True,
            format_func=LENGTH_NAMES.__getitem__,
            key="compression_length",
            bind="query-params",
            help="Auto: tokens; bytes where there are none, or where reported tokens include reasoning that"
            " the text lacks.",
        )
    rule = _choose_rule(view)
    options = Options(stack == "eval_id", series, length or "auto", rule)
    return None if dimension == NOT_SPLIT else dimension, options


def _choose_rule(view: View) -> LoopRule:
    tasks = {task: view.config.task_label(task) for task in view.dataset.catalog.base_tasks}
    with (
        st.expander("What counts as a suspected loop", icon=":material/repeat:"),
        st.container(horizontal=True, vertical_alignment="bottom"),
    ):
        least = st.number_input(
            "At least bytes",
            min_value=1,
            value=LEAST_BYTES,
            step=100,
            key=address.whole_number("loop_bytes"),
            bind="query-params",
            width=160,
        )
        ratio = st.number_input(
            "Compressed to less than",
            min_value=0.01,
            max_value=1.0,
            value=LOOP_RATIO,
            step=0.01,
            format="%.2f",
            key="loop_ratio",
            bind="query-params",
            width=200,
            help="Compressed bytes as a share of all bytes, zlib level 6.",
        )
        left_out = st.multiselect(
            "Leave out tasks",
            list(tasks),
            format_func=lambda task: tasks.get(task, task),
            key="loop_left_out",
            bind="query-params",
            placeholder="None",
            width=340,
            help="Tasks whose right answers repeat. To keep it so for everyone, give the task a loop_ratio in"
            " the config: its own limit, 0 for never.",
        )
    try:
        return LoopRule(int(least), float(ratio), tuple(left_out))
    except FilterError as fault:
        states.stop(fault)
