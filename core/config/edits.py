"""Editing a dataset config: every edit takes a config and returns another one, validated as a file is.

Nothing is ever taken from the list of evals or moved in it: an eval's place there is its eval_id, which
addresses, files and shared figures refer to. `order` says where it is shown.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from core.config.entries import DatasetConfig, ParamFilter, ParamFilters, free_id
from core.errors import ConfigError

LABEL_LENGTH = 200
Document = dict[str, Any]


@dataclass(frozen=True)
class EvalEdit:
    """What can be changed of an eval; `order` None: it is shown where its eval_id says."""

    label: str
    hf_id: str | None
    groups: tuple[str, ...]
    hidden: bool
    order: float | None = None


def eval_edit(config: DatasetConfig, eval_id: int) -> EvalEdit:
    """Return an eval as it is now."""
    entry = config.evals[eval_id]
    return EvalEdit(entry.label, entry.hf_id, tuple(entry.groups), entry.hidden, entry.order)


def edit_evals(config: DatasetConfig, edits: Mapping[int, EvalEdit]) -> DatasetConfig:
    """Return the config with some evals renamed, regrouped, hidden or shown elsewhere.

    Raises
    ------
    ConfigError
        A label is empty or too long, or no eval would be left to see.
    """

    def change(document: Document) -> None:
        for eval_id, edit in edits.items():
            entry = document["evals"][eval_id]
            entry["label"] = _label(edit.label, f"eval {eval_id}")
            _set(entry, "hf_id", (edit.hf_id or "").strip() or None)
            groups = dict.fromkeys(group.strip() for group in edit.groups)
            entry["groups"] = [group for group in groups if group]
            if edit.hidden or "hidden" in entry:
                entry["hidden"] = edit.hidden
            _set(entry, "order", edit.order)

    changed = changed_config(config, change)
    if changed.evals and all(entry.hidden for entry in changed.evals):
        raise ConfigError("All evals would be hidden: leave at least one to be seen")
    return changed


def label_task(config: DatasetConfig, base_task: str, label: str, category: str | None) -> DatasetConfig:
    """Return the config with a task named; a task that the config does not know yet is added.

    Raises
    ------
    ConfigError
        The label is empty or too long.
    """

    def change(document: Document) -> None:
        task = document.setdefault("basetasks", {}).setdefault(base_task, {})
        task["label"] = _label(label, f"task {base_task}")
        _set(task, "category", (category or "").strip() or None)

    return changed_config(config, change)


def put_tier(
    config: DatasetConfig,
    tier_id: str | None,
    label: str,
    *,
    filters: Mapping[str, ParamFilters] | None = None,
    filter: ParamFilters | None = None,
) -> DatasetConfig:
    """Return the config with a tier defined anew, or added at the end.

    Parameters
    ----------
    tier_id
        The tier to define anew; None adds one, whose id is made of the label.
    filters, filter
        A filter per task, or one for all.

    Raises
    ------
    ConfigError
        The label is empty or another tier's, a tier of no task, or there is no such tier.
    """
    label = _label(label, "the tier")
    if any(tier.label == label and tier.id != tier_id for tier in config.tiers):
        raise ConfigError(f"Another tier is called {label} already")
    if filter is None and not filters:
        raise ConfigError(f"Tier {label} has no rule: name at least one task, or one rule for all")
    rule: Document = {"filter": plain(filter)} if filter is not None else {}
    if filters:
        rule["filters"] = {task: plain(one) for task, one in filters.items()}

    def change(document: Document) -> None:
        tiers = document.setdefault("tiers", [])
        if tier_id is None:
            tiers.append(
                {"id": free_id(_slug(label), [tier.id for tier in config.tiers]), "label": label} | rule
            )
            return
        entry = tiers[_place_of(config, tier_id)]
        entry.pop("filters", None)
        entry.pop("filter", None)
        entry |= {"label": label} | rule

    return changed_config(config, change)


def remove_tier(config: DatasetConfig, tier_id: str) -> DatasetConfig:
    """Return the config without a tier. Raises ConfigError where there is none of that id."""
    place = _place_of(config, tier_id)
    return changed_config(config, lambda document: document["tiers"].pop(place))


def move_tier(config: DatasetConfig, tier_id: str, steps: int) -> DatasetConfig:
    """Return the config with a tier moved, by so many places and never out of the list."""
    place = _place_of(config, tier_id)

    def change(document: Document) -> None:
        tiers = document["tiers"]
        tiers.insert(max(0, min(len(tiers) - 1, place + steps)), tiers.pop(place))

    return changed_config(config, change)


def changed_config(config: DatasetConfig, change: Callable[[Document], object]) -> DatasetConfig:
    """Return a config after a change of its document, with all that the change leaves alone.

    Raises
    ------
    ConfigError
        The document is no valid config any more.
    """
    document = config.model_dump(mode="json", exclude_unset=True)
    change(document)
    try:
        return DatasetConfig.model_validate(document)
    except ValidationError as error:
        faults = [
            f"{'.'.join(map(str, fault['loc'])) or 'config'}: {fault['msg'].removeprefix('Value error, ')}"
            for fault in error.errors()[:3]
        ]
        raise ConfigError(f"The change is not valid: {'; '.join(faults)}") from error


def differences(before: DatasetConfig, after: DatasetConfig) -> list[str]:
    """Return what an edit changed, a phrase for each entry: "eval 3: label, groups"."""
    words = []
    for eval_id, (old, new) in enumerate(zip(before.evals, after.evals, strict=False)):
        changed = [
            name for name in ("label", "hf_id", "groups", "hidden", "order") if _differs(old, new, name)
        ]
        if changed:
            words.append(f"eval {eval_id} ({new.label}): {', '.join(changed)}")
    for task, entry in after.basetasks.items():
        known = before.basetasks.get(task)
        changed = [name for name in ("label", "category") if known is None or _differs(known, entry, name)]
        if changed:
            words.append(f"task {task}: {', '.join(changed)}")
    old_tiers = {tier.id: tier for tier in before.tiers}
    new_tiers = {tier.id: tier for tier in after.tiers}
    words += [f"tier {one.label}: removed" for one in before.tiers if one.id not in new_tiers]
    words += [f"tier {one.label}: new" for one in after.tiers if one.id not in old_tiers]
    words += [
        f"tier {one.label}: {'definition' if old_tiers[one.id].label == one.label else 'label'}"
        for one in after.tiers
        if one.id in old_tiers and old_tiers[one.id] != one
    ]
    stayed = [tier.id for tier in before.tiers if tier.id in new_tiers]
    if stayed != [tier.id for tier in after.tiers if tier.id in old_tiers]:
        words.append("order of the tiers")
    return words


def plain(filters: ParamFilters) -> ParamFilters:
    """Return a filter as one writes it: a single value without a list, a single alternative likewise."""
    if isinstance(filters, list):
        alternatives = [_plain_filter(one) for one in filters]
        return alternatives[0] if len(alternatives) == 1 else alternatives
    return _plain_filter(filters)


def _plain_filter(filters: ParamFilter) -> ParamFilter:
    return {
        name: wanted[0] if isinstance(wanted, list) and len(wanted) == 1 else wanted
        for name, wanted in filters.items()
    }


def _differs(old: object, new: object, name: str) -> bool:
    return bool(getattr(old, name) != getattr(new, name))


def _set(entry: Document, key: str, value: object) -> None:
    """Set a key, or take it away where there is nothing to say and nothing was said."""
    if value is not None or entry.get(key) is not None:
        entry[key] = value
    if entry.get(key) is None:
        entry.pop(key, None)


def _label(label: str, what: str) -> str:
    words = " ".join(label.split())
    if not words:
        raise ConfigError(f"The label of {what} is empty")
    if len(words) > LABEL_LENGTH:
        raise ConfigError(f"The label of {what} is longer than {LABEL_LENGTH} characters")
    return words


def _slug(label: str) -> str:
    kept = "".join(sign if sign.isalnum() else "-" for sign in label.casefold())
    return "-".join(part for part in kept.split("-") if part) or "tier"


def _place_of(config: DatasetConfig, tier_id: str) -> int:
    ids = [tier.id for tier in config.tiers]
    if tier_id not in ids:
        raise ConfigError(f"There is no tier {tier_id!r}; the config has: {', '.join(ids) or 'none'}")
    return ids.index(tier_id)
