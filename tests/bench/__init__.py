"""How fast and how heavy the app is at fifteen million completions: `python -m tests.bench`.

Not collected by pytest: times depend on the machine. What it finds stands in docs/performance.md.
"""
