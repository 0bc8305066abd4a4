"""Power spectra of token sequences: where in [0, 0.5] cycles per token a prompt repeats itself.

Ids are labels, so the indicator spectrum, which no relabelling changes, is the one to read.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import fft

from core.stats.arrays import FloatArray, IntArray

BANDS = 64
"""Bands of equal width over [0, 0.5] cycles per token."""

LEAST_TOKENS = 16
"""A shorter sequence has no spectrum."""

_BLOCK = 512
_CHUNK = 1 << 21
"""Samples transformed at a time: memory does not grow with the length of a prompt times its vocabulary."""


def band_edges() -> FloatArray:
    """Return the 65 edges of the bands, in cycles per token."""
    return np.linspace(0.0, 0.5, BANDS + 1)


def band_centres() -> FloatArray:
    """Return the 64 centres of the bands, in cycles per token."""
    edges = band_edges()
    return np.asarray((edges[:-1] + edges[1:]) / 2, dtype=np.float64)


def has_spectrum(ids: ArrayLike) -> bool:
    """Return whether a sequence of token ids is long enough and has more than one value.

    The first token has no weight in the window, so that it does not count as another value.
    """
    values = np.asarray(ids)
    return values.size >= LEAST_TOKENS and bool(np.any(values[1:] != values[1]))


def indicator_spectrum(ids: ArrayLike) -> FloatArray | None:
    """Share of power per band of the indicators of the token values: which positions hold the same token.

    Parameters
    ----------
    ids
        Shape (N,): token ids, as labels only.

    Returns
    -------
    ndarray or None
        Shape (64,), summing to 1; None where `has_spectrum` says so.

    Notes
    -----
    With ``y_v = w * (1[x = v] - sum(w 1[x = v]) / sum(w))`` for each value v, w the periodic Hann window:
    ``P = (1, 2, ..., 2, 1) * sum_v |rfft y_v|^2 / (nfft * sum_v sum y_v^2)``, zero-padded to
    ``nfft = 512 * ceil(N / 512)``: the sum over symbols of Silverman, Linsker 1986, J. Theor. Biol. 118:295,
    who took the four letters of DNA. Values are taken in order of first appearance, so that a relabelling
    changes not even the rounding.
    """
    values = np.asarray(ids)
    if not has_spectrum(values):
        return None
    codes = first_appearance(values)
    window, nfft = _window(values.size), _padded(values.size)
    counts = np.bincount(codes)
    shares = np.bincount(codes, window) / window.sum()
    # sum_v |A_v - p_v W|^2, A_v and W the transforms of w 1[x = v] and of w: most values of a prompt occur
    # once, and |A_v| of such a one is its weight at every frequency.
    power = np.full(nfft // 2 + 1, np.sum(window[counts[codes] == 1] ** 2))
    repeated = np.flatnonzero(counts > 1)
    step = max(1, _CHUNK // nfft)
    for start in range(0, repeated.size, step):
        some = repeated[start : start + step, None]
        power += _squared(fft.rfft(window * (codes == some), nfft, axis=1)).sum(axis=0)
    whole = fft.rfft(window, nfft)
    shared = fft.rfft(window * shares[codes], nfft)
    power += float(shares @ shares) * _squared(whole) - 2 * (whole * shared.conj()).real
    squares = window**2
    total = squares.sum() * (1 + float(shares @ shares)) - 2 * float(squares @ shares[codes])
    return np.asarray(_bands(np.maximum(power, 0)[None, :])[0] / (nfft * total), dtype=np.float64)


def signal_spectrum(x: ArrayLike) -> FloatArray | None:
    """Share of power per band of a sequence of numbers: of token ids, the raw-id spectrum.

    Parameters
    ----------
    x
        Shape (N,).

    Returns
    -------
    ndarray or None
        Shape (64,), summing to 1; None where `has_spectrum` says so.

    Notes
    -----
    ``y = w * (x - sum(w x) / sum(w))``, w the periodic Hann window; ``P = (1, 2, ..., 2, 1) * |rfft y|^2 /
    (nfft * sum y^2)``, zero-padded to ``nfft = 512 * ceil(N / 512)``. Band of frequency f:
    ``min(63, floor(128 f))``. Invariant to shift and scale of x.
    """
    values = np.asarray(x, dtype=np.float64)
    return signal_spectra(values[None, :])[0] if has_spectrum(values) else None


def signal_spectra(x: NDArray[np.floating]) -> NDArray[np.floating]:
    """Return `signal_spectrum` of each row of a matrix, in its precision; no row may be constant."""
    window = _window(x.shape[1]).astype(x.dtype)
    signals = (x - (x @ (window / window.sum()))[:, None]) * window
    bands = _band_power(signals)
    bands /= np.einsum("ij,ij->i", signals, signals)[:, None]
    return bands


def first_appearance(ids: ArrayLike) -> IntArray:
    """Return ids renumbered 0, 1, ... in order of first appearance."""
    _, first, codes = np.unique(np.asarray(ids), return_index=True, return_inverse=True)
    rank = np.empty(first.size, dtype=np.int64)
    rank[np.argsort(first)] = np.arange(first.size)
    return rank[codes.ravel()]


def _padded(size: int) -> int:
    return _BLOCK * -(-size // _BLOCK)


def _window(size: int) -> FloatArray:
    return np.asarray(0.5 - 0.5 * np.cos(2 * np.pi * np.arange(size) / size), dtype=np.float64)


def _squared(transform: NDArray[np.complexfloating]) -> NDArray[np.floating]:
    return np.asarray(transform.real**2 + transform.imag**2)


def _band_power(signals: NDArray[np.floating]) -> NDArray[np.floating]:
    """Return the power of each row in each band, divided by nfft; a row sums to its sum of squares."""
    nfft = _padded(signals.shape[1])
    # numpy computes in double precision whatever it is given; scipy keeps single.
    bands = _bands(_squared(fft.rfft(signals, nfft, axis=1)))
    bands /= nfft
    return bands


def _bands(power: NDArray[np.floating]) -> NDArray[np.floating]:
    """Return the sum per band of rows of power at 0 .. nfft/2, both sides of the spectrum counted."""
    power[:, 1:-1] *= 2
    # nfft is a multiple of 128, so that all bands are equally wide and the last has the Nyquist bin besides.
    bands: NDArray[np.floating] = power[:, :-1].reshape(len(power), BANDS, -1).sum(axis=2)
    bands[:, -1] += power[:, -1]
    return bands
