"""Filters: one frozen value that says which points count, as JSON, as SQL and as a sentence.

No other module of core may put a filter into SQL or into words.
"""

from core.filters.clauses import Clause
from core.filters.reading import FLAGGED, KEYS, STRUCTURE
from core.filters.value import Catalog, Filters

__all__ = ["FLAGGED", "KEYS", "STRUCTURE", "Catalog", "Clause", "Filters"]
