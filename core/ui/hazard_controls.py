"""The widgets of the Hazard page, bound to the address: split, bucket, budget, evals to compare."""

from collections.abc import Sequence

import streamlit as st

from core.tiers import hazard as tier
from core.tiers.hazard import Group
from core.tiers.split import dimensions
from core.ui import address, hazard
from core.ui.sidebar import View
from core.ui.wording import apart


def choose_split(view: View) -> tuple[str, ...]:
    """Show the choice of dimensions and return them; none is one group of everything."""
    valid = dimensions(view.dataset)
    return tuple(
        st.multiselect(
            "A picture per",
            valid,
            default=[name for name in tier.DEFAULT_SPLIT if name in valid],
            key="hazard_split",
            bind="query-params",
            placeholder="All completions together",
            width=420,
            help="Every combination of the values of these dimensions is a group with a picture of its own.",
        )
    )


def choose_bucket(view: View) -> int:
    """Show the bucket size and return it, by default one that suits the token counts."""
    largest = hazard.largest_tokens(view.dataset, view.filters)
    automatic = tier.page_bucket_size(largest)
    chosen = st.number_input(
        "Tokens a bucket",
        min_value=1,
        value=None,
        step=1,
        key=address.whole_number("bucket"),
        bind="query-params",
        placeholder=f"{automatic} (automatic)",
        width=180,
        help="Hazards are counted in buckets of so many tokens. Smaller buckets show more detail, with wider"
        " intervals.",
    )
    return int(chosen) if chosen else automatic


def choose_budget(largest: int, bucket_size: int) -> int:
    """Show the slider of token budgets and return the one chosen."""
    steps = budget_steps(largest)
    default = min(steps, key=lambda step: abs(step - 4 * bucket_size))
    chosen = st.select_slider(
        "Budget, tokens",
        steps,
        value=default,
        format_func=lambda step: f"{step:,}",
        key=address.automatic("budget", default),
        bind="query-params",
        help="What would become of accuracy if every completion were cut off at so many tokens. While you"
        " choose none, it is the step nearest to four buckets.",
    )
    return int(chosen)


def budget_steps(largest: int) -> list[int]:
    """Return budgets to choose from up to the largest: powers of two, and three round numbers between."""
    most = max(largest, 1)
    steps = {most}
    for quarter in range(4 * most.bit_length()):
        step = 2 ** (quarter / 4)
        steps.add(int(step) if quarter % 4 == 0 else int(round(step, min(2 - len(str(int(step))), 0))))
    return sorted(step for step in steps if step <= most)


def choose_evals(view: View, evals: Sequence[int]) -> tuple[int, ...]:
    """Show the choice of evals to compare and return them, baseline first; the first few while none is."""
    names = view.config.eval_names
    labels = apart(evals, [names[one] for one in evals])
    address.name_unknown("hazard_evals", list(labels.values()), "an eval")
    few = min(len(evals), 3)
    chosen = st.multiselect(
        "Evals, the baseline first",
        list(evals),
        format_func=lambda one: labels.get(one, str(one)),
        key="hazard_evals",
        bind="query-params",
        max_selections=tier.MOST_COMPARED,
        placeholder=f"The first {few} of {len(evals)}",
        width=420,
    )
    return tuple(chosen) if len(chosen) > 1 else (*chosen, *(one for one in evals if one not in chosen))[:few]


def choose_part(parts: Sequence[Group]) -> Group | None:
    """Show the choice of what the evals are compared on and return it; None where that is everything."""
    if len(parts) < 2:
        return parts[0] if parts else None
    titles = apart(range(len(parts)), [part.title for part in parts])
    keys = [" ".join(map(str, part.values)) for part in parts]
    chosen = st.selectbox(
        "Compared on",
        keys,
        format_func=lambda one: titles[keys.index(one)] if one in keys else one,
        key="hazard_part",
        bind="query-params",
        width=320,
    )
    return parts[keys.index(chosen) if chosen in keys else 0]
