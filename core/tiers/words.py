"""How every tier writes a missing number, a number, a count, a sentence's beginning and a list of names."""

from collections.abc import Sequence

import pandas as pd

EM_DASH = "—"
"""Stands where there is no number; never 0."""


def number(value: float, digits: int) -> str:
    """Return a number with so many decimals, an em dash where it is missing."""
    return EM_DASH if pd.isna(value) else f"{value:,.{digits}f}"


def count(amount: int, noun: str, several: str = "") -> str:
    """Return "1 item" or "1,200 items"; `several` is the plural where it takes more than an s."""
    return f"{amount:,} {noun if amount == 1 else several or noun + 's'}"


def capital(text: str) -> str:
    """Return text with its first letter large, the others as they are."""
    return text[:1].upper() + text[1:]


def listed(names: Sequence[str], most: int = 6) -> str:
    """Return names with commas, those beyond `most` counted."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")
