"""How many items would separate two evals: the minimum detectable difference, solved for the items."""

import math

from scipy import special

from core.stats.paired import POWER_QUANTILE, PairedResult


def items_needed(result: PairedResult, difference: float | None = None, *, alpha: float = 0.05) -> float:
    """Items at which a difference would be found with about 80% power.

    Parameters
    ----------
    result
        What was seen: its share of items on which the two differ (or, with repeats or scores, its spread of
        differences) is taken to stay as it is.
    difference
        The true difference; the one seen where it is None.
    alpha
        Two-sided level of the section's tests, divided by their number as for `minimum_detectable`.

    Returns
    -------
    float
        A whole number; infinite for a difference of 0, NaN where nothing can be said: no common items, or
        differences that do not vary.

    Notes
    -----
    0/1 with one completion each: Connor's sample size (Connor 1987, Biometrics 43:207),
    ``(z_a*sqrt(psi) + z_b*sqrt(psi - d^2))^2 / d^2`` with ``psi = max(|d|, (b+c+1)/(n+2))``, of which
    `core.stats.paired.minimum_detectable_binary` is the inverse. Otherwise ``((z_a + z_b) * s_d / d)^2``.
    """
    d = abs(result.d if difference is None else difference)
    if math.isnan(d) or result.n_items == 0:
        return math.nan
    if d == 0:
        return math.inf
    if not result.binary:
        # The minimum detectable difference falls with the square root of the items.
        ratio = result.minimum_detectable / d
        return math.nan if math.isnan(ratio) else _whole(result.n_items * ratio * ratio)
    z_a = float(-special.ndtri(alpha / result.tests / 2))
    psi = max(d, (result.b + result.c + 1) / (result.n_items + 2))
    root = z_a * math.sqrt(psi) + POWER_QUANTILE * math.sqrt(psi - d * d)
    return max(_whole((root / d) ** 2), math.floor(max(3.0, z_a**2 - POWER_QUANTILE**2)) + 1.0)


def _whole(items: float) -> float:
    # What is whole but for rounding must not be rounded up.
    return float(math.ceil(items - 1e-9 * items))
