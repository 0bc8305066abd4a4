"""Parts of a page that run again on their own."""

from collections.abc import Callable
from typing import ParamSpec, TypeVar

import streamlit as st

from core.ui import states

Asked = ParamSpec("Asked")
Result = TypeVar("Result")


def fragment(part: Callable[Asked, Result]) -> Callable[Asked, Result]:
    """Return a part of a page as a fragment that tells a fault in what the user gave, as the whole page does.

    Streamlit runs it again without app.py, which tells faults otherwise: a database that vanished meanwhile
    would be a traceback.
    """
    return st.fragment(states.told()(part))
