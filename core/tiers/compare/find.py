"""Which eval a person means: by its place in the config, by its label, or by its model."""

from collections.abc import Sequence

from core.config import DatasetConfig
from core.errors import FilterError
from core.filters import Filters
from core.store.dataset import Dataset
from core.tiers.points import points_at, selected_at
from core.tiers.selection import selected_points


def find_eval(config: DatasetConfig, text: str) -> int:
    """Return the eval id that a text names: an eval_id, else a label (or on-screen name), else a model.

    Raises
    ------
    FilterError
        It names none or several; the message says which there are.
    """
    wanted = text.strip()
    if wanted.isascii() and wanted.isdigit() and int(wanted) < len(config.evals):
        return int(wanted)
    names = config.eval_names
    for exact in (True, False):
        for kind in (
            names,
            [entry.label for entry in config.evals],
            [_models(config, n) for n in range(len(names))],
        ):
            found = [place for place, one in enumerate(kind) if _same(one, wanted, exact=exact)]
            if len(found) == 1:
                return found[0]
            if found:
                told = ", ".join(f"{place} ({names[place]})" for place in found)
                raise FilterError(f"Several evals are called {text!r}: {told}; name one by its eval_id")
    valid = ", ".join(f"{place} ({name})" for place, name in list(enumerate(names))[:30])
    more = ", ..." if len(names) > 30 else ""
    raise FilterError(f"No eval {text!r} in this dataset; valid: {valid or 'none'}{more}")


def _models(config: DatasetConfig, eval_id: int) -> list[str]:
    model = config.evals[eval_id].filters.get("model", [])
    return model if isinstance(model, list) else [model]


def _same(names: str | Sequence[str], wanted: str, *, exact: bool) -> bool:
    some = [names] if isinstance(names, str) else names
    return wanted in some if exact else wanted.casefold() in [one.casefold() for one in some]


def offered_evals(dataset: Dataset, filters: Filters) -> list[int]:
    """Return the evals that filters leave and that have points, in the order in which evals are shown.

    Parameters
    ----------
    filters : Filters
        Resolved against the dataset's catalog.
    """
    selected, parameters = selected_points(dataset, filters)
    rows = dataset.rows(f"SELECT DISTINCT eval_id FROM ({selected})", **parameters)
    found = {row["eval_id"] for row in rows}
    return [one for one in dataset.config.eval_order if one in found]


def ranked_evals(dataset: Dataset, filters: Filters) -> list[int]:
    """Return the same evals, the largest share of right completions first, truncated counted as wrong.

    The first two are the pair to look at where nobody has chosen one.

    Parameters
    ----------
    filters : Filters
        Resolved against the dataset's catalog, so that the threshold is known.
    """
    selected, threshold, parameters = selected_at(dataset, filters)
    rows = dataset.rows(
        f"""
        WITH selected AS ({selected})
        SELECT s.eval_id, sum(p.correct) / sum(p.correct + p.incorrect + p.invalid + p.truncated) AS share
        FROM {points_at(threshold, filters.flagged)} p
        JOIN selected s USING (point_id)
        GROUP BY s.eval_id""",
        **parameters,
    )
    shares = {row["eval_id"]: row["share"] or 0.0 for row in rows}
    return sorted(offered_evals(dataset, filters), key=lambda one: -shares.get(one, 0.0))
