"""The outcomes as a page: what was simulated, how often intervals hold the truth and tests are wrong."""

from collections.abc import Sequence

from tests.validity.study import MONTE_CARLO, SEED, Cell, Outcome

OPENING = """# Statistical validity

Every interval says 95%, and every test 5%. This page shows what they do: the functions that the pages call
are given simulated data whose truth is known, many times, under many conditions. Written by
`python -m tests.validity`; do not edit.

**Asked for**: intervals at 30 items and more cover at least 94% on average over the conditions and at least
90% in the worst (guess-corrected: 85%); tests err in at most 5%. A limit counts as missed where a share is
worse than it by more than {errors} of its own Monte Carlo standard errors.

**Data**: an item has a chance of being right, drawn from a beta distribution, and each of its completions is
right with that chance (beta-binomial): "correlation" is that between completions of one item. Two evals on
the same items have chances joined by a normal copula: "related". Tokens are log-normal, those of an item
correlated too. The truth is known in closed form.

"""

AGAIN = """## Run it again

    python -m tests.validity                          # prints the tables
    python -m tests.validity --only cell,logrank      # some of the studies
    python -m tests.validity --markdown docs/validity.md

The numbers depend on the seed ({seed}) and the number of replications ({replications:,}, fewer where one
takes long and more where it takes no time), not on the machine. `make test-slow` asserts the limits with
fewer replications; `make test` on a few conditions, and that intervals of half their width are caught.
"""

NOT_SHOWN = """## What has no interval

Shown without an interval, and so not here: ReasonScore (an upper bound by definition), score per token from
it, the share truncated or invalid, all-in accuracy with its bounds (all truncated wrong or all right: no
confidence interval), pass@k, all-k-correct and the share of items whose repeats disagree, the chance of being
first and rank variability (shares of draws), turning points (chosen from the data that they are told of),
standard-error bands of spectra. Jeffreys, Clopper-Pearson and ReasonScape's interval can be asked for and are
no default.
"""


def document(
    outcomes: Sequence[Outcome], replications: int, seed: int = SEED, figures: Sequence[str] = ()
) -> str:
    """Return the page as Markdown.

    Parameters
    ----------
    figures
        Lines of Markdown that show figures.
    """
    asked = [one for one in outcomes if one.study.limits.worst is not None]
    covers, errs = ([one for one in asked if one.study.errors == kind] for kind in (False, True))
    other = [one for one in outcomes if one.study.limits.worst is None]
    parts = [
        OPENING.format(errors=MONTE_CARLO),
        "## Intervals\n\n",
        _table(covers, "Coverage in %, with its Monte Carlo standard error.", "Lowest"),
        *(f"\n{figure}\n" for figure in figures),
        "\n## Tests and corrections\n\n",
        _table(errs, "Errors in %, with their Monte Carlo standard error.", "Highest"),
        "\n## Where they fall short\n\n",
        _short(asked),
        "\n## For contrast and information\n\nNothing is asked of these.\n\n",
        _table(other, "Shares in %, of coverage or of errors as the name says.", "Worst"),
        "\n## What was simulated\n\n",
        *(_told(one) for one in outcomes),
        f"\n{NOT_SHOWN}\n",
        AGAIN.format(seed=seed, replications=replications),
    ]
    return "".join(parts)


def _table(outcomes: Sequence[Outcome], caption: str, extreme: str) -> str:
    lines = [
        f"{caption}\n",
        f"| | Cells | Mean | {extreme} | where | Asked for |",
        "|---|---:|---:|---:|---|---|",
    ]
    for one in outcomes:
        worst = one.worst
        lines.append(
            f"| {one.study.title} | {len(one.cells)} | {_share(one.mean, one.mean_error)} |"
            f" {_share(worst.share, worst.error)} | {worst.label} | {_asked(one)} |"
        )
    return "\n".join(lines) + "\n"


def _share(share: float, error: float) -> str:
    return f"{100 * share:.1f} ± {100 * error:.1f}"


def _asked(one: Outcome) -> str:
    limits = one.study.limits
    if limits.worst is None or limits.mean is None:
        return "-"
    if one.study.errors:
        return f"≤ {limits.worst:.0%}: {'missed' if one.failures() else 'held'}"
    return f"≥ {limits.mean:.0%}, ≥ {limits.worst:.0%}: {'missed' if one.failures() else 'held'}"


def _short(outcomes: Sequence[Outcome]) -> str:
    failing = [line for one in outcomes for line in one.failures()]
    near = [
        (one, cell)
        for one in outcomes
        for cell in sorted(one.cells, key=lambda cell: cell.share)
        if one.misses(cell, errors=0) and not one.misses(cell)
    ]
    text = (
        "Missed by more than the Monte Carlo error:\n\n" + "".join(f"- {line}\n" for line in failing) + "\n"
        if failing
        else "No limit is missed by more than the Monte Carlo error.\n\n"
    )
    means = [one for one in outcomes if one.mean_misses(errors=0) and not one.mean_misses()]
    if near or means:
        text += "On the wrong side of a limit, but within the Monte Carlo error of it:\n\n"
        text += "".join(f"- {one.study.title}: mean {_share(one.mean, one.mean_error)}\n" for one in means)
        text += "".join(
            f"- {one.study.title}: {_share(cell.share, cell.error)} at {cell.label}\n" for one, cell in near
        )
    return text


def _told(one: Outcome) -> str:
    study = one.study
    most = max(one.cells, key=lambda cell: cell.missing)
    missing = ""
    if most.missing > 0.0005:
        missing = (
            f" In up to {most.missing:.1%} of the replications ({most.label}) there was no interval to give;"
            " the others count."
        )
    return (
        f"- **{study.title}** (`{study.key}`). Shown on: {study.where}. {study.text}"
        f" {len(one.cells)} cells of {_replications(one.cells)} replications.{missing}\n"
    )


def _replications(cells: Sequence[Cell]) -> str:
    return (
        f"{max(round(cell.replications / (1 - cell.missing)) if cell.missing < 1 else 0 for cell in cells):,}"
    )
