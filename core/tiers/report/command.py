"""The command line that makes a report again."""

import json
import shlex

from core.filters import Filters
from core.tiers.methods import Methods


def command_line(config: str, filters: Filters, methods: Methods, output: str) -> str:
    """Return the command that makes the report of a selection.

    Parameters
    ----------
    config : str
        The path of the dataset's config.
    filters : Filters
        What is selected.
    output : str
        The name of its file; one that ends in `.md` is Markdown.
    """
    words = ["python", "-m", "core", "report", config]
    if chosen := filters.to_dict():
        words += ["--filters", json.dumps(chosen, ensure_ascii=False)]
    usual = Methods()
    if methods.interval != usual.interval:
        words += ["--interval", methods.interval]
    if methods.repeats != usual.repeats:
        words += ["--repeats", methods.repeats]
    if output.endswith(".md"):
        words += ["--format", "markdown"]
    return shlex.join([*words, "--output", output])
