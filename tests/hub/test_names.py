"""Which names may become paths, against the hub's own rule where it has one."""

from pathlib import Path

import pytest
from huggingface_hub.errors import HFValidationError
from huggingface_hub.utils import validate_repo_id
from hypothesis import given
from hypothesis import strategies as st

from core.hub.names import HubId, HubNameError, file_path, inside

BAD_IDS = (
    "", "/", "a/", "/a", "../a", "a/..", "a/../b", "..", ".", "a/.", "./a", "a/b/c", "/etc/passwd", "a\\b",
    "C:\\a",
    "C:/a", "a/b\x00", "a/b\n", "a b/c", "a/b c", "ä/b", "a/文", "a/b.", ".a/b", "-a/b", "a/b-", "a--b/c",
    "a/b..c",
    "a/b.git", "con/a", "a/NUL", "a/aux.txt", "com1/lpt9.x", "a/" + "b" * 97, "b" * 97 + "/a", "~/a",
    "a/%2e%2e",
    "https://huggingface.co/a/b", "index.json/a", "_/a", "a/\u202eb",
)  # fmt: skip


@pytest.mark.parametrize("text", BAD_IDS)
def test_names_that_are_no_models_are_refused(text: str) -> None:
    with pytest.raises(HubNameError, match="is no model name of the hub; valid: org/name"):
        HubId.parse(text)


@pytest.mark.parametrize(
    ("text", "folder"),
    [
        ("microsoft/Phi-4-mini-instruct", "microsoft/Phi-4-mini-instruct"),
        ("gpt2", "_/gpt2"),
        ("a/b.c_d-e", "a/b.c_d-e"),
        ("0/1", "0/1"),
        ("x" * 96 + "/" + "y" * 96, "x" * 96 + "/" + "y" * 96),
        ("console/auxiliary", "console/auxiliary"),
    ],
)
def test_names_of_models_are_folders(text: str, folder: str) -> None:
    model = HubId.parse(text)
    assert (model.text, model.folder) == (text, folder)
    validate_repo_id(text)


@given(st.text(alphabet="aZ09._-/ ~\\:\x00é", max_size=12))
def test_nothing_is_taken_that_the_hub_would_refuse(text: str) -> None:
    try:
        model = HubId.parse(text)
    except HubNameError:
        return
    try:
        validate_repo_id(text)
    except HFValidationError:
        pytest.fail(f"{text!r} is taken here and refused by the hub")
    root = Path("/cache")
    assert (root / model.folder).resolve().is_relative_to(root)
    assert len(Path(model.folder).parts) == 2


@pytest.mark.parametrize(
    "name",
    [
        "", "/", "..", "../a.md", "a/../../b.md", "/etc/a.md", "a//b.md", "./a.md", "a\\..\\b.md", "C:a.md",
        "a\x00.md",
        "a\n.md", "nul.md", "docs/CON.md", "a.md ", "a.md.", "a?.md", "a|b.md", "a\u202e.md", "a/b/c/d/e.md",
        "x" * 151 + ".md", "ü" * 80 + ".md", "/".join(["x" * 120] * 3) + ".md",
    ],
)  # fmt: skip
def test_file_names_that_leave_the_folder_or_break_a_disk_are_refused(name: str) -> None:
    with pytest.raises(HubNameError, match="is refused"):
        file_path(name)


def test_file_names_stay_below_the_folder() -> None:
    assert file_path("docs/usage guide.md").as_posix() == "docs/usage guide.md"
    assert file_path("README_中文.md").as_posix() == "README_中文.md"


def test_a_link_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "cache").mkdir()
    (tmp_path / "other").mkdir()
    (tmp_path / "cache" / "org").symlink_to(tmp_path / "other")
    with pytest.raises(HubNameError, match="leads out of"):
        inside(tmp_path / "cache", "org", "name")
    assert inside(tmp_path / "cache", "mine", "name") == tmp_path / "cache" / "mine" / "name"
