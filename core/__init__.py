"""ReasonScape Explorer's analysis: data in, statistics, tiers, exports, and the Streamlit layer in core.ui.

The import arrows of docs/architecture.md hold here; only core.ui imports streamlit.
"""

__version__ = "0.1.0"
