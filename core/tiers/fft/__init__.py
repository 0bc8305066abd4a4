"""FFT: what a tokenizer makes of the prompts, as spectra, and whether that goes with the accuracy.

Reads what core.spectra stored; the numbers are core.stats.spectrum's and core.stats.spectrum_sample's.
"""

from core.spectra.write import KINDS
from core.tiers.fft.chart import Page, pages, spectra_chart
from core.tiers.fft.compare import Comparison, columns_of, default_evals, read_comparison
from core.tiers.fft.compare_chart import comparison_chart
from core.tiers.fft.document import comparison_frame, lines_frame, to_document
from core.tiers.fft.files import name_parts, result_files
from core.tiers.fft.grid import WHY, Column, FftGrid, NoSpectraError, read_grid
from core.tiers.fft.lines import Line, read_lines
from core.tiers.fft.rows import Row
from core.tiers.fft.words import (
    FORMULA,
    HOW_TO_READ,
    KIND_NAMES,
    RAW_CAPTION,
    comparison_notes,
    grid_notes,
    summarise,
)

__all__ = [
    "FORMULA",
    "HOW_TO_READ",
    "KINDS",
    "KIND_NAMES",
    "RAW_CAPTION",
    "WHY",
    "Column",
    "Comparison",
    "FftGrid",
    "Line",
    "NoSpectraError",
    "Page",
    "Row",
    "columns_of",
    "comparison_chart",
    "comparison_frame",
    "comparison_notes",
    "default_evals",
    "grid_notes",
    "lines_frame",
    "name_parts",
    "pages",
    "read_comparison",
    "read_grid",
    "read_lines",
    "result_files",
    "spectra_chart",
    "summarise",
    "to_document",
]
