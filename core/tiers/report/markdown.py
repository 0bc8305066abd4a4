"""A report as Markdown: its words and tables. Figures are named, for the HTML report has them."""

from collections.abc import Iterator

from core.export import markdown_text
from core.export import to_markdown as table_markdown
from core.tiers.report.sections import Figure, Report, Section


def to_markdown(report: Report) -> str:
    """Return the report as Markdown."""
    said = [f"- {markdown_text(words)}" for words in report.summary]
    amounts = [f"{markdown_text(report.amounts)}."] if report.amounts else []
    parts = [
        f"# {markdown_text(report.title)}",
        f"Selected: {markdown_text(report.filters.sentence(report.config))}. {report.methods.sentence()}.",
        *amounts,
        f"ReasonScape Explorer {report.version}, {report.made_at:%Y-%m-%d %H:%M} UTC",
        "\n".join(["## Summary", "", *said]),
        *(part for section in report.sections for part in _blocks(section)),
        "## The same report again",
        "With the same source files, and the path of the config in the place of its name:",
        f"    {report.command('md')}",
    ]
    return "\n\n".join(part.rstrip() for part in parts) + "\n"


def _blocks(section: Section) -> Iterator[str]:
    yield f"## {markdown_text(section.title)}"
    if section.fault:
        yield f"Not in this report: {markdown_text(section.fault)}"
    if section.sentence:
        yield f"**{markdown_text(section.sentence)}**"
    for part in section.parts:
        if isinstance(part, Figure):
            yield f"Figure (in the HTML report): {markdown_text(str(part.chart['description']))}"
        else:
            yield f"{markdown_text(part.caption)}:\n\n{table_markdown(part.frame)}"
    if section.notes:
        yield "\n".join(f"- {markdown_text(note)}" for note in section.notes)
