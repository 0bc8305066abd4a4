"""Properties that hold for any dataset, config, filter and address, looked for with Hypothesis.

What a single function promises stands beside its other tests; here is what must hold across rooms.
"""
