"""Spectra of prompts in a points database: which prompts get one, their tokens, and the numbers stored.

Pages and tiers only read what is written here; nothing here draws, and no Streamlit.
"""

from core.spectra.command import SpectraReport, compute_spectra
from core.spectra.names import BYTES
from core.spectra.tokens import Origin, TokenSource
from core.spectra.write import write_spectra

__all__ = [
    "BYTES",
    "Origin",
    "SpectraReport",
    "TokenSource",
    "compute_spectra",
    "write_spectra",
]
