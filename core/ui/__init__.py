"""What the pages are built from: the sidebar, caching, figures, tables, downloads, empty and error states.

The only part of core that imports Streamlit; no SQL and no statistics here.
"""
