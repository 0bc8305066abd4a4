"""Charts on screen: the finished chart, its words set as page text so that they wrap on a narrow screen."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import altair as alt
import streamlit as st

from core import charts
from core.ui import chart_selection
from core.ui.wording import capital, escape


def is_dark() -> bool:
    """Whether the page is shown in its dark theme."""
    return st.context.theme.type == "dark"


def show(
    chart: alt.LayerChart | alt.Chart | dict[str, Any], *, key: str, height: int, fields: Sequence[str] = ()
) -> dict[str, Any] | None:
    """Show a finished chart under its title, with its footer as caption.

    Parameters
    ----------
    chart
        What core.charts.finish returned, or its specification; the exported image is made of the same.
    key : str
        Unique on the page.
    height : int
        Of the plot in pixels; axes and legend come on top.
    fields : sequence of str
        Columns of the chart's data: its marks can then be clicked.

    Returns
    -------
    dict or None
        The fields of the mark that is selected.
    """
    finished = chart if isinstance(chart, dict) else charts.to_spec(chart)
    spec = screen_spec(finished, height)
    words = spec.pop("description")
    with words_around(finished):
        if not fields:
            st.vega_lite_chart(spec=spec, theme=None, width="stretch", key=key, alt=words)
            return None
        spec = chart_selection.selectable(spec, fields)
        event = st.vega_lite_chart(
            spec=spec, theme=None, width="stretch", key=key, alt=words, on_select="rerun"
        )
    return chart_selection.picked(event, fields)


@contextmanager
def words_around(finished: dict[str, Any]) -> Iterator[None]:
    """Show the title and subtitle of a finished chart above what is drawn inside, its footer below."""
    title, subtitle = (_joined(finished.get("title", {}).get(part)) for part in ("text", "subtitle"))
    with st.container(gap="xsmall"):
        st.markdown(f"**{escape(title)}**")
        if subtitle:
            st.caption(escape(capital(subtitle)))
        yield
        if footer := finished.get("usermeta", {}).get("footer"):
            st.caption(escape(footer))


def screen_spec(spec: dict[str, Any], height: int) -> dict[str, Any]:
    """Return a finished chart's specification as the screen takes it.

    Its words are page text, and the page sets the width. The height is the plot's, and legends have one
    column, so that no legend is cut off or presses the plot flat where the screen is narrower than the image.
    """
    config = {
        **spec.get("config", {}),
        "axisYDiscrete": {
            "labelLimit": {"expr": "clamp(0.45 * containerSize()[0], 110, 320)"},
            "labelFontSize": {"expr": f"containerSize()[0] < 520 ? 11 : {charts.LABEL_SIZE}"},
        },
    }
    screen = {
        **spec,
        "height": height,
        "autosize": {"type": "fit-x", "contains": "padding"},
        "config": config,
    }
    screen.pop("width", None)
    screen.pop("usermeta", None)
    screen.pop("title", None)
    return dict(_with_legends(screen))


def _with_legends(part: Any) -> Any:
    if isinstance(part, list):
        return [_with_legends(one) for one in part]
    if not isinstance(part, dict):
        return part
    # Rows of data may have a field of any name.
    return {
        name: value if name == "datasets" else _legend(value) if name == "legend" else _with_legends(value)
        for name, value in part.items()
    }


def _legend(legend: Any) -> Any:
    fits = {"expr": "max(120, containerSize()[0] - 90)"}
    return (
        {**legend, "columns": 1, "labelLimit": fits, "symbolOpacity": 1}
        if isinstance(legend, dict)
        else legend
    )


def _joined(lines: str | list[str] | None) -> str:
    return " ".join(lines) if isinstance(lines, list) else lines or ""
