"""A second opinion: the leaderboard recomputed from raw source files in plain Python.

Nothing here may import core, duckdb, numpy or pandas; what agrees with it was computed twice.
"""
