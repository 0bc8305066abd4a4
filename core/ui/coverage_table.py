"""The table of pages: which work with a dataset, and what keeps the others from it."""

from pathlib import Path

import streamlit as st

from core.store.dataset import Dataset
from core.tiers.coverage import PageCoverage, dataset_facts, page_coverage
from core.ui.cache import kept
from core.ui.wording import capital, count, escape, listed

MARKS = {"yes": "✓ yes", "partly": "◐ partly", "no": "✗ no"}


@kept("Looking which pages work …")
def coverage(dataset: Dataset) -> list[PageCoverage]:
    """Return for every page of the app whether it works with a dataset."""
    return existing(page_coverage(dataset_facts(dataset)))


def existing(rows: list[PageCoverage]) -> list[PageCoverage]:
    """Return the rows of pages that this app has."""
    stems = {_bare(path.stem) for path in (Path(__file__).parents[2] / "pages").glob("*.py")}
    return [row for row in rows if _bare(row.page) in stems]


def _bare(name: str) -> str:
    return "".join(sign for sign in name.casefold() if sign.isalnum())


def sentence(rows: list[PageCoverage]) -> str:
    """Return the table in one sentence."""
    full = sum(row.works == "yes" for row in rows)
    parts = [f"{full} of {count(len(rows), 'page')} work fully"]
    partly = [row.page for row in rows if row.works == "partly"]
    broken = [row.page for row in rows if row.works == "no"]
    if partly:
        parts.append(f"{listed(partly)} in part")
    if broken:
        parts.append(f"{listed(broken)} not")
    return "; ".join(parts) + "."


def show(rows: list[PageCoverage]) -> None:
    """Show the table; as text, so that it wraps where the screen is narrow."""
    lines = ["| page | works | why not |", "| --- | --- | --- |"]
    for row in rows:
        lacks = ". ".join(capital(lack) for lack in row.lacks)
        lines.append(f"| {escape(row.page)} | {MARKS[row.works]} | {escape(lacks) or '—'} |")
    st.markdown("\n".join(lines))
