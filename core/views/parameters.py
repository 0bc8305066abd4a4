"""The parameters that an address of this app may have: no others are kept in a view or taken from a file.

The widgets name them; a test compares.
"""

FILTERS = ("eval", "group", "tier", "task", "surface", "projection", "any_groups", "threshold", "flagged")
"""Parameters of the filters, on every page; those of params have a prefix."""

PARAM = "param."
_PREFIXES = (PARAM, "list.least.", "list.most.")
_NAME_LENGTH = 500

OPTIONS = {
    "all": ("interval", "repeats"),
    "evals": ("evals_search",),
    "tasks": ("tasks_search", "by", "detail"),
    "scores": ("baseline", "rank_incomplete", "by_tier", "draws"),
    "cluster": ("stack", "rule", "pairs", "section", "cluster_split", "cluster_part", "cluster_page"),
    "compare": ("a", "b", "compare_with", "measure", "truncated", "compare_page", "longer"),
    "spiderweb": ("spider_view", "spider_many", "shown", "rings", "spokes"),
    "surface": (
        "shown_surfaces",
        "shown_projections",
        "panels",
        "build_task",
        "build_x",
        "build_y",
        "azimuth",
        "elevation",
        "slice_surface",
        "slice_along",
        "slice_x",
        "slice_y",
        "minuend",
        "subtrahend",
        "grid_page",
        "difference_page",
    ),
    "hazard": ("bucket", "budget", "hazard_split", "hazard_evals", "hazard_part", "hazard_page", "log_rank"),
    "fft": ("fft_projections", "fft_a", "fft_b", "fft_kind", "fft_scale", "fft_page"),
    "compression": (
        "figures",
        "compression_split",
        "compression_series",
        "compression_stack",
        "compression_length",
        "compression_page",
        "loop_list",
        "loop_bytes",
        "loop_ratio",
        "loop_left_out",
        "loop_sort",
        "loop_page",
    ),
    "modelinfo": ("scored_by", "against", "coloured_by", "read_model"),
    "completions": (
        "list.view",
        "list.page",
        "list.completion",
        "list.search",
        "list.searched",
        "list.case",
        "list.largest_first",
        "list.flagged",
        "list.loop_bytes",
        "list.loop_percent",
        "list.ranges",
        "list.outcome",
        "list.items",
        "list.loops",
        "list.tokens_from",
        "list.tokens_to",
        "list.pair",
        "list.pair_a",
        "list.pair_b",
        "list.sort",
        "list.beside",
        "hard.kind",
        "hard.fewest",
        "hard.page",
        "hard.item",
    ),
    "dataset": ("edit",),
}
"""The parameters of the methods, and of each page's own controls."""

_KNOWN = frozenset(FILTERS).union(*OPTIONS.values())


def known(key: str) -> bool:
    """Return whether an address of some page has such a parameter.

    Not of one page alone: a page leaves what it has no control for, and controls move between pages.
    """
    return key in _KNOWN or (key.startswith(_PREFIXES) and len(key) <= _NAME_LENGTH)
