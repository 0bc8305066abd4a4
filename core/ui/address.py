"""What no widget can take from an address, and defaults that follow the data, before a widget is made."""

import math
from typing import Any

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


def automatic(key: str, default: Any) -> str:
    """Return the key of a widget whose default depends on the data, and let it follow where nobody chose.

    Streamlit goes on with the default of the run before, which looks like a choice: after another filter,
    or another build of the dataset, it would be the default of what is shown no more.
    """
    kept = f"_automatic.{key}"
    before = st.session_state.get(kept)
    if before is not None and before != default and st.session_state.get(key) == before:
        st.session_state[key] = default
    st.session_state[kept] = default
    return key


def name_unknown(key: str, offered: list[str], what: str) -> None:
    """Warn where the address names what is not offered: the widget shows its default instead."""
    for text in st.query_params.get_all(key):
        if text and text not in offered:
            # Escaped by code style: it may be anything.
            st.warning(f"The address names {what} that is not here:", icon=":material/link_off:")
            st.code(text[:200], language=None)
