"""A report as one HTML file that needs no network and runs nothing: text, tables, and images inside it."""

import base64
import logging
import re
from collections.abc import Iterator
from html import escape

import pandas as pd

from core import charts
from core.tiers.report.sections import Figure, Report, Section, Table
from core.tiers.report.style import style

_LOG = logging.getLogger(__name__)

_TAG = re.compile(r"<[a-z](?:[^<>\"]|\"[^\"]*\")*>")
# The image as a whole has an alternative text; what stands inside an <img> is read to nobody.
_UNSEEN = re.compile(r' (?:role|aria-[a-z]+|pointer-events)="[^"]*"')
_DIGITS = re.compile(r"(\d\.\d{3})\d+")


def to_html(report: Report) -> str:
    """Return the report as HTML."""
    sections = "\n".join(_section(number, one) for number, one in enumerate(report.sections))
    contents = "".join(
        f'<li><a href="#section-{number}">{escape(one.title)}</a></li>'
        for number, one in enumerate(report.sections)
    )
    said = "".join(f"<li>{escape(words)}</li>" for words in report.summary)
    amounts = f" {escape(report.amounts)}." if report.amounts else ""
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy"
  content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<title>{escape(report.title)}</title>
<style>{style()}</style>
</head>
<body>
<header>
<h1>{escape(report.title)}</h1>
<p>Selected: {escape(report.filters.sentence(report.config))}.{amounts}
{escape(report.methods.sentence())}.</p>
<p class="muted">ReasonScape Explorer {escape(report.version)}, {report.made_at:%Y-%m-%d %H:%M} UTC</p>
</header>
<main>
<section aria-labelledby="summary"><h2 id="summary">Summary</h2><ul>{said}</ul></section>
<nav aria-label="Sections"><ol>{contents}</ol></nav>
{sections}
<section aria-labelledby="again"><h2 id="again">The same report again</h2>
<p>With the same source files, and the path of the config in the place of its name:</p>
<pre tabindex="0" role="region" aria-label="Command line">{escape(report.command("html"))}</pre></section>
</main>
</body>
</html>
"""


def _section(number: int, section: Section) -> str:
    return (
        f'<section aria-labelledby="section-{number}">'
        f'<h2 id="section-{number}">{escape(section.title)}</h2>\n'
        + "\n".join(_blocks(section))
        + "</section>"
    )


def _blocks(section: Section) -> Iterator[str]:
    if section.fault:
        yield f'<p class="fault">Not in this report: {escape(section.fault)}</p>'
    if section.sentence:
        yield f"<p><strong>{escape(section.sentence)}</strong></p>"
    for part in section.parts:
        yield _table(part) if isinstance(part, Table) else _figure(part)
    if section.notes:
        notes = "".join(f"<li>{escape(note)}</li>" for note in section.notes)
        yield f"<h3>Before you quote these numbers</h3><ul>{notes}</ul>"


def _figure(figure: Figure) -> str:
    words = escape(str(figure.chart["description"]), quote=True)
    try:
        svg = lighter(charts.to_svg(figure.chart))
    except Exception as fault:
        # One figure that cannot be drawn must not cost the reader the others; the log has the traceback.
        _LOG.exception("A figure of a report could not be drawn")
        return f'<p class="fault">Figure not drawn ({escape(type(fault).__name__)}): {words}</p>'
    # As an image: an SVG cannot run anything there, and the ids of one cannot clash with another's.
    data = base64.b64encode(svg.encode()).decode()
    return (
        '<figure class="wide" tabindex="0" role="region" aria-label="Figure">'
        f'<img src="data:image/svg+xml;base64,{data}" alt="{words}"></figure>'
    )


def lighter(svg: str) -> str:
    """Return an SVG image without what nobody sees: labels of its marks, and digits beyond the third."""
    return _TAG.sub(lambda tag: _DIGITS.sub(r"\1", _UNSEEN.sub("", tag[0])), svg)


def _table(table: Table) -> str:
    head = "".join(f'<th scope="col">{escape(str(name))}</th>' for name in table.frame.columns)
    rows = "\n".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in table.frame.itertuples(index=False))
    return (
        f'<div class="wide" tabindex="0" role="region" aria-label="{escape(table.caption, quote=True)}">'
        f"<table><caption>{escape(table.caption)}</caption>"
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _cell(value: object) -> str:
    return f"<td>{'—' if value is None or value is pd.NA else escape(str(value))}</td>"
