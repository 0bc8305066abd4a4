"""What the header of an Inspect log says: which run it is, how it was sampled, what it reports of itself."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.importers.fields import NAME_LENGTH
from core.importers.naming import label_of, named
from core.importers.parsing import digest_of

SAMPLING = (
    *("temperature", "top_p", "top_k", "max_tokens", "seed", "num_choices", "best_of", "stop_seqs"),
    *("frequency_penalty", "presence_penalty", "reasoning_effort", "reasoning_tokens", "effort", "verbosity"),
)
"""Settings of generation that make another sampler; what remains is about speed, retries and logging."""

_SECRET = ("key", "secret", "password", "credential", "url", "host", "port", "device", "path")
_LOCAL_PROVIDERS = ("hf", "vllm", "sglang", "transformer_lens", "nnterp")


@dataclass(frozen=True)
class Own:
    """One mean that a log reports of itself: by which scorer, reduced how, which metric, over how many."""

    scorer: str
    name: str
    reducer: str
    metric: str
    value: float
    scored: int | None = None


@dataclass(frozen=True)
class Header:
    """The run that a log is of.

    Attributes
    ----------
    scorers : tuple
        (scorer, key of its dictionary or "") in the order of preference.
    args : dict
        The task's arguments that can be params.
    unfit : tuple of str
        Those that cannot.
    group : str
        Equal for runs of the same: task, model, how it was sampled, arguments.
    planned : str
        `sampler` with the settings that the task and the call of eval() made: what only tells runs apart
        where the model's own settings do not.
    placeholder : str
        The scorer of logs from the time of one scorer, whose samples do not name it.
    """

    model: str
    task: str
    template: str
    sampler: str
    label: str
    hf_id: str | None
    created: str
    status: str
    invalidated: bool
    token_limit: int | None
    epochs: int
    scorers: tuple[tuple[str, str], ...]
    own: tuple[Own, ...]
    args: Mapping[str, Any] = field(default_factory=dict)
    unfit: tuple[str, ...] = ()
    group: str = ""
    planned: str = ""
    placeholder: str = ""


def read_header(log: Any) -> Header:
    """Return what an EvalLog without samples says."""
    spec, plan = log.eval, log.plan
    config = spec.model_generate_config
    args, unfit = _args(spec.task_args)
    if spec.task_version:
        args |= {"task_version": spec.task_version}
    arguments = sorted((key, value) for key, value in spec.model_args.items() if _tells(key, value))
    settings = {name: getattr(config, name, None) for name in SAMPLING}
    planned = {name: getattr(plan.config, name, None) for name in SAMPLING}
    planned |= {name: value for name, value in settings.items() if value is not None}
    template = _template(spec.solver, spec.solver_args_passed or spec.solver_args)
    sampler = named([*settings.items(), *arguments])
    provider, _, rest = spec.model.partition("/")
    scores = log.results.scores if log.results is not None else []
    identity = [
        spec.task,
        spec.model,
        template,
        sampler,
        args,
        {key: repr(spec.task_args[key]) for key in unfit},
    ]
    return Header(
        model=spec.model,
        task=spec.task,
        template=template,
        sampler=sampler,
        label=label_of(spec.model),
        hf_id=rest if provider in _LOCAL_PROVIDERS and "/" in rest else None,
        created=spec.created,
        status=log.status,
        invalidated=log.invalidated,
        token_limit=config.max_tokens or plan.config.max_tokens,
        epochs=spec.config.epochs or 1,
        scorers=_scorers(log.results, spec.scorers or ()),
        own=tuple(_own(scores)),
        args=args,
        unfit=tuple(unfit),
        group=digest_of(identity, 16),
        planned=named([*planned.items(), *arguments]),
        placeholder=scores[0].name if scores else "",
    )


def _tells(key: str, value: Any) -> bool:
    """Whether a model argument says which model answers, rather than where or with whose account."""
    hidden = any(part in key.lower() for part in _SECRET)
    return not hidden and isinstance(value, bool | int | float | str) and len(str(value)) <= 60


def _template(solver: str | None, args: Mapping[str, Any] | None) -> str:
    # The plan's steps are the task's own, and differ from task to task of one eval; a solver that was
    # asked for holds for all of them.
    if not solver:
        return "default"
    said = [(key, value) for key, value in sorted((args or {}).items()) if _tells(key, value)]
    return f"{solver}({named(said)})"[:NAME_LENGTH] if said else solver[:NAME_LENGTH]


def _args(task_args: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    fit = {key: value for key, value in task_args.items() if isinstance(value, bool | int | float | str)}
    fit = {key: value for key, value in fit.items() if len(str(value)) <= 500}
    return fit, [key for key, value in task_args.items() if key not in fit and value is not None]


def _scorers(results: Any, specified: Sequence[Any]) -> tuple[tuple[str, str], ...]:
    """Return the scores of a log, its headline first; a scorer's name comes again for each key it scores."""
    if results is None or not results.scores:
        return tuple((scorer.name, "") for scorer in specified)
    found = [(score.scorer, "" if score.scorer == score.name else score.name) for score in results.scores]
    headline = getattr(results, "headline", None)
    if headline is not None:
        found.sort(key=lambda one: not _is_headline(one, headline))
    return tuple(dict.fromkeys(found))


def _is_headline(one: tuple[str, str], headline: Any) -> bool:
    scorer, key = one
    return headline.scorer in (None, scorer) and headline.score in (None, key or scorer)


def _own(scores: Sequence[Any]) -> Iterable[Own]:
    for score in scores:
        for name, metric in score.metrics.items():
            if metric.name.rsplit("/", 1)[-1] in ("accuracy", "mean"):
                reducer = score.reducer or ""
                yield Own(score.scorer, score.name, reducer, name, float(metric.value), score.scored_samples)
