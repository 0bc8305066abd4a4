"""Simulations of every default interval and test: whether they hold what they say (docs/validity.md).

Studies call the functions that the app calls, on data whose truth is known; run `python -m tests.validity`.
"""
