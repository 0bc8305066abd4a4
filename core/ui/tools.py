"""What is beside a page's title: saved views, the report of what is selected, and the address to copy.

The widgets are bound to the address, so it already says everything.
"""

from urllib.parse import urlencode, urlsplit, urlunsplit

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.ui.datasets import KEY
from core.ui.fragment import fragment
from core.ui.sidebar import View


def show(place: DeltaGenerator, view: View | None, page: str) -> None:
    """Draw the tools of a page.

    Parameters
    ----------
    place
        What core.ui.title returned.
    view
        What the page works on; None where no dataset is open, and there is only the address.
    page
        The page's path in the address, "" for the first.
    """
    with place:
        _tools(view, page)


@fragment
def _tools(view: View | None, page: str) -> None:
    # Only an open popover asks for a run, and of this alone, so that it shows what there is by then. Its
    # modules are imported by then too: the start of the app does not wait for them.
    with st.container(horizontal=True, horizontal_alignment="right", gap="small"):
        if view:
            with st.popover("Views", icon=":material/bookmarks:", key="views", on_change="rerun") as popover:
                if popover.open:
                    from core.ui import saved_views

                    saved_views.show(view, page)
            with st.popover(
                "Report", icon=":material/summarize:", key="report", on_change="rerun"
            ) as popover:
                if popover.open:
                    from core.ui import report

                    report.show(view)
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
