"""Defining tiers: which params of which tasks, with what they take counted as one chooses."""

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from core.config import DatasetConfig, ParamFilter, ParamFilters, Scalar, Tier, same_value
from core.config.edits import move_tier, put_tier, remove_tier
from core.errors import ConfigError
from core.store.dataset import Dataset
from core.tiers.rules import ParamSet, RuleCount, count_rule, read_param_sets, rule_words, values_of
from core.ui import edit_save, states
from core.ui.cache import kept
from core.ui.edit_save import Editing
from core.ui.filter_state import param_text
from core.ui.wording import apart, capital, count, escape

NEW = ""
ALL, EACH = "One rule for all tasks", "A rule for each task"
EVERY = "*"
"""Stands for all tasks where there is one rule."""

MOST_VALUES, MOST_PARAMS = 300, 8
"""Values of a param that are offered, and params that are shown without being asked for."""


@kept("Reading params …")
def param_sets(dataset: Dataset) -> list[ParamSet]:
    """Return the param sets of a dataset."""
    return read_param_sets(dataset)


def tiers_frame(config: DatasetConfig, sets: Sequence[ParamSet]) -> pd.DataFrame:
    """Return the tiers of a config with what each takes."""
    rows = []
    for tier in config.tiers:
        counts = count_rule(sets, tier)
        rows.append(
            {
                "id": tier.id,
                "label": tier.label,
                "tasks": sum(1 for one in counts if one.points),
                "points": sum(one.points for one in counts),
                "items": sum(one.items for one in counts),
                "completions": sum(one.completions for one in counts),
            }
        )
    return pd.DataFrame(rows, columns=["id", "label", "tasks", "points", "items", "completions"])


def show(editing: Editing, dataset: Dataset) -> None:
    """Show the tiers, and the form that defines one."""
    config, sets = editing.config, param_sets(dataset)
    st.caption("A tier is a band of difficulty: the points whose params fit its rule. Tiers may overlap.")
    if config.tiers:
        st.dataframe(tiers_frame(config, sets), hide_index=True, alt="Tiers with what each takes")
    labels = apart([tier.id for tier in config.tiers], [tier.label for tier in config.tiers])
    chosen = st.selectbox(
        "Define",
        [NEW, *labels],
        format_func=lambda tier_id: labels.get(tier_id, "A new tier"),
        key=editing.key("tier"),
        width=360,
    )
    tier = next((one for one in config.tiers if one.id == chosen), None)
    if tier is not None:
        _arrange(editing, tier)
    _form(editing, tier, sets, list(dataset.catalog.base_tasks))


def _arrange(editing: Editing, tier: Tier) -> None:
    config, ids = editing.config, [one.id for one in editing.config.tiers]
    with st.container(horizontal=True, gap="small"):
        for words, icon, steps, able in (
            ("Move up", "arrow_upward", -1, ids[0] != tier.id),
            ("Move down", "arrow_downward", 1, ids[-1] != tier.id),
        ):
            st.button(
                words, key=editing.key(f"tier {words}"), icon=f":material/{icon}:", disabled=not able,
                on_click=edit_save.save,
                args=(editing, move_tier(config, tier.id, steps), f"tier {tier.label}: {words.lower()}"),
            )  # fmt: skip
        st.button(
            "Remove",
            key=editing.key("tier remove"),
            icon=":material/delete:",
            on_click=edit_save.save,
            args=(editing, remove_tier(config, tier.id), f"tier {tier.label}: removed"),
        )


def _form(editing: Editing, tier: Tier | None, sets: Sequence[ParamSet], tasks: list[str]) -> None:
    name = tier.id if tier else NEW
    key = editing.key(f"tier {name}")
    label = st.text_input(
        "Label", value=tier.label if tier else "", key=f"{key} label", max_chars=200, width=360,
        placeholder="Easy",
    )  # fmt: skip
    kind = st.segmented_control(
        "Rule",
        (ALL, EACH),
        default=EACH if tier is not None and tier.filters is not None else ALL,
        required=True,
        key=f"{key} kind",
    )
    rules: dict[str, list[ParamFilter]] = {}
    if kind == ALL:
        before = alternatives(tier.filter if tier and tier.filter is not None else {})
        rules[EVERY] = _alternatives(before, values_of(sets, tasks), f"{key} {EVERY}")
    else:
        rules = _each(editing.config, tier, sets, tasks, key)
    try:
        draft = draft_tier(label or "", rules, tasks)
    except ConfigError as fault:
        st.caption(escape(fault))
        return
    _counts(editing.config, count_rule(sets, draft), draft, sets)
    if not (label or "").strip():
        st.caption("Give the tier a label to save it.")
        return
    edit_save.save_button(
        editing,
        lambda: put_tier(
            editing.config, tier.id if tier else None, label or "", filters=draft.filters, filter=draft.filter
        ),
        label="Save tier",
        key=f"tier {name}",
    )


def _each(
    config: DatasetConfig, tier: Tier | None, sets: Sequence[ParamSet], tasks: list[str], key: str
) -> dict[str, list[ParamFilter]]:
    before = tier.filters if tier and tier.filters else {}
    names = apart(tasks, map(config.task_label, tasks))
    taken = st.multiselect(
        "Tasks of the tier",
        tasks,
        default=[task for task in tasks if task in before],
        format_func=lambda task: names.get(task, task),
        key=f"{key} tasks",
        help="A task that is not here has no points in the tier.",
    )
    # Rules of tasks that the data does not have stay as they are.
    rules = {task: alternatives(rule) for task, rule in before.items() if task not in tasks}
    for task in taken:
        words = rule_words(before[task]) if task in before else "all of it"
        with st.expander(f"{escape(names[task])}: {escape(words)}", key=f"{key} {task} open"):
            rules[task] = _alternatives(
                alternatives(before.get(task, {})), values_of(sets, [task]), f"{key} {task}"
            )
    return rules


def alternatives(rule: ParamFilters) -> list[ParamFilter]:
    """Return a filter as the list of its alternatives."""
    return [*rule] if isinstance(rule, list) else [rule]


def _alternatives(
    before: list[ParamFilter], values: Mapping[str, list[Scalar]], key: str
) -> list[ParamFilter]:
    many = f"{key} many"
    if many not in st.session_state:
        st.session_state[many] = max(1, len(before))
    rules = []
    for number in range(st.session_state[many]):
        if number:
            st.markdown("or")
        known = before[number] if number < len(before) else {}
        rules.append(_conditions(known, values, f"{key} {number}"))
    with st.container(horizontal=True, gap="small"):
        st.button("Or …", key=f"{key} add", icon=":material/add:", on_click=_more, args=(many, 1),
                  help="Another set of conditions of which any may hold.")  # fmt: skip
        if len(rules) > 1:
            st.button("Drop the last", key=f"{key} drop", on_click=_more, args=(many, -1))
    return rules


def _more(key: str, by: int) -> None:
    st.session_state[key] += by


def _conditions(known: ParamFilter, values: Mapping[str, list[Scalar]], key: str) -> ParamFilter:
    """Ask for the values of each param; a condition on what the data does not have stays as it is."""
    few = {name: offered for name, offered in values.items() if len(offered) <= MOST_VALUES}
    rule: ParamFilter = {name: wanted for name, wanted in known.items() if name not in few}
    if not few:
        st.caption("No param has several values here.")
    if len(few) > MOST_PARAMS:
        names = st.multiselect(
            "Params of the rule",
            list(few),
            default=[name for name in few if name in known],
            key=f"{key} params",
            placeholder=f"Choose among {len(few)} params",
        )
        few = {name: few[name] for name in names}
    with st.container(horizontal=True, gap="small"):
        for name, offered in few.items():
            before = known.get(name, [])
            wanted = before if isinstance(before, list) else [before]
            options = [*offered, *(one for one in wanted if _place(one, offered) is None)]
            texts = list(apart(range(len(options)), map(param_text, options)).values())
            picked = st.multiselect(
                escape(name),
                range(len(options)),
                default=[place for one in wanted if (place := _place(one, options)) is not None],
                format_func=texts.__getitem__,
                key=f"{key} {name}",
                placeholder="Any",
                width=300,
            )
            if picked:
                rule[name] = [options[place] for place in picked]
    return rule


def _place(value: Scalar, options: Sequence[Scalar]) -> int | None:
    return next((place for place, option in enumerate(options) if same_value(option, value)), None)


def draft_tier(label: str, rules: Mapping[str, list[ParamFilter]], tasks: Sequence[str]) -> Tier:
    """Return the tier that the form describes.

    Raises
    ------
    ConfigError
        It has no task.
    """
    plain = {task: rule[0] if len(rule) == 1 else rule for task, rule in rules.items()}
    if EVERY in plain and EVERY not in tasks:
        return Tier(id="draft", label=label, filter=plain[EVERY])
    if not plain:
        raise ConfigError("Choose the tasks of the tier.")
    return Tier(id="draft", label=label, filters=plain)


def _counts(config: DatasetConfig, counts: list[RuleCount], draft: Tier, sets: Sequence[ParamSet]) -> None:
    points, completions = sum(one.points for one in counts), sum(one.completions for one in counts)
    words = f"{count(points, 'point')} of {count(sum(1 for one in counts if one.points), 'task')}"
    whole = sum(one.points for one in sets)
    st.markdown(
        f"**Takes {escape(words)}, {escape(count(completions, 'completion'))}** (of {whole:,} points)."
    )
    empty = [config.task_label(one.base_task) for one in counts if not one.points]
    if empty:
        states.no_rows(f"Takes nothing of {', '.join(empty[:8])}{' and more' if len(empty) > 8 else ''}.")
    rows = [
        {
            "task": config.task_label(one.base_task),
            "rule": capital(rule_words(_rule_of(draft, one.base_task))),
            "points": one.points,
            "items": one.items,
            "completions": one.completions,
        }
        for one in counts
    ]
    if rows:
        st.dataframe(pd.DataFrame(rows), hide_index=True, alt="What the rule takes of each task")


def _rule_of(tier: Tier, base_task: str) -> ParamFilters:
    if tier.filters is not None:
        return tier.filters[base_task]
    return tier.filter if tier.filter is not None else {}
