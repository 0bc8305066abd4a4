"""An import that is killed at any moment loses nothing, and the next one succeeds and cleans up."""

import random
from pathlib import Path

import pytest

from tests.abuse.kills import NAME, Killing, moments
from tests.command import import_
from tests.synthetic import simple, write_records

OLD = [*simple("old", 40, response="It was. "), *simple("older", 40)]


def killing(folder: Path, items: int, models: int, *flags: str) -> Killing:
    """An import of some models into a folder that has a dataset."""
    old = folder / "old"
    assert import_(old, NAME, write_records(folder / "old.jsonl", OLD)).status == 0
    new = [
        record
        for number in range(models)
        for record in simple(f"new {number}", items, prompt="What is it?", response="It is what it is. " * 20)
    ]
    return Killing(old, write_records(folder / "new.jsonl", new), folder, *flags)


def test_kills_at_five_moments_of_an_import(tmp_path: Path) -> None:
    trial = killing(tmp_path, items=150, models=3)
    for moment in (0.0, *moments(4, random.Random())):
        trial.kill(moment)
    assert "old" in trial.seen, "no kill came before the end"


@pytest.mark.slow
@pytest.mark.parametrize(("kills", "items", "flags"), [(75, 150, ()), (25, 600, ("--rebuild",))])
def test_a_hundred_kills_at_random_moments(
    tmp_path: Path, kills: int, items: int, flags: tuple[str, ...]
) -> None:
    """The larger source is read by worker processes, which die with the import."""
    trial = killing(tmp_path, items, 5, *flags)
    for moment in moments(kills, random.Random()):
        trial.kill(moment)
    print(f"{trial.seen.count('old')} of {kills} kills left the old database, the others the new one")
    assert trial.seen.count("old") >= kills // 5
