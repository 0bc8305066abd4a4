"""Plotly figures as PNG and HTML. PNG needs Chrome or Chromium: found, started once, used through kaleido.

Everything flat goes through core.charts instead, which needs no browser.
"""

import asyncio
import atexit
import threading
from collections.abc import Coroutine, Mapping
from html import escape
from pathlib import Path
from typing import Any, TypeVar

import plotly.graph_objects as go

from core import charts
from core.errors import ReasonScapeError

HOW_TO = (
    "A PNG of a 3-D surface needs Chrome or Chromium: install it (`apt install chromium`, or run"
    " `plotly_get_chrome`) or set BROWSER_PATH to it."
)

START_SECONDS, IMAGE_SECONDS = 60, 120

Result = TypeVar("Result")


class BrowserError(ReasonScapeError):
    """The browser that draws 3-D images is absent, or it failed."""


def find_browser() -> str | None:
    """Return the path of a Chrome or Chromium (BROWSER_PATH first), None where there is none."""
    from choreographer.browsers.chromium import Chromium

    found = Chromium.find_browser(skip_local=False)
    return found if found and Path(found).is_file() else None


def figure_png(figure: go.Figure, *, scale: float = 2) -> bytes:
    """Return a figure as PNG; the first takes seconds, since a browser starts, the next a fraction of one.

    Raises
    ------
    BrowserError
        There is no browser, or it does not start or answer; the message says what to do.
    """
    browser = _browser()
    try:
        return browser.png(figure, scale)
    except BrowserError:
        # It may have died: whoever asks next gets another one.
        with _lock:
            _started[:] = [one for one in _started if one is not browser]
        raise


def start_browser() -> None:
    """Start the browser, so that what follows cannot fail for want of one. Raises BrowserError."""
    _browser()


def figures_html(figures: Mapping[str, go.Figure], *, title: str, footer: str) -> str:
    """Return figures, each under its heading, as one HTML file that needs no network."""
    parts = [
        f"<h2>{escape(heading)}</h2>"
        + figure.to_html(include_plotlyjs=place == 0, full_html=False, config={"displaylogo": False})
        for place, (heading, figure) in enumerate(figures.items())
    ]
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f"<title>{escape(title)}</title><style>body {{ font-family: {charts.FONT}; margin: 20px; }}"
        f" h2 {{ font-size: 16px; }}</style></head>\n<body><h1>{escape(title)}</h1>\n"
        f"{''.join(parts)}\n<p>{escape(footer)}</p></body></html>\n"
    )


class _Browser:
    """One browser process and the event loop that talks to it, in a thread of its own.

    kaleido's own synchronous server waits for ever where its browser dies; here each wait has an end.
    """

    def __init__(self, path: str) -> None:
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, name="kaleido", daemon=True).start()
        try:
            self._kaleido = self._wait(self._start(path), START_SECONDS)
        except Exception as fault:
            raise BrowserError(f"{path} does not start: {_reason(fault)}. {HOW_TO}") from fault

    def png(self, figure: go.Figure, scale: float) -> bytes:
        options = {"format": "png", "scale": scale}
        try:
            return bytes(
                self._wait(self._kaleido.calc_fig(figure.to_plotly_json(), opts=options), IMAGE_SECONDS)
            )
        except Exception as fault:
            raise BrowserError(f"The browser could not draw the image: {_reason(fault)}. {HOW_TO}") from fault

    def close(self) -> None:
        try:
            self._wait(self._kaleido.close(), 10)
        except Exception:
            # The process ends with the program anyway; nothing is left to save.
            return

    async def _start(self, path: str) -> Any:
        import kaleido

        # MathJax would be fetched from the network.
        browser = kaleido.Kaleido(n=1, timeout=IMAGE_SECONDS, mathjax=False, path=path)
        await browser.open()
        return browser

    def _wait(self, work: Coroutine[Any, Any, Result], seconds: float) -> Result:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(seconds)


def _reason(fault: Exception) -> str:
    # choreographer's exceptions carry their sentences as several arguments.
    said: Any = fault.args
    while isinstance(said, tuple) and said:
        said = said[0]
    first = str(said or "").strip().partition("\n")[0]
    return first.rstrip(".") or type(fault).__name__


_lock = threading.Lock()
_started: list[_Browser] = []


def _browser() -> _Browser:
    """Return the one browser of this process, started by whoever asks first; it serves one at a time."""
    with _lock:
        if not _started:
            path = find_browser()
            if path is None:
                raise BrowserError(HOW_TO)
            browser = _Browser(path)
            atexit.register(browser.close)
            _started.append(browser)
        return _started[0]
