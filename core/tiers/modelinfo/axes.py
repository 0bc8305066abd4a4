"""What may stand on the axes of a chart of results against architecture."""

from dataclasses import dataclass

from core.errors import FilterError
from core.tiers.modelinfo.cost import COMPLETIONS
from core.tiers.modelinfo.table import TOKENS, ModelInfo


@dataclass(frozen=True)
class Axis:
    """A horizontal axis, always logarithmic: its column of rows, and what it is called."""

    column: str
    label: str
    kind: str = "count"


AXES = {
    "parameters": Axis("parameters", "parameters", "parameters"),
    "active": Axis("active_parameters", "active parameters", "parameters"),
    "layers": Axis("num_layers", "layers"),
    "hidden": Axis("hidden_size", "hidden size"),
    "context": Axis("context_length", "context length (tokens)"),
    "vocabulary": Axis("vocab_size", "vocabulary size"),
}
"""What results are set against, by the name of a choice."""

COST = Axis("cost", f"cost of {COMPLETIONS:,} completions", "money")


@dataclass(frozen=True)
class Score:
    """A vertical axis: columns of value and interval (None where it has none), and what it is called."""

    column: str
    label: str
    lower: str | None = None
    upper: str | None = None


@dataclass(frozen=True)
class ScoreKind:
    """One way to score, and its ratios."""

    label: str
    score: Score
    per_tokens: Score
    per_cost: Score


SCORES = {
    "plain": ScoreKind(
        "Plain score",
        Score("plain_score", "plain score (0 to 1000)", "plain_lower", "plain_upper"),
        Score(
            "plain_per_tokens",
            f"plain score per {TOKENS:,} tokens",
            "plain_per_tokens_lower",
            "plain_per_tokens_upper",
        ),
        Score(
            "plain_per_cost", "plain score per unit of cost", "plain_per_cost_lower", "plain_per_cost_upper"
        ),
    ),
    "reasonscore": ScoreKind(
        "ReasonScore",
        Score("reasonscore", "ReasonScore (0 to 1000)"),
        Score("score_per_token", "ReasonScore per token"),
        Score("reasonscore_per_cost", "ReasonScore per unit of cost"),
    ),
}
"""How evals are scored, by the name of a choice. ReasonScore is an upper bound, and has no interval."""

CHARTS = ("score", "per-token", "cost", "per-cost")
"""What is shown: score or score per token against a quantity of the models, score against cost, score per
unit of cost against the quantity."""


def chart_axes(chart: str, against: Axis, kind: ScoreKind) -> tuple[Axis, Score]:
    """Return the axes of one of CHARTS. Raises FilterError."""
    axes = {
        "score": (against, kind.score),
        "per-token": (against, kind.per_tokens),
        "cost": (COST, kind.score),
        "per-cost": (against, kind.per_cost),
    }
    if chart not in axes:
        raise FilterError(f"No chart {chart!r}; valid: {', '.join(CHARTS)}")
    return axes[chart]


BY_EVAL = "eval"
"""The colouring that gives each eval a colour of its own."""

NO_GROUP = "(none)"


def axis(name: str) -> Axis:
    """Return an axis by name. Raises FilterError."""
    if name not in AXES:
        raise FilterError(f"Nothing called {name!r} to set scores against; valid: {', '.join(AXES)}")
    return AXES[name]


def score_kind(name: str) -> ScoreKind:
    """Return a way to score by name. Raises FilterError."""
    if name not in SCORES:
        raise FilterError(f"No score {name!r}; valid: {', '.join(SCORES)}")
    return SCORES[name]


def colourings(info: ModelInfo) -> list[str]:
    """Return what evals may be coloured by: the kinds of their groups, such as family of family:phi."""
    groups = [group for groups in info.rows["groups"] for group in groups]
    return [*dict.fromkeys(group.partition(":")[0] for group in groups), BY_EVAL]


def default_colouring(info: ModelInfo) -> str:
    """Return the first kind of group that tells some evals apart and most have, else by eval."""
    for kind in colourings(info):
        values = group_values(info, kind)
        if kind != BY_EVAL and 2 <= len(set(values)) < len(values) and NO_GROUP not in values:
            return kind
    return BY_EVAL


def group_values(info: ModelInfo, colouring: str) -> list[str]:
    """Return the value that each row is coloured by.

    Raises
    ------
    FilterError
        No eval has a group of that kind.
    """
    if colouring == BY_EVAL:
        return list(info.rows["name"])
    valid = colourings(info)
    if colouring not in valid:
        raise FilterError(f"No groups called {colouring!r} to colour by; valid: {', '.join(valid)}")
    return [
        ", ".join(_value(group) for group in groups if group.partition(":")[0] == colouring) or NO_GROUP
        for groups in info.rows["groups"]
    ]


def _value(group: str) -> str:
    name, colon, value = group.partition(":")
    return value if colon else name


def in_order(values: list[str]) -> list[str]:
    """Return the values, each once, in the order in which they come first, those without a group last."""
    once = list(dict.fromkeys(values))
    return [one for one in once if one != NO_GROUP] + [one for one in once if one == NO_GROUP]
