"""How accuracy runs along one param of a task, as numbers and as a chart."""

import json

import altair as alt
import pandas as pd

from core import __version__, charts
from core.config import is_number, value_order
from core.errors import FilterError, NothingFoundError
from core.filters import Filters
from core.palette import model_colour
from core.store.dataset import Dataset
from core.store.membership import axis_position
from core.tiers.cells import estimate_cells
from core.tiers.methods import Methods
from core.tiers.points import read_choices, read_points
from core.tiers.tasks.table import MOST_VALUES


def accuracy_by_param(
    dataset: Dataset, filters: Filters, base_task: str, param: str, methods: Methods
) -> pd.DataFrame:
    """Return accuracy along a param: one row per (eval, value) with n, items, interval.

    Columns: eval_id, name, position, value (text), n, n_items, accuracy, lower, upper. A numeric param with
    more than MOST_VALUES values is cut into quantile bins of its items' values.

    Raises
    ------
    FilterError
        The task has no such param.
    NothingFoundError
        Nothing of the task is selected.
    """
    filters = filters.resolved(dataset.catalog)
    points = read_points(dataset, filters)
    points = points[points["task"] == base_task]
    if points.empty:
        raise NothingFoundError("No results found matching filters")
    params = dataset.sql(
        "SELECT params_id, params FROM data.param_sets WHERE base_task = $task", task=base_task
    )
    of = {row["params_id"]: json.loads(row["params"]).get(param) for row in params.to_pylist()}
    points = points.assign(
        value=pd.Series([of.get(one) for one in points["params_id"]], points.index, object)
    )
    points = points[points["value"].notna()]
    if points.empty:
        raise FilterError(f"Task {base_task} has no param {param!r} in this selection")
    labels, places = _axis(points["value"])
    points = points.assign(position=places)
    choices = read_choices(dataset, filters).merge(
        points[["eval_id", "params_id", "position"]], on=["eval_id", "params_id"]
    )
    cells = estimate_cells(points, choices, ["eval_id", "position"], methods)
    names = dataset.config.eval_names
    cells["name"] = [names[eval_id] for eval_id in cells["eval_id"]]
    cells["value"] = [labels[place] for place in cells["position"]]
    return cells[["eval_id", "name", "position", "value", "n", "n_items", "accuracy", "lower", "upper"]]


def _axis(values: pd.Series) -> tuple[list[str], list[int]]:
    """Return the labels of an axis and the place of each value on it."""
    distinct = sorted(set(values), key=value_order)
    numeric = all(map(is_number, distinct))
    if len(distinct) <= MOST_VALUES or not numeric:
        place = {value: number for number, value in enumerate(distinct)}
        return [str(value) for value in distinct], [place[value] for value in values]
    cut = pd.qcut(values.astype(float), MOST_VALUES, duplicates="drop")
    groups = values.astype(float).groupby(cut, observed=True)
    bins = [(float(part.min()), float(part.max())) for _, part in groups]
    labels = [f"{low:g}" if low == high else f"{low:g} to {high:g}" for low, high in bins]
    return labels, [axis_position(value, None, bins) or 0 for value in values]


def param_chart(
    frame: pd.DataFrame, dataset: Dataset, filters: Filters, base_task: str, param: str, methods: Methods,
    *, width: int = 720, height: int = 400, dark: bool = False,
) -> alt.LayerChart:  # fmt: skip
    """Return accuracy along a param as lines with intervals, one colour an eval."""
    ids = sorted(set(frame["eval_id"]))
    names = dataset.config.eval_names
    names_shown = [names[i] for i in ids]
    labels = list(dict.fromkeys(frame.sort_values("position")["value"]))
    colour = alt.Color(
        "name:N",
        title=None,
        scale=alt.Scale(domain=names_shown, range=[model_colour(i) for i in ids]),
        legend=alt.Legend(orient="bottom", columns=2, symbolOpacity=1) if len(ids) > 1 else None,
    )
    tooltip = [
        alt.Tooltip("name:N", title="eval"),
        alt.Tooltip("value:N", title=param),
        alt.Tooltip("accuracy:Q", title="accuracy", format=".3f"),
        alt.Tooltip("lower:Q", title="95% from", format=".3f"),
        alt.Tooltip("upper:Q", title="95% to", format=".3f"),
        alt.Tooltip("n:Q", title="n", format=","),
        alt.Tooltip("n_items:Q", title="items", format=","),
    ]
    base = alt.Chart(frame.dropna(subset=["accuracy"])).encode(
        x=alt.X(
            "value:O", sort=labels, title=param, axis=alt.Axis(labelAngle=0 if len(labels) <= 8 else -35)
        ),
        # Side by side, so that the intervals of two evals at one value do not cover each other.
        xOffset=alt.XOffset("name:N", scale=alt.Scale(domain=names_shown, paddingInner=0, paddingOuter=0.5)),
        color=colour,
        tooltip=tooltip,
    )
    y = alt.Y("accuracy:Q", title="accuracy", scale=alt.Scale(domain=[0, 1]))
    rules = base.mark_rule(strokeWidth=2, opacity=0.35).encode(
        y=alt.Y("lower:Q", title="accuracy"), y2="upper:Q"
    )
    label = dataset.config.task_label(base_task)
    return charts.finish(
        alt.LayerChart(
            layer=[rules, base.mark_line().encode(y=y), base.mark_point(size=60, filled=True).encode(y=y)]
        ),
        title=f"{label}: accuracy by {param}",
        subtitle=filters.resolved(dataset.catalog).sentence(dataset.config),
        footer=charts.footer_text(
            dataset.config.name,
            f"{charts.n_text(frame['n'].min(), frame['n'].max())} a mark",
            methods.sentence(),
            version=__version__,
        ),
        width=width,
        height=height + (24 * ((len(ids) + 1) // 2) if len(ids) > 1 else 0),
        dark=dark,
    )
