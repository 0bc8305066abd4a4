"""Survival analysis by loops over observations in exact fractions: slow, and easy to check by eye."""

from fractions import Fraction

import numpy as np

CENSORED = 2

Observation = tuple[int, int]
"""Time and cause: 0, 1, or CENSORED."""


def random_observations(
    rng: np.random.Generator, n: int, times: int, shares: tuple[float, float, float] = (0.4, 0.35, 0.25)
) -> list[Observation]:
    """Observations with many ties, cut-offs among them and at their end."""
    when = rng.integers(0, times, n)
    what = rng.choice(3, n, p=shares)
    return list(zip(when.tolist(), what.tolist(), strict=True))


class Curve:
    """Everything at each distinct time, in lists: at risk, S, F by cause, and their variances."""

    def __init__(self, rows: list[Observation]) -> None:
        self.times = sorted({time for time, _ in rows})
        self.n = [sum(t >= time for t, _ in rows) for time in self.times]
        self.d = [[sum(t == time and c == cause for t, c in rows) for time in self.times] for cause in (0, 1)]
        self.all = [a + b for a, b in zip(*self.d, strict=True)]
        self.S: list[Fraction] = []
        self.F: list[list[Fraction]] = [[], []]
        survival = Fraction(1)
        self.before: list[Fraction] = []
        for place, at_risk in enumerate(self.n):
            self.before.append(survival)
            for cause in (0, 1):
                last = self.F[cause][-1] if self.F[cause] else Fraction(0)
                self.F[cause].append(last + survival * Fraction(self.d[cause][place], at_risk))
            survival *= 1 - Fraction(self.all[place], at_risk)
            self.S.append(survival)

    def incidence_variance(self, cause: int, k: int, m: int = -1) -> Fraction:
        """Variance of F(k) - F(m), as the sum over times of the variance of what each adds."""
        F, total = self.F[cause], Fraction(0)
        reached = F[k] - (F[m] if m >= 0 else 0)
        for place in range(k + 1):
            n, d, own = self.n[place], self.all[place], self.d[cause][place]
            gain = F[k] - F[place] if place > m else reached
            if n > d:
                total += gain**2 * Fraction(d, n * (n - d))
            if place > m:
                total += self.before[place] ** 2 * Fraction(own * (n - own), n**3)
                total -= 2 * gain * self.before[place] * Fraction(own, n**2)
        return total

    def survival_variance(self, k: int) -> Fraction:
        """Greenwood's."""
        terms = [Fraction(d, n * (n - d)) for n, d in zip(self.n[: k + 1], self.all, strict=False) if n > d]
        return self.S[k] ** 2 * sum(terms, Fraction(0))

    def influence(self, rows: list[Observation], cause: int, k: int) -> Fraction:
        """What some observations add to F(k): the two sums of martingale increments, time by time."""
        total = Fraction(0)
        for place in range(k + 1):
            n, d, own = self.n[place], self.all[place], self.d[cause][place]
            for time, what in rows:
                here = time == self.times[place]
                at_risk = time >= self.times[place]
                own_step = Fraction(here and what == cause) - at_risk * Fraction(own, n)
                any_step = Fraction(here and what != CENSORED) - at_risk * Fraction(d, n)
                total += self.before[place] / n * own_step
                if n > d:
                    gain = self.F[cause][k] - self.F[cause][place]
                    total -= gain / (n * (1 - Fraction(d, n))) * any_step
        return total
