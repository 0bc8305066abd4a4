"""Everything the tables show about a cell, from its counts."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from core.stats.arrays import BoolArray, FloatArray, floats, ratio
from core.stats.intervals import METHODS, Bounds, guess_corrected, raw_interval, wilson_center_margin

# Guess mass is a sum of fractions: a difference below this is rounding, not chance.
ROUNDING = 1e-9


@dataclass(frozen=True)
class CellEstimates:
    """Estimates of cells; every array has the shape of the counts, NaN where there is no number.

    Attributes
    ----------
    method
        Name of the interval behind center, margin, lower, upper and the plain bounds.
    correct, incorrect, invalid, truncated, error, n
        Completions; ``n = correct + incorrect + invalid``.
    n_eff
        Effective number of independent trials among the n (n itself for ReasonScape's method).
    gamma, below_chance
        Mean chance of guessing right; whether fewer are correct than guessing would give.
    accuracy, lower, upper, center, margin
        Guess-corrected accuracy over n and its interval; center and margin are half sum and half difference.
    adjusted_successes, adjusted_trials, adjusted_accuracy, rs_center, rs_margin
        ReasonScape's fields, whatever the method: Wilson on the counts less the guess mass.
    truncated_ratio, invalid_ratio
        truncated/(n + truncated) and invalid/n.
    all_in_accuracy, all_in_lower, all_in_upper
        correct/(n + truncated) and the bounds truncation leaves open, with all of the truncated wrong or all
        right. Not guess-corrected, not a confidence interval.
    plain_accuracy, plain_lower, plain_upper
        Guess-corrected accuracy with truncated counted as wrong, not clamped to .01, and its interval.
    """

    method: str
    correct: FloatArray
    incorrect: FloatArray
    invalid: FloatArray
    truncated: FloatArray
    error: FloatArray
    n: FloatArray
    n_eff: FloatArray
    gamma: FloatArray
    below_chance: BoolArray
    accuracy: FloatArray
    lower: FloatArray
    upper: FloatArray
    center: FloatArray
    margin: FloatArray
    adjusted_successes: FloatArray
    adjusted_trials: FloatArray
    adjusted_accuracy: FloatArray
    rs_center: FloatArray
    rs_margin: FloatArray
    truncated_ratio: FloatArray
    invalid_ratio: FloatArray
    all_in_accuracy: FloatArray
    all_in_lower: FloatArray
    all_in_upper: FloatArray
    plain_accuracy: FloatArray
    plain_lower: FloatArray
    plain_upper: FloatArray


def estimate(
    correct: ArrayLike,
    incorrect: ArrayLike,
    invalid: ArrayLike,
    truncated: ArrayLike = 0,
    error: ArrayLike = 0,
    guess_mass: ArrayLike = 0,
    n_eff: ArrayLike | None = None,
    n_eff_truncated: ArrayLike | None = None,
    *,
    method: str = "wilson",
) -> CellEstimates:
    """Estimate accuracy, its interval and the truncation figures of cells from summed counts.

    Parameters
    ----------
    correct, incorrect, invalid, truncated, error
        Completions per outcome, summed over the cell's points; shapes that broadcast.
    guess_mass
        Sum of 1/choices over the n = correct + incorrect + invalid completions; 0 for free-form answers.
    n_eff
        Effective number of trials among the n (`core.stats.clustering.effective_n`); None takes
        completions as independent (n itself).
    n_eff_truncated
        The same among the n + truncated completions with truncated counted as wrong.
    method
        One of `core.stats.intervals.METHODS`. "reasonscape" never uses an effective number of trials.

    Returns
    -------
    CellEstimates
        Arrays of the broadcast shape. Every guess-corrected number is NaN where gamma is 1. Where n is 0,
        what is divided by n is NaN; with truncated > 0 the plain accuracy is then 0, with gamma 0.

    Raises
    ------
    ValueError
        If the method is unknown or the shapes do not broadcast.

    Notes
    -----
    Interval on the raw accuracy max(correct/n, gamma) with n_eff trials, then (bound - gamma)/(1 - gamma)
    clipped to [0, 1]. ReasonScape's: Wilson on max(0, correct - g) of n - g (ReasonScape documentation).
    """
    if method not in METHODS:
        raise ValueError(f"unknown interval method {method!r}; valid: {', '.join(METHODS)}")
    right, wrong, unread, cut, failed, mass = floats(
        correct, incorrect, invalid, truncated, error, guess_mass
    )
    n = right + wrong + unread
    all_in = n + cut
    gamma = ratio(mass, n)
    trials = n if n_eff is None or method == "reasonscape" else floats(n_eff, n)[0]
    all_in_trials = all_in if n_eff_truncated is None else floats(n_eff_truncated, all_in)[0]

    adjusted_successes = np.maximum(0, right - mass)
    adjusted_trials = n - mass
    rs_center, rs_margin = _reasonscape(right, n, mass)

    lower, upper = _skill_interval(method, right, n, trials, gamma)
    if method == "reasonscape":
        center, margin = rs_center, rs_margin
    else:
        center, margin = (lower + upper) / 2, (upper - lower) / 2

    # No counted completion leaves no chance level; the truncated ones are wrong at any.
    plain_gamma = np.where(n > 0, gamma, np.where(cut > 0, 0.0, np.nan))
    plain_lower, plain_upper = _skill_interval(method, right, all_in, all_in_trials, plain_gamma)
    all_in_accuracy = ratio(right, all_in)
    return CellEstimates(
        method=method,
        correct=right,
        incorrect=wrong,
        invalid=unread,
        truncated=cut,
        error=failed,
        n=n,
        n_eff=trials,
        gamma=gamma,
        below_chance=mass - right > ROUNDING,
        accuracy=guess_corrected(ratio(right, n), gamma),
        lower=lower,
        upper=upper,
        center=center,
        margin=margin,
        adjusted_successes=adjusted_successes,
        adjusted_trials=adjusted_trials,
        adjusted_accuracy=ratio(adjusted_successes, adjusted_trials),
        rs_center=rs_center,
        rs_margin=rs_margin,
        truncated_ratio=ratio(cut, all_in),
        invalid_ratio=ratio(unread, n),
        all_in_accuracy=all_in_accuracy,
        all_in_lower=all_in_accuracy,
        all_in_upper=ratio(right + cut, all_in),
        plain_accuracy=guess_corrected(all_in_accuracy, plain_gamma),
        plain_lower=plain_lower,
        plain_upper=plain_upper,
    )


def _reasonscape(successes: FloatArray, trials: FloatArray, mass: FloatArray) -> Bounds:
    """Center and margin of Wilson on the counts less the guess mass; the clamp comes after summing."""
    left = trials - mass
    return wilson_center_margin(ratio(np.maximum(0, successes - mass), left), left)


def _skill_interval(
    method: str, successes: FloatArray, n: FloatArray, n_eff: FloatArray, gamma: FloatArray
) -> Bounds:
    """Interval of the guess-corrected accuracy; NaN where gamma is 1 or n is 0."""
    if method == "reasonscape":
        center, margin = _reasonscape(successes, n, gamma * n)
        return np.clip(center - margin, 0, 1), np.clip(center + margin, 0, 1)
    lower, upper = raw_interval(method, np.maximum(ratio(successes, n), gamma), n_eff)
    return guess_corrected(lower, gamma), guess_corrected(upper, gamma)
