"""What an address may say that no widget can take, looked at before the widget is made."""

import math

import streamlit as st


def whole_number(key: str) -> str:
    """Return the key of a whole number's widget; what the address says for it goes where it is infinite.

    Streamlit takes `inf` and `1e999` for numbers and then stops the page, for no integer is infinite.
    """
    text = st.query_params.get(key)
    try:
        infinite = text is not None and math.isinf(float(text))
    except ValueError:
        infinite = False
    if infinite:
        # The run reads the address it began with: only the next one sees that the value is gone.
        del st.query_params[key]
        st.rerun()
    return key


def name_unknown(key: str, offered: list[str], what: str) -> None:
    """Warn where the address names what is not offered: the widget shows its default instead."""
    for text in st.query_params.get_all(key):
        if text and text not in offered:
            # Escaped by code style: it may be anything.
            st.warning(f"The address names {what} that is not here:", icon=":material/link_off:")
            st.code(text[:200], language=None)
