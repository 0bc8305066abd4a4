"""The Compare page's tables and counts, each number of items a link to its completions."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pandas as pd
import streamlit as st

from core.filters import Filters
from core.store.membership import axis_position
from core.tiers import compare as tier
from core.tiers.compare import Against, Comparison
from core.ui import compare, drill, linked_table
from core.ui.sidebar import View
from core.ui.wording import count, escape

LINKED = ("both_right", "gained", "lost", "both_wrong")
CELL_ROWS = 12
NOT_LINKED = (
    "To open the completions behind these numbers, count truncated completions as wrong and measure accuracy:"
    " the lists hold those items."
)


def linked(found: Comparison, rule: str) -> bool:
    """Whether the counts are those of the lists that links open."""
    return rule == "wrong" and found.measure != "score"


def show_counts(view: View, found: Comparison, rule: str) -> None:
    """Show what became of the common items: four counts, each with the link to its completions."""
    row = found.overall(rule)
    with st.container(horizontal=True):
        for kind in LINKED:
            with st.container(width=165, gap="xsmall"):
                words = escape(f"Items: {tier.COUNT_WORDS[kind]}")
                st.metric(tier.COUNTS[kind], f"{row[kind]:,}", help=words, border=True)
                if linked(found, rule) and row[kind]:
                    pair = (found.a, found.b, kind)
                    drill.link(view, "Completions", key=f"overall {kind}", filters=found.filters, pair=pair)
    if not linked(found, rule):
        st.caption(NOT_LINKED)


def show_both_rules(found: Comparison) -> None:
    """Show the overall result under both truncation rules."""
    rows = pd.concat([found.of("overall", rule) for rule in tier.RULES], ignore_index=True)
    rows = rows.assign(label=[f"Truncated {tier.RULE_NAMES[rule]}" for rule in tier.RULES])
    st.dataframe(
        tier.row_texts(rows),
        column_config=_columns("Result", 195),
        hide_index=True,
        alt="Overall result with truncated completions counted as wrong, and left out",
    )


def show_parts(view: View, found: Comparison, rule: str) -> None:
    """Show tiers and tasks, counts as links to their completions."""
    rows = pd.concat([found.of("tier", rule), found.of("task", rule)], ignore_index=True)
    frame = tier.row_texts(rows)
    if linked(found, rule):
        parts = [_filters_of(found, *part) for part in zip(rows["scope"], rows["value"], strict=True)]
        for kind in LINKED:
            frame[tier.COUNTS[kind].lower()] = [
                f"{drill.address(view, filters=filters, pair=(found.a, found.b, kind))}#{n:,}" if n else None
                for filters, n in zip(parts, rows[kind], strict=True)
            ]
    st.dataframe(
        frame,
        column_config={**_columns("Tier or task"), **(_link_columns() if linked(found, rule) else {})},
        hide_index=True,
        height=linked_table.height(len(frame)),
        placeholder="0",
        alt="Difference of A and B in each tier and task, with the numbers of items gained and lost",
    )


def _columns(first: str, width: int = 165) -> dict[str, Any]:
    text = st.column_config.TextColumn
    return {
        "": text(first, pinned=True, width=width),
        "items": text("Items", help="Common items"),
        "A": text("A", help="A's mean over the common items, not guess-corrected"),
        "B": text("B", help="B's mean over the common items, not guess-corrected"),
        "A minus B [95%]": text(width=165),
        "p, corrected": text(help="Corrected for the m tests of its kind", width=92),
        "detectable": text("Detectable", help="Found with about 80% power, under m tests", width=100),
        "left out": text("Left out", help="Items of A or B that are not compared"),
    }


def _link_columns() -> dict[str, Any]:
    return {
        tier.COUNTS[kind].lower(): st.column_config.LinkColumn(
            help=f"Items; a number opens their completions. {tier.COUNT_WORDS[kind]}",
            display_text=r"#(.+)$",
            width=78,
        )
        for kind in LINKED
    }


def _filters_of(found: Comparison, scope: str, value: str) -> Filters:
    """Return the filters that leave a task or tier."""
    if scope == "task":
        return replace(found.filters, base_task=(value,))
    return replace(found.filters, tiers=(value,))


def show_cells(view: View, found: Comparison, rule: str) -> None:
    """Show surface cells, those that differ most surely first; a selected one shows its links."""
    rows = found.of("cell", rule).sort_values(["p_adjusted", "p_value"], kind="stable", ignore_index=True)
    event = st.dataframe(
        tier.row_texts(rows),
        column_config=_columns("Surface cell", 380),
        hide_index=True,
        height=linked_table.height(len(rows), CELL_ROWS),
        key=f"cells {hash((found.a, found.b, found.measure, rule, len(rows)))}",
        on_select="rerun",
        selection_mode="single-row",
        alt="Difference of A and B in each surface cell, the surest first",
    )
    chosen = event["selection"]["rows"]
    if not chosen or chosen[0] >= len(rows):
        return
    row = rows.iloc[chosen[0]]
    st.markdown(f"**{escape(row['label'])}**")
    if not linked(found, rule):
        st.caption(NOT_LINKED)
        return
    filters = cell_filters(view, found, row)
    with st.container(horizontal=True):
        for kind in LINKED:
            if row[kind]:
                words = f"{tier.COUNTS[kind]}: {count(int(row[kind]), 'item')}"
                pair = (found.a, found.b, kind)
                drill.link(view, words, key=f"cell {kind}", filters=filters, pair=pair)


def cell_filters(view: View, found: Comparison, row: pd.Series) -> Filters:
    """Return the filters that leave a surface cell: its surface, and the values of both params in it."""
    entry = found.config.surface(row["surface"])
    if entry is None:
        return found.filters
    task, surface = entry
    wanted: dict[str, tuple[Any, ...]] = dict(found.filters.params)
    for name, values, bins, place in (
        (surface.x_data, surface.x_values, surface.x_bins, row["x"]),
        (surface.y_data, surface.y_values, surface.y_bins, row["y"]),
    ):
        known = wanted.get(name, view.dataset.catalog.params[name])
        wanted[name] = tuple(one for one in known if axis_position(one, values, bins) == place)
    return replace(
        found.filters, base_task=(task,), surfaces=(surface.id,), params=tuple(sorted(wanted.items()))
    )


def show_spent(found: Comparison) -> None:
    """Show tokens and truncated completions of both, with their differences."""
    frame = tier.spent_texts(found)
    st.dataframe(
        frame,
        column_config={"": st.column_config.TextColumn("Where", pinned=True, width=150)},
        hide_index=True,
        height=linked_table.height(len(frame), CELL_ROWS),
        alt="Tokens and truncated completions of A and B with their differences",
    )


def show_against(found: Against, rule: str) -> None:
    """Show A against every other eval; the row that someone selects becomes B."""
    rows = found.of(rule)
    ids: Sequence[int] = [int(one) for one in rows["value"]]
    key = f"against {hash((found.a, found.measure, rule, tuple(ids)))}"

    def take() -> None:
        chosen = st.session_state[key]["selection"]["rows"]
        if chosen and chosen[0] < len(ids):
            st.session_state[compare.B] = ids[chosen[0]]
            st.session_state[compare.WITH] = compare.ONE

    st.dataframe(
        tier.row_texts(rows),
        column_config=_columns("B", 260),
        hide_index=True,
        height=linked_table.height(len(rows)),
        key=key,
        on_select=take,
        selection_mode="single-row",
        alt=f"{found.name} against every other eval",
    )
