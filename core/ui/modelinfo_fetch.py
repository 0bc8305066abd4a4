"""The button that fetches model metadata, the only one of the page that makes network requests."""

import os
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import streamlit as st

from core.errors import ReasonScapeError
from core.tiers.modelinfo import Metadata
from core.ui import states
from core.ui.wording import count, escape

_SAID, _ASKED = "_modelinfo_said", "_modelinfo_asked"


def show(models: Sequence[str], metadata: Metadata, folder: Path) -> None:
    """Show the button, and while it fetches how far it is; the page then starts anew.

    Parameters
    ----------
    models
        The hf_ids of the whole config: filters leave none out.
    """
    for sentence in st.session_state.pop(_SAID, ()):
        states.error(sentence)
    if not models:
        return
    left = [one for one in models if metadata.status(one) not in ("complete", "invalid")]
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            f"Fetch {count(len(left), 'model')} from the hub" if left else "Nothing left to fetch",
            key="fetch_metadata",
            icon=":material/cloud_download:",
            on_click=_ask,
            args=(False,),
            disabled=not left,
            help="README and other Markdown files, config.json, recipe.yaml: two to ten requests a model, two"
            " a second. Goes on where it ended when it is interrupted.",
        )
        st.button(
            "Fetch all again",
            key="refresh_metadata",
            type="tertiary",
            on_click=_ask,
            args=(True,),
            disabled=len(left) == len(models),
            help="Asks for every model again; files that have not changed are not loaded.",
        )
    if (refresh := st.session_state.pop(_ASKED, None)) is not None:
        _fetch(models if refresh else left, folder, refresh=refresh)


def _ask(refresh: bool) -> None:
    st.session_state[_ASKED] = refresh


def _fetch(models: Sequence[str], folder: Path, *, refresh: bool) -> None:
    # Only now: the app makes no request that nobody asked for, and loads no library for one.
    from core.hub.fetch import fetch_models
    from core.hub.request import Hub, default_endpoint

    bar = st.progress(0.0, text="Asking the hub …")
    done = 0.0

    def tell(sentence: str) -> None:
        # Shown, it also lets a click elsewhere end the run.
        bar.progress(done, text=escape(sentence))

    try:
        hub = Hub(default_endpoint(os.environ), tell=tell)
        with closing(fetch_models(models, folder, hub, refresh=refresh, tell=tell)) as run:
            for step in run:
                done = step.done / step.total
                bar.progress(done, text=escape(f"{step.done} of {step.total}: {step.sentence}"))
    except ReasonScapeError as fault:
        st.session_state[_SAID] = (f"{fault}.",)
    bar.empty()
    st.rerun()
