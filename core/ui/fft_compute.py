"""Computing spectra from the page: the button, what it is doing, and what came of it."""

from pathlib import Path

import streamlit as st

from core.errors import ReasonScapeError
from core.spectra import compute_spectra
from core.ui import states
from core.ui.sidebar import View
from core.ui.wording import escape

_SAID, _ASKED = "_spectra_said", "_spectra_asked"


def say() -> None:
    """Say what came of computing spectra, once."""
    if message := st.session_state.pop(_SAID, None):
        st.success("Spectra computed.", icon=":material/check:")
        st.text(message)


def show(view: View, *, first: bool) -> None:
    """Show how to compute spectra, and do it when asked.

    Parameters
    ----------
    first : bool
        Whether there are none yet: the button is then what the page is for.
    """
    if first:
        _form(view, primary=True)
        return
    with st.expander("Compute spectra, fetch tokenizers", icon=":material/refresh:"):
        _form(view, primary=False)


def _form(view: View, *, primary: bool) -> None:
    st.markdown(
        "Token ids that came with the results are used as they are. Evals without any are read by their"
        " model's own tokenizer (the `hf_id` of the config), else as UTF-8 bytes. What is there stays; the"
        " database is rebuilt aside and replaced when it is whole."
    )
    fetch = st.toggle(
        "Fetch missing tokenizers from the Hugging Face Hub",
        key="spectra_fetch",
        help="Asks the Hub for tokenizer.json of each hf_id; kept in the Hugging Face cache. Without it, only"
        " tokenizers that are on this machine already are used, and nothing leaves it.",
    )
    st.button(
        "Compute spectra",
        key="compute_spectra",
        icon=":material/graphic_eq:",
        type="primary" if primary else "secondary",
        on_click=_ask,
    )
    if st.session_state.pop(_ASKED, False):
        _compute(view.dataset.config_path, fetch=fetch)
    st.caption("The same on the command line:")
    flag = " --fetch" if fetch else ""
    st.code(f"python -m core spectra {view.dataset.config_path}{flag}", language="bash")


def _ask() -> None:
    """Remember that someone asked (a callback): a run that starts over forgets a click."""
    st.session_state[_ASKED] = True


def _compute(config_path: Path, *, fetch: bool) -> None:
    with st.status("Computing spectra …", expanded=True) as status:
        line = st.empty()

        def say(step: str) -> None:
            line.markdown(escape(step))

        try:
            report = compute_spectra(config_path, fetch=fetch, on_step=say)
        except ReasonScapeError as fault:
            status.update(label="No spectra were computed", state="error")
            states.error(fault)
            return
    st.session_state[_SAID] = report.to_text()
    st.rerun()
