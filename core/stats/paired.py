"""Paired comparison of two evals on their common items: the difference, its interval and its test."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from core.stats.arrays import FloatArray, floats
from core.stats.intervals import Z
from core.stats.signflip import DRAWS, ENUMERATED, sign_flip

POWER_QUANTILE = 0.8416  # z of 80% power
NO_VARIANCE = 1e-12  # equal differences leave a standard error of rounding only


@dataclass(frozen=True)
class PairedResult:
    """Difference of two evals, a minus b, on common items; raw accuracy (or score), not guess-corrected.

    Attributes
    ----------
    d, lower, upper
        Mean difference and its 95% interval, within [-1, 1]; NaN where there is no number.
    p
        Two-sided p-value, not corrected for the number of tests.
    test, interval
        Name of the test and of the interval, as the page prints them.
    n_items
        Common items.
    b, c
        Items on which a is better, and on which b is better.
    minimum_detectable
        Difference detected with about 80% power at level alpha/tests; NaN: not reachable.
    binary
        Whether every item has one completion each and outcomes are 0 or 1.
    tests
        Number m of tests in the section.
    """

    d: float
    lower: float
    upper: float
    p: float
    test: str
    interval: str
    n_items: int
    b: int
    c: int
    minimum_detectable: float
    binary: bool
    tests: int


def compare(
    y_a: ArrayLike,
    k_a: ArrayLike,
    y_b: ArrayLike,
    k_b: ArrayLike,
    *,
    times: ArrayLike | None = None,
    tests: int = 1,
    alpha: float = 0.05,
    seed: int = 0,
    draws: int = DRAWS,
) -> PairedResult:
    """Compare two evals on the items both have completions of.

    Parameters
    ----------
    y_a, y_b
        Shape (items,): correct completions of each item (or the sum of their scores).
    k_a, k_b
        Shape (items,): counted completions of each item; items where either is 0 are left out.
    times
        Shape (items,): how many items each entry stands for, whole numbers; one each where it is None.
    tests
        Number m of tests (pairs or cells) in the section: it decides whether sign-flip p-values are fine
        enough, and the level of the minimum detectable difference.
    alpha
        Level of the section's tests.
    seed, draws
        Of the sign-flip test.

    Returns
    -------
    PairedResult
        With 0/1 outcomes and one completion each: exact McNemar and Bonett-Price. Otherwise: sign-flip (the
        paired t test where its draws are too few for alpha/m) and the t interval over items (Bonett-Price
        where no item differs).

    Raises
    ------
    ValueError
        If the arrays are not one-dimensional and equally long.
    """
    successes_a, trials_a, successes_b, trials_b, weights = (
        np.asarray(values, dtype=np.float64)
        for values in (y_a, k_a, y_b, k_b, np.ones(np.shape(y_a)) if times is None else times)
    )
    shapes = {v.shape for v in (successes_a, trials_a, successes_b, trials_b, weights)}
    if successes_a.ndim != 1 or len(shapes) > 1:
        raise ValueError("y_a, k_a, y_b and k_b (and times) must be one-dimensional and equally long")
    common = (trials_a > 0) & (trials_b > 0)
    mean_a = successes_a[common] / trials_a[common]
    mean_b = successes_b[common] / trials_b[common]
    d = mean_a - mean_b
    d[np.abs(d) < NO_VARIANCE] = 0.0  # sums of the same scores in another order
    weights = weights[common]
    n, b, c = (int(weights[some].sum()) for some in (slice(None), d > 0, d < 0))
    single = bool(np.all(trials_a[common] == 1) and np.all(trials_b[common] == 1))
    binary = single and all(bool(np.all((mean == 0) | (mean == 1))) for mean in (mean_a, mean_b))
    if n == 0:
        nan = float("nan")
        return PairedResult(nan, nan, nan, nan, "no common items", "none", 0, 0, 0, nan, binary, tests)
    level = alpha / tests
    if binary:
        return compare_binary([b], [c], [n], tests=tests, alpha=alpha)[0]
    d = np.repeat(d, weights.astype(np.int64))
    # Items that all agree have no spread to take a t interval from, which would then have no width.
    lower, upper = t_interval(d) if b + c else (float(bound) for bound in bonett_price(b, c, n))
    interval = "95% t over items" if b + c else "95% Bonett-Price"
    p, test = _mean_test(d, level, draws, seed)
    detectable = minimum_detectable_mean(d, level)
    mean = float(d.mean())
    return PairedResult(
        d=mean,
        lower=max(lower, -1.0),
        upper=min(upper, 1.0),
        p=p,
        test=test,
        interval=interval,
        n_items=n,
        b=b,
        c=c,
        minimum_detectable=detectable,
        binary=binary,
        tests=tests,
    )


def compare_binary(
    b: ArrayLike, c: ArrayLike, n: ArrayLike, *, tests: int = 1, alpha: float = 0.05
) -> list[PairedResult]:
    """Compare many pairs of evals on items of one 0/1 completion each, as `compare` does one.

    Parameters
    ----------
    b, c, n
        Shape (pairs,): discordant items of either kind, and all common items, at least one.
    tests, alpha
        As for `compare`.
    """
    first, second, items = floats(b, c, n)
    lower, upper = bonett_price(first, second, items)
    columns = (
        (first - second) / items,
        np.maximum(lower, -1.0),
        np.minimum(upper, 1.0),
        mcnemar_exact(first, second),
        minimum_detectable_binary(first, second, items, alpha / tests),
    )
    return [
        PairedResult(
            d=d,
            lower=down,
            upper=up,
            p=p,
            test="exact McNemar",
            interval="95% Bonett-Price",
            n_items=int(count),
            b=int(gained),
            c=int(lost),
            minimum_detectable=detectable,
            binary=True,
            tests=tests,
        )
        for d, down, up, p, detectable, count, gained, lost in zip(
            *(column.tolist() for column in (*columns, items, first, second)), strict=True
        )
    ]


def mcnemar_exact(b: ArrayLike, c: ArrayLike) -> FloatArray:
    """Exact McNemar test of discordant items.

    Parameters
    ----------
    b, c
        Items that only the first, and only the second, has right; shapes that broadcast.

    Returns
    -------
    ndarray
        ``min(1, 2 * P(Bin(b+c, 1/2) <= min(b, c)))``; 1 where b + c is 0.

    Notes
    -----
    McNemar 1947, Psychometrika 12:153, with the binomial in place of the chi-square approximation.
    """
    first, second = floats(b, c)
    total = first + second
    tail = special.bdtr(np.minimum(first, second), np.maximum(total, 1).astype(np.int64), 0.5)
    return np.where(total > 0, np.minimum(1, 2 * tail), 1.0).astype(np.float64)


def bonett_price(b: ArrayLike, c: ArrayLike, n: ArrayLike, z: float = Z) -> tuple[FloatArray, FloatArray]:
    """Bonett-Price interval of the difference of two paired proportions, (b - c)/n.

    Parameters
    ----------
    b, c, n
        Discordant items of either kind, and all common items; shapes that broadcast.
    z
        Normal quantile of the level.

    Returns
    -------
    lower, upper : ndarray
        Not clipped to [-1, 1], which it can leave when n is below about 10; NaN where n is 0.

    Notes
    -----
    ``p1 = (b+1)/(n+2)``, ``p2 = (c+1)/(n+2)``, ``p1 - p2 +- z*sqrt((p1 + p2 - (p1-p2)^2)/(n+2))``:
    Bonett, Price 2012, J. Educ. Behav. Stat. 37:479. Centred on p1 - p2, a little nearer to 0 than d.
    """
    first, second, items = floats(b, c, n)
    total = np.where(items > 0, items, np.nan) + 2
    p1, p2 = (first + 1) / total, (second + 1) / total
    margin = z * np.sqrt((p1 + p2 - (p1 - p2) ** 2) / total)
    return p1 - p2 - margin, p1 - p2 + margin


def t_interval(d: ArrayLike) -> tuple[float, float]:
    """95% t interval of a mean difference over items.

    Parameters
    ----------
    d
        Shape (n,): differences of items.

    Returns
    -------
    lower, upper : float
        ``mean +- t_{.975, n-1} * SE``; NaN with fewer than two items.
    """
    values = np.asarray(d, dtype=np.float64)
    if values.size < 2:
        return float("nan"), float("nan")
    half = float(special.stdtrit(values.size - 1, 0.975)) * _standard_error(values)
    return float(values.mean()) - half, float(values.mean()) + half


def t_test(d: ArrayLike) -> float:
    """Two-sided p-value of the paired t test.

    Parameters
    ----------
    d
        Shape (n,): differences of items.

    Returns
    -------
    float
        NaN with fewer than two items, or where the differences do not vary.
    """
    values = np.asarray(d, dtype=np.float64)
    error = _standard_error(values) if values.size > 1 else 0.0
    if error < NO_VARIANCE:
        return float("nan")
    return float(2 * special.stdtr(values.size - 1, -abs(values.mean()) / error))


def minimum_detectable_binary(b: ArrayLike, c: ArrayLike, n: ArrayLike, alpha: float = 0.05) -> FloatArray:
    """Difference of two paired proportions that McNemar's test finds with about 80% power.

    Parameters
    ----------
    b, c, n
        Discordant items of either kind, and all common items; shapes that broadcast.
    alpha
        Two-sided level; .05/m under Holm with m tests.

    Returns
    -------
    ndarray
        NaN where it is not reachable: ``n <= max(3, z_a^2 - z_b^2)``, or the difference would exceed the
        share of discordant items.

    Notes
    -----
    Solves Connor's sample size for the difference (Connor 1987, Biometrics 43:207), with
    ``psi = (b+c+1)/(n+2)``: ``sqrt(psi)*(z_a*sqrt(n) + z_b*sqrt(n + z_b^2 - z_a^2))/(n + z_b^2)``.
    """
    first, second, items = floats(b, c, n)
    z_a, z_b = float(-special.ndtri(alpha / 2)), POWER_QUANTILE
    reachable = items > max(3.0, z_a**2 - z_b**2)
    size = np.where(reachable, items, np.nan)
    psi = (first + second + 1) / (size + 2)
    root = z_a * np.sqrt(size) + z_b * np.sqrt(size + z_b**2 - z_a**2)
    difference = np.sqrt(psi) * root / (size + z_b**2)
    return np.where(difference <= psi, difference, np.nan)


def minimum_detectable_mean(d: ArrayLike, alpha: float = 0.05) -> float:
    """Mean difference that a paired test over items finds with about 80% power.

    Parameters
    ----------
    d
        Shape (n,): differences of items.
    alpha
        Two-sided level; .05/m under Holm with m tests.

    Returns
    -------
    float
        ``(z_a + z_b) * SD(d)/sqrt(n)``; NaN with fewer than two items or where they do not vary.
    """
    values = np.asarray(d, dtype=np.float64)
    error = _standard_error(values) if values.size > 1 else 0.0
    return float(-special.ndtri(alpha / 2) + POWER_QUANTILE) * error if error > NO_VARIANCE else float("nan")


def _standard_error(values: FloatArray) -> float:
    return float(values.std(ddof=1)) / float(np.sqrt(values.size))


def _mean_test(d: FloatArray, level: float, draws: int, seed: int) -> tuple[float, str]:
    """P-value and name of the test of a mean difference: sign-flip, or t where its draws are too few."""
    if level < 20 / (draws + 1) and np.count_nonzero(d) > ENUMERATED and not np.isnan(p := t_test(d)):
        return p, f"paired t (too many tests for {draws:,} sign-flip draws)"
    flipped = sign_flip(d, draws=draws, seed=seed)
    if flipped.enumerated:
        return flipped.p, "sign-flip, enumerated"
    return flipped.p, f"sign-flip, {flipped.draws:,} draws"
