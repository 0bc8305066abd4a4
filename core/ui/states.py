"""What a page shows instead of results: an error, nothing to open, nothing selected."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import streamlit as st

from core.config import DatasetConfig
from core.errors import ReasonScapeError
from core.tiers.selection import Relaxation
from core.ui.wording import count, escape


def error(message: object) -> None:
    """Show a fault in what the user gave; a second paragraph of the message stands as code."""
    first, _, rest = str(message).partition("\n")
    st.error(escape(first), icon=":material/error:")
    if rest.strip():
        st.code(rest, language=None)


def stop(message: object) -> NoReturn:
    """Show a fault and end the page."""
    error(message)
    st.stop()


@contextmanager
def told() -> Iterator[None]:
    """Show a fault in what the user gave wherever a page meets one, and end the page."""
    try:
        yield
    except ReasonScapeError as fault:
        stop(fault)


def no_datasets(folder: Path) -> NoReturn:
    """Say what to type where the data folder has no dataset, and end the page."""
    st.subheader("No dataset yet")
    st.markdown("The data folder has no dataset config (a `.json` file with a `db` key):")
    st.code(str(folder), language=None)
    st.page_link("pages/imports.py", label="Import evaluation results", icon=":material/upload_file:")
    st.markdown("Or do it on the command line, then reload this page:")
    st.code(f"python -m core import PATH_TO_RESULTS --name my-results --data {folder}", language="bash")
    st.markdown("Or build the demo dataset and open it: `make run`.")
    st.stop()


def nothing_selected(
    hints: list[Relaxation], lift: Callable[[str], None], clear: Callable[[], None]
) -> NoReturn:
    """Name the filters that can be lifted to see something again, each with a button, and end the page.

    Parameters
    ----------
    hints : list of Relaxation
        Filters of which lifting one alone leaves points.
    lift : callable
        Lifts the filter of a key.
    clear : callable
        Lifts all filters.
    """
    st.subheader("Nothing matches these filters")
    if hints:
        st.markdown("Lift one of them:")
        for hint in hints:
            st.button(
                f"Lift **{escape(hint.words)}** ({count(hint.points, 'point')})",
                key=f"lift {hint.key}",
                icon=":material/filter_alt_off:",
                on_click=lift,
                args=(hint.key,),
            )
    else:
        st.markdown("No single filter is the reason: more than one must go.")
    st.button("Clear filters", key="clear from empty", on_click=clear, icon=":material/clear_all:")
    st.stop()


def no_points(config: DatasetConfig) -> NoReturn:
    """Say that no eval of the config has a point, and end the page."""
    st.subheader("No eval has any points")
    st.markdown(
        f"The config defines {count(len(config.evals), 'eval')}, and none of them matches what the database"
        " holds. The **Evals** page names what it holds; correct the `filters` of the evals in the config."
    )
    st.stop()


def notes(sentences: Iterable[str]) -> None:
    """List what a reader must know before quoting the numbers of a page; nothing where there is nothing."""
    lines = [f"- {escape(sentence)}" for sentence in sentences]
    if lines:
        st.subheader("Before you quote these numbers")
        st.markdown("\n".join(lines))


def no_rows(what: str) -> None:
    """Say that a search or a choice on the page left nothing."""
    st.info(escape(what), icon=":material/search_off:")
