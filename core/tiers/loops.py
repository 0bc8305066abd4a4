"""Suspected loops: responses so repetitive that the model probably never came to an end by itself.

A response is suspected when it has at least so many bytes and its zlib size is below a share of them. A
percentile rule would flag correct answers by construction; this one is absolute, and a task that is
repetitive rightly has a ratio of its own (`loop_ratio` of its entry in the config, 0: never) or is left out.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from core.config import DatasetConfig
from core.errors import FilterError

LEAST_BYTES = 1_000
LOOP_RATIO = 0.10


@dataclass(frozen=True)
class LoopRule:
    """Which responses are suspected.

    Parameters
    ----------
    least_bytes : int
        Shorter responses never are: a few repeated words are no loop.
    ratio : float
        Suspected below this share of compressed bytes in all bytes, above 0 and at most 1.
    left_out : tuple of str
        Tasks of which no response is suspected.
    """

    least_bytes: int = LEAST_BYTES
    ratio: float = LOOP_RATIO
    left_out: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse what is no rule. Raises FilterError."""
        if self.least_bytes < 1:
            raise FilterError(f"A loop needs a minimum of at least 1 byte; given: {self.least_bytes}")
        if not 0 < self.ratio <= 1:
            raise FilterError(f"A loop's ratio must be above 0 and at most 1; given: {self.ratio}")

    def checked(self, base_tasks: Iterable[str]) -> "LoopRule":
        """Return the rule. Raises FilterError where it leaves out a task that is not among those given."""
        valid = list(base_tasks)
        for task in self.left_out:
            if task not in valid:
                raise FilterError(f"No task {task!r} to leave out; valid: {', '.join(valid) or 'none'}")
        return self

    def own_ratios(self, config: DatasetConfig) -> dict[str, float]:
        """Return the ratio of each task that has its own: from the config, or 0 where it is left out."""
        own = {
            base_task: entry.loop_ratio
            for base_task, entry in config.basetasks.items()
            if entry.loop_ratio is not None
        }
        return {**own, **dict.fromkeys(self.left_out, 0.0)}

    def sentence(self, config: DatasetConfig) -> str:
        """Return the rule in words."""
        words = f"at least {self.least_bytes:,} bytes that zlib compresses to less than {100 * self.ratio:g}%"
        if own := self.own_ratios(config):
            some = [
                f"{config.task_label(task)} {'left out' if ratio == 0 else f'less than {100 * ratio:g}%'}"
                for task, ratio in own.items()
            ]
            words += f"; {'; '.join(some)}"
        return words


def suspected_loop(rule: LoopRule, config: DatasetConfig) -> tuple[str, dict[str, object]]:
    """Return SQL that is true for suspected loops, and its parameters.

    It speaks of `completions c` and `points p`; where sizes are missing it is NULL, which is not true. All
    its parameters begin with `loop_`.
    """
    own = rule.own_ratios(config)
    parameters: dict[str, object] = {"loop_bytes": rule.least_bytes, "loop_ratio": rule.ratio}
    limit = "$loop_ratio"
    for number, (task, ratio) in enumerate(own.items()):
        parameters |= {f"loop_task_{number}": task, f"loop_ratio_{number}": ratio}
    if own:
        cases = "\n".join(
            f"        WHEN $loop_task_{number} THEN $loop_ratio_{number}" for number in range(len(own))
        )
        limit = f"CASE p.base_task\n{cases}\n        ELSE $loop_ratio\n    END"
    return (
        f"""\
(
    c.response_bytes >= $loop_bytes
    AND c.compressed_bytes / c.response_bytes < {limit}
)""",
        parameters,
    )
