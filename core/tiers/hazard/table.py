"""Hazards and incidences of a selection, a page of groups or all of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from core.config import DatasetConfig
from core.errors import NothingFoundError
from core.filters import Filters
from core.store.dataset import Dataset
from core.tiers.hazard.curves import MOST_BUCKETS, Curves, estimate_curves
from core.tiers.hazard.groups import DEFAULT_SPLIT, Group, Grouping, read_groups
from core.tiers.hazard.read import Observed, read_observed
from core.tiers.methods import Methods
from core.tiers.words import count, listed

BUCKET_SIZE = 256
"""Of the command line, and of the page for token counts that reach SMALL."""

SMALL = 2_048
_ROUND = (1, 2, 5, 10, 16, 20, 25, 32, 50, 64, 100, 128)

GROUPS_READ = 100
"""Groups whose completions are read at once where all are asked for."""


@dataclass(frozen=True)
class Hazard:
    """Some groups of a selection, with their curves.

    Attributes
    ----------
    split
        The dimensions.
    curves
        Of the groups that have completions with token counts, in order.
    without
        The groups that have none, with what is known of them.
    bucket_size
        Tokens a bucket is wide.
    """

    split: tuple[str, ...]
    curves: tuple[Curves, ...]
    without: tuple[Observed, ...]
    config: DatasetConfig
    filters: Filters
    methods: Methods
    bucket_size: int


class NoTokensError(NothingFoundError):
    """Something matches, but nothing of it has a token count."""


def page_bucket_size(largest: int) -> int:
    """Return the bucket size of the page for the largest token count: 256, or a round part of a small one."""
    if largest >= SMALL:
        return BUCKET_SIZE
    wanted = max(largest / 16, 1)
    return min(_ROUND, key=lambda size: max(size / wanted, wanted / size))


def read_hazard(
    dataset: Dataset,
    filters: Filters,
    methods: Methods,
    *,
    split: Sequence[str] = DEFAULT_SPLIT,
    bucket_size: int = BUCKET_SIZE,
) -> Hazard:
    """Read the curves of all groups of a selection.

    Parameters
    ----------
    filters : Filters
        As the user gave them.
    split : sequence of str
        Dimensions of which each combination of values is a group; see core.tiers.split.dimensions.

    Raises
    ------
    FilterError
        The filters name what the dataset does not have, there is no such dimension or no such bucket.
    NothingFoundError
        Nothing matches the filters.
    NoTokensError
        No completion has a token count; the message says what to do.
    """
    filters = filters.resolved(dataset.catalog)
    grouping = read_groups(dataset, filters, split)
    parts = list(_parts(dataset, filters, methods, grouping, bucket_size))
    whole = replace(
        parts[0],
        curves=tuple(one for part in parts for one in part.curves),
        without=tuple(one for part in parts for one in part.without),
    )
    if not whole.curves:
        raise NoTokensError(no_tokens(whole.without))
    return whole


def _parts(
    dataset: Dataset, filters: Filters, methods: Methods, grouping: Grouping, bucket_size: int
) -> Iterator[Hazard]:
    for first in range(0, len(grouping.groups), GROUPS_READ):
        some = grouping.groups[first : first + GROUPS_READ]
        yield read_page(dataset, filters, methods, grouping, some, bucket_size=bucket_size)


def read_page(
    dataset: Dataset,
    filters: Filters,
    methods: Methods,
    grouping: Grouping,
    groups: Sequence[Group],
    *,
    bucket_size: int,
    most_buckets: int | None = None,
) -> Hazard:
    """Read the curves of some groups of a grouping.

    Parameters
    ----------
    filters : Filters
        Resolved, the ones the grouping was read with.
    most_buckets : int, optional
        Take larger buckets where the groups would have more than so many together, or one of them more than
        MOST_BUCKETS; the result has their size.

    Raises
    ------
    FilterError
        There is no such bucket.
    """
    observed = read_observed(dataset, filters, grouping, groups)
    if most_buckets is not None:
        longest = [int(one.table.times[-1]) for one in observed if one.table.n]
        widest = -(-max(longest, default=0) // MOST_BUCKETS)
        bucket_size = max(bucket_size, least_bucket_size(longest, most_buckets), widest)
    return Hazard(
        grouping.dimensions,
        tuple(estimate_curves(one, methods, bucket_size) for one in observed if one.table.n),
        tuple(one for one in observed if not one.table.n),
        dataset.config,
        filters,
        methods,
        bucket_size,
    )


def least_bucket_size(longest: Sequence[int], most: int) -> int:
    """Return the smallest bucket size with which groups have at most so many buckets together."""
    size = max(-(-sum(longest) // most), 1)
    while sum(-(-one // size) for one in longest) > most:
        size += 1
    return size


def completions(number: int) -> str:
    """Return "1 completion" or "1,200 completions"."""
    return count(number, "completion")


def no_tokens(groups: Sequence[Observed]) -> str:
    """Return why groups have no curve, and what to do."""
    names = listed([one.group.title for one in groups])
    missing = sum(one.facts.without_tokens for one in groups)
    if not missing:
        failed = completions(sum(one.facts.errors for one in groups))
        return (
            f"Of {names} there is nothing to follow: {failed}, all failed before an answer."
            " Evaluate them again"
        )
    return (
        f"Of {names} there is nothing to follow: {completions(missing)}, all without a token count, which is"
        " the time axis here. Import results that report completion_tokens, or with the response texts, which"
        " are then counted"
    )
