"""The title of a page, and the place beside it. Imports no more than Streamlit: it is what is seen first."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

WIDTH = 340
"""Of the tools beside the title, in pixels: on a narrow screen their row goes below the title as a whole."""


def show(title: str) -> DeltaGenerator:
    """Draw the title, and return the place beside it, for core.ui.tools."""
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        st.title(title, width="content")
        return st.container(width=WIDTH)
