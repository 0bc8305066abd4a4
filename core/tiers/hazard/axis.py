"""The axis of tokens: where it has ticks, and under each how many completions are still thinking."""

from collections.abc import Sequence

import altair as alt

from core.tiers.hazard.curves import Curves

MOST_TICKS = 6

_NUMBER = "format(datum.value, ',')"


def ticks(reach: int, bucket_size: int) -> list[int]:
    """Return bucket edges for the axis, 0 and at most MOST_TICKS more, the same number of buckets apart."""
    buckets = max(reach // bucket_size, 1)
    step = -(-buckets // MOST_TICKS)
    width = next(
        one * 10**power for power in range(9) for one in (1, 2, 4, 5, 8, 10) if one * 10**power >= step
    )
    return [edge * bucket_size for edge in range(0, buckets + 1, width)]


def tick_size(reach: int, bucket_size: int) -> int:
    """Return what `ticks` takes for a bucket: where all is over within two, their edges are no axis."""
    return bucket_size if reach >= 2 * bucket_size else 1


def still_thinking(curves: Curves, tokens: Sequence[int]) -> list[int]:
    """Return how many completions of a group have more than so many tokens; all of them at 0."""
    table = curves.observed.table
    waiting = (table.n - table.over_by(table.places(tokens))).tolist()
    return [table.n if at == 0 else count for at, count in zip(tokens, waiting, strict=True)]


def waiting_texts(curves: Curves, tokens: Sequence[int]) -> dict[str, str]:
    """Return the numbers still thinking by tokens, as the texts under the axis."""
    return {str(at): f"{count:,}" for at, count in zip(tokens, still_thinking(curves, tokens), strict=True)}


def token_axis(groups: Sequence[Curves], reach: int, bucket_size: int) -> alt.X:
    """Return the axis of tokens, under each of its labels the numbers at risk, a line for each group."""
    edges = ticks(reach, bucket_size)
    lines = [f"{waiting_texts(curves, edges)}[datum.value]" for curves in groups]
    return alt.X(
        "end:Q",
        title=["completion tokens", "(below them: still thinking,", "in the order of the legend)"],
        scale=alt.Scale(domain=[0, reach], nice=False, padding=0),
        axis=alt.Axis(
            values=edges,
            labelExpr=f"[{', '.join([_NUMBER, *lines])}]",
            grid=False,
            labelOverlap=True,
        ),
    )
