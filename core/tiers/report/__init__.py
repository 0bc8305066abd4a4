"""The report: what the main tiers say of one selection, as one HTML or Markdown file to send around."""

from core.tiers.report.html import to_html
from core.tiers.report.markdown import to_markdown
from core.tiers.report.sections import Figure, Report, Section, Table, read_report

__all__ = ["Figure", "Report", "Section", "Table", "read_report", "to_html", "to_markdown"]
