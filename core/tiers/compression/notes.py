"""What a reader must know before quoting panels and figures, and what to do where there is nothing to see."""

from core.stats.loglog import LEAST_N, LEAST_SPREAD
from core.tiers.compression.bins import PANELS
from core.tiers.compression.length import TOKENS
from core.tiers.compression.panels import Panels
from core.tiers.compression.rows import MOST_EXACT
from core.tiers.methods import Methods
from core.tiers.words import count

NO_TEXTS = (
    "The dataset has no texts of responses (they were left out at import, or the source has none): figures"
    " and loops are computed from sizes that were measured then; import again without --no-text to read them."
)


def method_sentence(methods: Methods, *, sampled: bool) -> str:
    """Return how the figures' intervals are made."""
    sample = "items as the sample" if methods.repeats == "cluster" else "completions taken as independent"
    told = (
        f"95% intervals, {sample}: slope by jackknife (t), medians between order statistics, AUC from"
        " placements on the logit scale (t)."
    )
    if sampled:
        told += (
            f" More than {MOST_EXACT:,} completions: values are ranked in bins 0.8% wide, and intervals come"
            " from a seeded sample of items, scaled to all."
        )
    return told


def problems(panels: Panels) -> list[str]:
    """Return why panels show nothing or less than one would expect, each with what to do; most have none."""
    n = panels.n
    if not n:
        return [
            f"All {panels.failed:,} completions failed for other reasons than the model: there is no response"
            " to look at. Lift a filter, or import results that came to an end."
        ]
    sums = {
        name: sum(panels.counted(name, outcome) for outcome in PANELS)
        for name in ("empty", "no_length", "no_size", "drawn")
    }
    if sums["no_size"] == n:
        return [
            "No completion of this selection has a response, so there are no sizes to compare: import the"
            " results again with the text in the field response. Sizes are measured at import; --no-text then"
            " leaves out the text and keeps the sizes."
        ]
    if sums["no_length"] == n:
        return [
            "No completion of this selection has a token count: measure length in bytes, or import the"
            " results again with the field completion_tokens."
        ]
    if sums["empty"] == n:
        return [
            f"All {n:,} responses are empty or have 0 tokens, which have no place on a log axis: lift a"
            " filter, measure length in bytes, or check whether the import found the field response."
        ]
    if n == 1:
        return [
            "There is one completion only: it is drawn, but a slope, an interval or a comparison needs more."
            " Lift a filter."
        ]
    return []


def panel_notes(*panels: Panels) -> tuple[str, ...]:
    """Return the notes of panels, of several in one."""
    counts = {
        name: sum(one.counted(name, outcome) for one in panels for outcome in PANELS)
        for name in ("empty", "no_length", "no_size")
    }
    length = panels[0].length
    tokens = length.measure == TOKENS
    empty = "an empty response or 0 tokens" if tokens else "an empty response"
    undrawn = "not drawn; measure length in bytes to see them" if tokens else "not drawn"
    failed = sum(one.failed for one in panels)
    told = [
        length.why,
        "Incorrect includes responses in which no answer could be read (invalid).",
        _some(counts["empty"], f"with {empty}", "no place on a log axis, and left out of the figures"),
        _some(counts["no_length"], f"without {'token count' if tokens else 'size'}", undrawn),
        _some(counts["no_size"], "without response text or size", "counted, and not drawn"),
        _some(failed, "that failed for other reasons than the model", "left out"),
        f"— for a slope: fewer than {LEAST_N} completions, or lengths that hardly differ (standard deviation"
        f" of ln length below {LEAST_SPREAD:g}).",
    ]
    return tuple(note for note in told if note)


def _some(number: int, what: str, then: str) -> str:
    return f"{count(number, 'completion')} {what}: {then}." if number else ""
