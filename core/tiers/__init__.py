"""One room per tier of the analysis: its query, its statistics call, its result table, its chart.

No Streamlit here: pages and the command line call the same functions with the same arguments.
"""
