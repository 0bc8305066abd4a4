"""The head of every page: its title, and its address to copy.

The widgets are bound to the address, so it already says everything.
"""

from urllib.parse import urlencode, urlsplit, urlunsplit

import streamlit as st

from core.ui.datasets import KEY


def show(title: str) -> None:
    """Draw the title, and beside it a popover with the page's full address."""
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        st.title(title, width="content")
        # Only an open popover asks for a run of its own, so that it shows the address as it is by then.
        with st.popover("Share", icon=":material/link:", key="share", on_change="rerun") as popover:
            if popover.open:
                st.markdown("This address opens the page as you see it:")
                st.code(address(), language=None, wrap_lines=True)


def address() -> str:
    """Return the address of the page with all its choices."""
    pairs = [(key, value) for key in st.query_params for value in st.query_params.get_all(key)]
    if KEY not in st.query_params and KEY in st.session_state:
        # Left out of the address bar while it is the first; another dataset may be the first tomorrow.
        pairs.insert(0, (KEY, st.session_state[KEY]))
    parts = urlsplit(st.context.url or "")
    return urlunsplit(parts._replace(path=parts.path or "/", query=urlencode(pairs)))
