"""The command line: one module per command, each calling the function that its page calls.

No statistics and no Streamlit here.
"""
