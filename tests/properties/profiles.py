"""How many examples are drawn: few and always the same in CI, many and new ones in the slow version."""

from hypothesis import HealthCheck, Phase, settings

_WITHOUT_SHRINKING = (Phase.explicit, Phase.generate)
"""For examples that take a second: to shrink one would take minutes, and its seed says it all."""

_CHECKS = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture]


def same_every_time(examples: int, *, shrink: bool = True) -> settings:
    """The same examples on every machine, so that a failure of CI is one that can be had again."""
    return _settings(examples, shrink, derandomize=True)


def new_every_time(examples: int, *, shrink: bool = True) -> settings:
    """Other examples on every run; a failure prints what reproduces it."""
    return _settings(examples, shrink, print_blob=True)


def _settings(examples: int, shrink: bool, **own: bool) -> settings:
    return settings(
        max_examples=examples,
        deadline=None,
        database=None,
        phases=tuple(Phase) if shrink else _WITHOUT_SHRINKING,
        suppress_health_check=_CHECKS,
        **own,
    )
