"""One completion on screen: what was asked, what was answered, and why it counts as it does."""

from pathlib import Path

import streamlit as st

from core.errors import ReasonScapeError
from core.tiers import completions as tier
from core.tiers.completions import Completion
from core.tiers.completions.text import (
    LONG,
    Response,
    excerpt,
    name_hidden,
    one_line,
    split_thinking,
    visible,
)
from core.ui import completions_list, states
from core.ui.sidebar import View
from core.ui.wording import capital, escape, listed

TEXT_HEIGHT = 420
_WRITTEN, _FAULT = "_flags_written", "_flags_fault"

SHORT_TEXT = 1_200
"""Characters up to which a text is shown at its own height."""


def show(view: View, one: Completion) -> None:
    """Show a completion."""
    st.subheader(f"{completions_list.MARKS[one.outcome]} {capital(one.outcome)}")
    st.markdown(f"**{completions_list.heading(view.config, one)}**")
    st.markdown(escape(tier.why(one, view.filters.threshold or 1.0)))
    left, right = st.columns(2)
    with left:
        show_text("Reference", one.reference, "reference", "The source has no reference.")
    with right:
        show_text("Extracted answer", one.answer, "answer", "No answer could be read, or none was kept.")
    show_text("Prompt", one.prompt, "prompt", "The dataset has no prompts.")
    _response(one.response)
    with st.expander("All that is known of this completion"):
        st.table({escape(what): escape(how) for what, how in facts(one)}, border="horizontal")
        if one.explanation:
            show_text("Explanation of the scorer", one.explanation, "explanation", "")
    _flag(view, one)


def _response(text: str | None) -> None:
    if text is None:
        show_text("Response", None, "response", "The dataset has no responses: it was imported without text.")
        return
    parts: Response = split_thinking(text)
    if parts.thinking is None:
        show_text("Response", text, "response", "")
        return
    if parts.unfinished:
        st.warning("The thinking never ends: no end of it is marked.", icon=":material/hourglass_disabled:")
    show_text("Thinking", parts.thinking, "thinking", "")
    if not parts.unfinished:
        show_text("Answer after the thinking", parts.answer, "after", "")


def show_text(title: str, text: str | None, key: str, otherwise: str) -> None:
    """Show a text as it is: no Markdown, no HTML, nothing hidden; a long one from both ends until asked for.

    Parameters
    ----------
    key : str
        Unique on the page.
    otherwise : str
        What is said where there is no text.
    """
    st.markdown(f"**{escape(title)}**")
    if text is None:
        st.caption(escape(otherwise))
        return
    if not text:
        st.caption("Empty.")
        return
    whole = False
    if len(text) > LONG:
        whole = st.toggle(f"All {len(text):,} characters", key=f"whole {key}")
    part = excerpt(text)
    if whole or not part.left_out:
        _block(text)
    else:
        _block(part.head)
        st.caption(f"{part.left_out:,} characters are left out here.")
        _block(part.tail)
    hidden = name_hidden(text if whole else part.head + part.tail)
    if hidden:
        st.caption(escape(f"Written out, since they cannot be seen: {listed(hidden, 6)}."))


def _block(text: str) -> None:
    shown, _ = visible(text)
    short = len(shown) <= SHORT_TEXT and shown.count("\n") < 20
    st.code(shown, language=None, wrap_lines=True, height="content" if short else TEXT_HEIGHT)


def facts(one: Completion) -> list[tuple[str, str]]:
    """Return what is known of a completion, name by name; what is missing is left out."""
    sizes = None
    if one.response_bytes is not None and one.compressed_bytes is not None:
        ratio = "" if one.ratio is None else f", ratio {one.ratio:.3f}"
        loop = "; suspected loop" if one.loop else ""
        sizes = f"{one.response_bytes:,} bytes, {one.compressed_bytes:,} compressed{ratio}{loop}"
    known: list[tuple[str, object]] = [
        ("Model", one.model),
        ("Template", one.template),
        ("Sampler", one.sampler),
        ("Task", one.base_task),
        ("Params", completions_list.params_text(one.params)),
        ("Item", f"{one.item_id}, key {one.item_key}{'' if one.paired else ', shared by no other eval'}"),
        ("Choices", one.choices),
        ("Repeat", one.repeat),
        ("Score", None if one.score is None else f"{one.score:g}"),
        ("Outcome at threshold 1", one.stored_outcome if one.stored_outcome != one.outcome else None),
        ("Prompt tokens", one.prompt_tokens),
        ("Completion tokens", one.completion_tokens),
        ("Reasoning tokens", one.reasoning_tokens),
        ("Source of the token counts", None if one.completion_tokens is None else one.token_source),
        ("Size of the response", sizes),
        ("Finish reason", one.finish_reason),
        ("Truncation", None if one.outcome == "truncated" else one.truncation),
        ("Token limit", one.token_limit),
        ("Scorer", one.scorer),
        ("Source file", one.source),
        ("Place in it", one.place),
        ("Format", one.source_format),
    ]
    return [
        (name, f"{value:,}" if isinstance(value, int) else one_line(str(value), 400))
        for name, value in known
        if value is not None and value != ""
    ]


def _flag(view: View, one: Completion) -> None:
    if st.session_state.pop(_WRITTEN, False):
        # The flags are another dataset now, which only a run of the whole page opens.
        st.rerun()
    if fault := st.session_state.pop(_FAULT, ""):
        states.error(fault)
    if one.flag is not None:
        st.warning(escape(f"Flagged{': ' + one.flag if one.flag else ''}"), icon=":material/flag:")
    config = view.dataset.config_path
    note = f"note {one.completion_id} {one.flag}"
    with st.form("flag", border=False), st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input(
            "Note",
            value=one.flag or "",
            max_chars=tier.NOTE_LENGTH,
            placeholder="Why it should not count, such as a wrong reference",
            width=460,
            key=note,
        )
        st.form_submit_button(
            "Flag" if one.flag is None else "Change the note",
            key="flag it",
            on_click=_write,
            # A session remembers this after the page was left, and would keep a replaced database open.
            args=(config, one, note),
        )
        if one.flag is not None:
            st.form_submit_button("Unflag", key="unflag it", on_click=_write, args=(config, one, None))


def _write(config: Path, one: Completion, note: str | None) -> None:
    """Flag a completion with the note of a widget, or take its flag away (a callback)."""
    try:
        if note is None:
            tier.unflag_completion(config, one)
        else:
            tier.flag_completion(config, one, st.session_state[note])
    except ReasonScapeError as fault:
        st.session_state[_FAULT] = str(fault)
    else:
        st.session_state[_WRITTEN] = True
