"""SQL of a list of completions: which there are, how many, and in which order.

Numbers come first and alone: the text of prompts and responses is read for a search only, and the columns
of a row only for the rows of one page.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from core.filters import Filters
from core.store.aggregate import EFFECTIVE_OUTCOME, STORED_THRESHOLD
from core.store.dataset import Dataset
from core.tiers.completions.wanted import Pair, Range, Wanted
from core.tiers.counted import completions_of, item_results_at
from core.tiers.loops import suspected_loop
from core.tiers.selection import selected_points

_SORT_KEYS = {
    "place": "c.completion_id",
    "item": "c.item_id",
    "tokens": "c.completion_tokens",
    "ratio": "c.compressed_bytes / nullif(c.response_bytes, 0)",
    "score": "c.score",
}

_PAIR_CONDITIONS = {
    "gained": "mean_a - mean_b > 1e-12",
    "lost": "mean_b - mean_a > 1e-12",
    "both_right": "abs(mean_a - mean_b) <= 1e-12 AND mean_a >= 0.5",
    "both_wrong": "abs(mean_a - mean_b) <= 1e-12 AND mean_a < 0.5",
}


@dataclass(frozen=True)
class Listing:
    """A list as SQL, over the alias `c` of completions.

    Attributes
    ----------
    ctes
        What stands after WITH: `selected` and what the conditions need.
    source
        What stands after FROM.
    where, order
        The condition and the order.
    parameters
        Of ctes, source and where.
    """

    ctes: str
    source: str
    where: str
    order: str
    parameters: dict[str, object]

    def ids(self) -> str:
        """Return SQL of the completion ids in order."""
        return f"""\
WITH {self.ctes}
SELECT c.completion_id
FROM {self.source}
WHERE {self.where}
ORDER BY {self.order}"""

    def count(self) -> str:
        """Return SQL of their number, as n."""
        return f"WITH {self.ctes}\nSELECT count(*) AS n FROM {self.source} WHERE {self.where}"


def filters_of(filters: Filters, wanted: Wanted) -> Filters:
    """Return the filters of a list: a pair selects its own two evals, whatever the filters say of evals."""
    if wanted.pair is None:
        return filters
    return replace(filters.without("groups"), eval_id=tuple(sorted(wanted.pair[:2])))


def outcome_at(threshold: float) -> str:
    """Return SQL of a completion's outcome over `c`; another threshold than the stored one is bound."""
    return "c.outcome" if threshold == STORED_THRESHOLD else EFFECTIVE_OUTCOME


def names_of(key: str, values: Iterable[object]) -> tuple[str, dict[str, object]]:
    """Return values as SQL placeholders with commas between, and their parameters."""
    parameters = {f"{key}_{number}": value for number, value in enumerate(values)}
    return ", ".join(f"${name}" for name in parameters) or "NULL", parameters


def listing(dataset: Dataset, filters: Filters, wanted: Wanted) -> Listing:
    """Return a list of completions as SQL.

    Parameters
    ----------
    filters : Filters
        Resolved against the dataset's catalog.
    wanted : Wanted
        Checked against it.
    """
    filters = filters_of(filters, wanted)
    selected, parameters = selected_points(dataset, filters)
    threshold = filters.threshold or STORED_THRESHOLD
    ctes = [f"selected AS ({selected})"]
    source = [f"{completions_of(filters)} c"]
    where = ["c.point_id IN (SELECT point_id FROM selected)"]
    if wanted.pair is not None:
        ctes.append(f"pair_items AS ({_pair_items(wanted.pair, threshold, filters.flagged)})")
        where.append("c.item_id IN (SELECT item_id FROM pair_items)")
        parameters |= {"pair_a": wanted.pair[0], "pair_b": wanted.pair[1]}
    if wanted.outcomes:
        names, bound = names_of("outcome", wanted.outcomes)
        where.append(f"{outcome_at(threshold)} IN ({names})")
        parameters |= bound
    if wanted.items:
        names, bound = names_of("item", wanted.items)
        where.append(f"c.item_id IN ({names})")
        parameters |= bound
    for number, (name, limits) in enumerate(wanted.ranges):
        inside, bound = _inside("v.number", f"range_{number}", limits)
        where.append(
            "c.point_id IN (SELECT p.point_id FROM data.points p JOIN data.param_values v USING (params_id)"
            f" WHERE v.name = $range_{number}_name AND {inside})"
        )
        parameters |= {f"range_{number}_name": name, **bound}
    if wanted.tokens != (None, None):
        inside, bound = _inside("c.completion_tokens", "tokens", wanted.tokens)
        where.append(inside)
        parameters |= bound
    if wanted.loops is not None:
        condition, bound = suspected_loop(wanted.loops, dataset.config)
        source.append("JOIN data.points p ON p.point_id = c.point_id")
        where.append(condition)
        parameters |= bound
    if wanted.flagged:
        where.append("c.completion_id IN (SELECT completion_id FROM flagged)")
    if wanted.search:
        where.append(_search(wanted))
        parameters["search"] = wanted.search
    if any("$threshold" in part for part in (*ctes, *where)):
        parameters["threshold"] = threshold
    return Listing(", ".join(ctes), " ".join(source), "\n  AND ".join(where), _order(wanted), parameters)


def _order(wanted: Wanted) -> str:
    direction = "DESC" if wanted.descending else "ASC"
    key = f"{_SORT_KEYS[wanted.sort]} {direction} NULLS LAST"
    return key if wanted.sort == "place" else f"{key}, c.completion_id"


def _inside(column: str, key: str, limits: Range) -> tuple[str, dict[str, object]]:
    names = {f"{key}_low": (">=", limits[0]), f"{key}_high": ("<=", limits[1])}
    given = {name: (sign, value) for name, (sign, value) in names.items() if value is not None}
    conditions = [f"{column} {sign} ${name}" for name, (sign, _) in given.items()]
    return " AND ".join(conditions) or "true", {name: value for name, (_, value) in given.items()}


def _search(wanted: Wanted) -> str:
    """Return the condition of a search. contains() has no wildcards, so that nothing needs an escape."""

    def has(column: str) -> str:
        if wanted.match_case:
            return f"contains({column}, $search)"
        return f"contains(lower({column}), lower($search))"

    response = f"c.completion_id IN (SELECT completion_id FROM data.responses WHERE {has('text')})"
    prompt = f"c.prompt_id IN (SELECT prompt_id FROM data.prompts WHERE {has('text')})"
    return {"responses": response, "prompts": prompt, "both": f"({response} OR {prompt})"}[wanted.searched]


def _pair_items(pair: Pair, threshold: float, flagged: str) -> str:
    means = ", ".join(
        f"sum(r.y) FILTER (WHERE s.eval_id = $pair_{side})"
        f" / sum(r.k + r.truncated) FILTER (WHERE s.eval_id = $pair_{side}) AS mean_{side}"
        for side in ("a", "b")
    )
    # An item that one of them has not answered has no mean there, so no condition holds.
    return f"""
    SELECT item_id FROM (
        SELECT r.item_id, {means}
        FROM {item_results_at(threshold, flagged)} r
        JOIN selected s USING (point_id)
        JOIN data.items i USING (item_id)
        WHERE i.paired AND r.k + r.truncated > 0
        GROUP BY r.item_id
    )
    WHERE {_PAIR_CONDITIONS[pair[2]]}
"""
