"""What the theme's settings cannot say of Streamlit's own controls, as one style sheet for all pages."""

import streamlit as st

SHEET = """<style>
/* The primary colour lies under white text (tags, buttons), so it cannot also be text on the dark page. */
[data-testid="stButtonGroup"] [data-selected="true"],
[data-testid="stSliderThumbValue"], [data-testid="stSliderThumbValue"] * { color: inherit !important; }
</style>"""


def show() -> None:
    """Put the style sheet into the page; it takes no room."""
    st.html(SHEET)
