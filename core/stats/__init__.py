"""Estimators: numpy and scipy in, arrays or frozen dataclasses out; NaN means "no number", never 0.

No SQL, no charts, no pandas and no Streamlit may live here.
"""
