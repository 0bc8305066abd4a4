"""Evaluation results in: a reader per source format, one stream of checked records, staged for the store.

Here live the formats, the import that runs them in worker processes, and the inference of a config from
what was imported; no statistics and no charts.
"""

from core.importers.importing import import_sources
from core.importers.progress import Progress, terminal_progress
from core.importers.report import ImportReport

__all__ = ["ImportReport", "Progress", "import_sources", "terminal_progress"]
