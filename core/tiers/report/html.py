"""A report as one HTML file that needs no network and runs nothing: text, tables, and images inside it."""

import base64
from collections.abc import Iterator
from html import escape

import pandas as pd

from core import charts
from core.palette import theme
from core.tiers.report.sections import Figure, Report, Section, Table


def to_html(report: Report) -> str:
    """Return the report as HTML."""
    sections = "\n".join(_section(number, one) for number, one in enumerate(report.sections))
    contents = "".join(
        f'<li><a href="#section-{number}">{escape(one.title)}</a></li>'
        for number, one in enumerate(report.sections)
    )
    said = "".join(f"<li>{escape(one.sentence)}</li>" for one in report.sections[:-1] if one.sentence)
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy"
  content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<title>{escape(report.title)}</title>
<style>{_style()}</style>
</head>
<body>
<header>
<h1>{escape(report.title)}</h1>
<p>Selected: {escape(report.filters.sentence(report.config))}. {escape(report.methods.sentence())}.</p>
<p class="muted">ReasonScape Explorer {escape(report.version)}, {report.made_at:%Y-%m-%d %H:%M} UTC</p>
<nav aria-label="Sections"><ol>{contents}</ol></nav>
</header>
<main>
<section aria-labelledby="summary"><h2 id="summary">Summary</h2><ul>{said}</ul></section>
{sections}
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
    # As an image: an SVG cannot run anything there, and the ids of one cannot clash with another's.
    data = base64.b64encode(charts.to_svg(figure.chart).encode()).decode()
    words = escape(str(figure.chart["description"]), quote=True)
    return f'<figure><img src="data:image/svg+xml;base64,{data}" alt="{words}"></figure>'


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


def _style() -> str:
    light, dark = theme(False), theme(True)
    return f"""
body {{ margin: 0 auto; max-width: 1080px; padding: 24px; font: 16px/1.5 {charts.FONT};
  color: {light.text}; background: {light.background}; }}
h1, h2, h3 {{ line-height: 1.2; }} h2 {{ margin-top: 2.5em; border-top: 1px solid #8886; padding-top: .6em; }}
.muted, caption {{ opacity: .75; }} caption {{ text-align: left; padding: 4px 0; }}
.fault {{ border-left: 4px solid #b3261e; padding-left: 12px; }}
figure {{ margin: 20px 0; }} img {{ max-width: 100%; height: auto; background: {light.background}; }}
.wide {{ overflow-x: auto; }} table {{ border-collapse: collapse; font-size: 13px; }}
th, td {{ text-align: left; padding: 4px 10px 4px 0; border-bottom: 1px solid #8884; white-space: nowrap; }}
@media (prefers-color-scheme: dark) {{ body {{ color: {dark.text}; background: {dark.background}; }}
  a {{ color: #8ab4f8; }} }}
@media print {{ section {{ break-inside: avoid-page; }} nav {{ display: none; }} }}
"""
