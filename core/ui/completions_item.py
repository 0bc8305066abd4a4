"""One item on screen: every eval's completions of it, which answers differ, texts side by side."""

from typing import Any

import pandas as pd
import streamlit as st

from core.errors import ReasonScapeError
from core.tiers import completions as tier
from core.tiers.completions import ItemAnswers
from core.tiers.completions.text import one_line, split_thinking
from core.tiers.loops import LoopRule
from core.ui import completions as page
from core.ui import completions_detail, completions_list, linked_table, states
from core.ui.filter_texts import eval_texts
from core.ui.sidebar import View
from core.ui.wording import count, escape

BESIDE = "list.beside"
MOST_BESIDE = 3

SAME, OTHER = "the same", "≠ different"


def show_item(view: View, item_id: int, completion_id: int | None) -> None:
    """Show what the evals made of an item, beside the completion that is open."""
    try:
        found = page.item(view.dataset, view.filters, item_id)
    except ReasonScapeError as fault:
        states.error(fault)
        return
    st.subheader(f"Item {item_id} across evals")
    evals = found.completions["eval_id"].nunique()
    st.markdown(escape(summary(found)))
    st.caption("Answers are the same where their texts are, spaces at the ends aside.")
    answers = answers_frame(found)
    st.dataframe(
        answers,
        column_config={
            "Answer": st.column_config.TextColumn(width="large"),
            "Share": st.column_config.NumberColumn(format="percent", width=80),
        },
        hide_index=True,
        height=linked_table.height(len(answers), 6),
        alt=f"Different answers to the item by {count(evals, 'eval')}, the most common first",
    )
    _completions(view, found, completion_id)
    if completion_id is not None:
        _beside(view, found, completion_id)


def summary(found: ItemAnswers) -> str:
    """Return in a sentence how far the evals agree on an item."""
    frame, answers = found.completions, found.answers
    if frame.empty:
        return "No selected eval has a completion of this item."
    right = int((frame["outcome"] == "correct").sum())
    words = (
        f"{count(int(frame['eval_id'].nunique()), 'eval')} gave {count(len(frame), 'completion')}:"
        f" {right:,} correct, {count(int((answers['answer'] != tier.NO_ANSWER).sum()), 'different answer')}."
    )
    first = answers[answers["answer"] != tier.NO_ANSWER].head(1)
    if not right and len(first) and int(first["evals"].iloc[0]) > 1:
        words += (
            f" {int(first['evals'].iloc[0])} of them agree on an answer that does not count as correct:"
            " look at the reference."
        )
    return words


def answers_frame(found: ItemAnswers) -> pd.DataFrame:
    """Return the different answers for the screen."""
    answers = found.answers
    return pd.DataFrame(
        {
            "Group": [letter(group) for group in answers["group"]],
            "Answer": [
                "(none read)" if text == tier.NO_ANSWER else one_line(text, 300) for text in answers["answer"]
            ],
            "Completions": answers["n"],
            "Share": answers["share"],
            "Evals": answers["evals"],
            "Correct": answers["correct"],
            "Reference": ["the same text" if same else "" for same in answers["reference"]],
        }
    )


def letter(group: int) -> str:
    """Return A for 1, B for 2, AA for 27."""
    text = ""
    while group:
        group, rest = divmod(group - 1, 26)
        text = chr(ord("A") + rest) + text
    return text


def _completions(view: View, found: ItemAnswers, completion_id: int | None) -> None:
    frame = found.completions
    ids = [int(one) for one in frame["completion_id"]]
    own = frame.loc[frame["completion_id"] == completion_id, "group"]
    columns: dict[str, Any] = {
        "Eval": [view.config.eval_names[int(one)] for one in frame["eval_id"]],
        "Repeat": frame["repeat"],
        "Outcome": [f"{completions_list.MARKS[one]} {one}" for one in frame["outcome"]],
        "Group": [letter(int(group)) for group in frame["group"]],
    }
    if len(own):
        columns["Answer is"] = [SAME if group == own.iloc[0] else OTHER for group in frame["group"]]
    columns["Answer"] = [
        "(none read)" if text == tier.NO_ANSWER else one_line(text, completions_list.CELL)
        for text in frame["answer"]
    ]
    columns["Tokens"] = frame["completion_tokens"]

    def take(selected: list[int]) -> list[int]:
        if selected:
            st.session_state[page.OPEN] = selected[0]
        return selected

    shown = pd.DataFrame(columns)
    linked_table.show(
        shown.drop(columns=[name for name in ("Tokens",) if shown[name].isna().all()]),
        ids,
        [] if completion_id is None else [completion_id],
        take,
        name="item",
        mode="single-row",
        columns={"Answer": st.column_config.TextColumn(width="large")},
        alt="Completions of the item by every eval; a selected row is opened",
        most_rows=completions_list.ROWS_IN_SIGHT,
    )


def _beside(view: View, found: ItemAnswers, completion_id: int) -> None:
    frame = found.completions
    own = frame.loc[frame["completion_id"] == completion_id, "eval_id"]
    names = eval_texts(view.config)
    others = [int(one) for one in frame["eval_id"].drop_duplicates() if one not in set(own)]
    if not others:
        return
    chosen = st.multiselect(
        "Responses side by side with",
        others,
        format_func=lambda one: names.get(one, str(one)),
        key=BESIDE,
        bind="query-params",
        max_selections=MOST_BESIDE,
        placeholder="No other eval",
        width=480,
    )
    if not chosen:
        return
    wanted = [completion_id]
    wanted += [int(frame.loc[frame["eval_id"] == one, "completion_id"].iloc[0]) for one in chosen]
    for place, column in enumerate(st.columns(len(wanted))):
        with column:
            one = page.completion(view.dataset, view.filters, wanted[place], LoopRule())
            st.markdown(
                f"{completions_list.MARKS[one.outcome]} **{escape(view.config.eval_names[one.eval_ids[0]])}**"
            )
            text = one.response
            answer = None if text is None else split_thinking(text).answer or text
            completions_detail.show_text(
                "Response", answer, f"beside {place}", "The dataset has no responses."
            )
