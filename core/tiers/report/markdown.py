"""A report as Markdown: its words and tables. Figures are named, for the HTML report has them."""

from collections.abc import Iterator

from core.export import to_markdown as table_markdown
from core.tiers.report.sections import Figure, Report, Section


def to_markdown(report: Report) -> str:
    """Return the report as Markdown."""
    said = [f"- {plain(one.sentence)}" for one in report.sections[:-1] if one.sentence]
    parts = [
        f"# {plain(report.title)}",
        f"Selected: {plain(report.filters.sentence(report.config))}. {report.methods.sentence()}.",
        f"ReasonScape Explorer {report.version}, {report.made_at:%Y-%m-%d %H:%M} UTC",
        "\n".join(["## Summary", "", *said]),
        *(part for section in report.sections for part in _blocks(section)),
    ]
    return "\n\n".join(part.rstrip() for part in parts) + "\n"


def _blocks(section: Section) -> Iterator[str]:
    yield f"## {plain(section.title)}"
    if section.fault:
        yield f"Not in this report: {plain(section.fault)}"
    if section.sentence:
        yield f"**{plain(section.sentence)}**"
    for part in section.parts:
        if isinstance(part, Figure):
            yield f"Figure (in the HTML report): {plain(str(part.chart['description']))}"
        else:
            yield f"{plain(part.caption)}:\n\n{table_markdown(part.frame)}"
    if section.notes:
        yield "\n".join(f"- {plain(note)}" for note in section.notes)


def plain(text: str) -> str:
    """Return text in which nothing of the data can be Markdown or HTML."""
    for character in "\\`*_[]|#":
        text = text.replace(character, f"\\{character}")
    return " ".join(text.replace("&", "&amp;").replace("<", "&lt;").split())
