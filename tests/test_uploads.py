"""Uploads: what is stored where, and every archive that must not be unpacked."""

import io
import stat
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import SourceError
from core.uploads import LIMITS, Limits, safe_name, store_upload, unpack

SMALL = Limits(upload=100_000, files=10, size=200_000, ratio=50.0, small=10_000, depth=4, name=60, spare=0)


def archive(members: dict[str, bytes] | list[tuple[str, bytes]], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A ZIP archive of these members."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as opened:
        for name, content in members.items() if isinstance(members, dict) else members:
            opened.writestr(name, content)
    return file.getvalue()


def store(content: bytes, name: str, folder: Path, limits: Limits = SMALL) -> Path:
    return store_upload(io.BytesIO(content), name, folder, limits)


def files_in(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def refused(content: bytes, folder: Path, limits: Limits = SMALL) -> str:
    """Why an archive is refused, after nothing of it was found to be left, inside the folder or beside it."""
    inner = folder / "inner"
    inner.mkdir()
    with pytest.raises(SourceError) as caught:
        store(content, "a.zip", inner, limits)
    assert files_in(folder) == {}
    assert list(inner.iterdir()) == []
    return str(caught.value)


def test_a_file_is_stored_as_it_is(tmp_path: Path) -> None:
    assert store(b"x,y\n", "my results.csv", tmp_path).read_bytes() == b"x,y\n"
    assert store(b"other", "my results.csv", tmp_path).name == "my results-2.csv"
    assert files_in(tmp_path) == {"my results.csv": b"x,y\n", "my results-2.csv": b"other"}


def test_a_file_that_is_too_large_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"big\.csv has more than"):
        store(b"x" * 100_001, "big.csv", tmp_path)
    assert files_in(tmp_path) == {}


def test_an_archive_is_unpacked_with_its_folders(tmp_path: Path) -> None:
    members = {"easy/run/a.json": b"1", "hard/run/a.json": b"2", "folder/": b"", "./top.csv": b"3"}
    folder = store(archive(members), "results.zip", tmp_path)
    assert folder == tmp_path / "results"
    assert files_in(folder) == {"easy/run/a.json": b"1", "hard/run/a.json": b"2", "top.csv": b"3"}
    assert not (tmp_path / "results.zip").exists()


def test_logs_that_are_archives_are_not_unpacked(tmp_path: Path) -> None:
    content = archive({"header.json": b"{}"})
    assert store(content, "log.eval", tmp_path).read_bytes() == content


def test_what_is_only_called_an_archive_stays_a_file(tmp_path: Path) -> None:
    assert store(b"model,score\n", "odd.zip", tmp_path).is_file()


@pytest.mark.parametrize(
    "name",
    ["../evil", "a/../../evil", "/etc/evil", "C:/evil", "..\\evil", "a/..", "\\\\host\\share"],
)
def test_members_that_leave_the_folder(tmp_path: Path, name: str) -> None:
    assert "leads out of the archive" in refused(archive({"good": b"1", name: b"2"}), tmp_path)


@pytest.mark.parametrize("name", ["a\nb", "a\x7fb", "\u2028"])
def test_members_with_control_characters(tmp_path: Path, name: str) -> None:
    assert "no usable file name" in refused(archive({name: b"1"}), tmp_path)


def test_members_cut_at_nul(tmp_path: Path) -> None:
    content = archive({"good.csvXevil": b"1"}).replace(b"good.csvX", b"good.csv\0")
    assert "no usable file name" in refused(content, tmp_path)


@pytest.mark.parametrize("name", ["a/b/c/d/e", "x" * 61, "ü" * 59 + "/" + "x"])
def test_members_too_deep_or_too_long(tmp_path: Path, name: str) -> None:
    refused(archive({name: b"1"}), tmp_path)


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR])
def test_links_and_devices(tmp_path: Path, kind: int) -> None:
    member = zipfile.ZipInfo("link")
    member.external_attr = (kind | 0o777) << 16
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as opened:
        opened.writestr(member, "/etc/passwd")
    assert "link or a device" in refused(file.getvalue(), tmp_path)


@pytest.mark.parametrize("names", [("a.csv", "a.csv"), ("a.csv", "A.CSV"), ("\u00e9", "e\u0301")])
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_members_of_one_name(tmp_path: Path, names: tuple[str, str]) -> None:
    assert "twice" in refused(archive([(name, b"1") for name in names]), tmp_path)


def test_a_member_below_a_file(tmp_path: Path) -> None:
    assert "below a member that is a file" in refused(archive({"a": b"1", "A/b": b"2"}), tmp_path)


def test_encrypted_members(tmp_path: Path) -> None:
    content = bytearray(archive({"a": b"1"}))
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.find(mark) + place] |= 1
    assert "encrypted" in refused(bytes(content), tmp_path)


def test_a_method_that_may_ask_for_gigabytes(tmp_path: Path) -> None:
    assert "method" in refused(archive({"a": b"1"}, zipfile.ZIP_LZMA), tmp_path)


def test_too_many_members(tmp_path: Path) -> None:
    members = {f"{number}": b"" for number in range(11)}
    assert "11 members; at most 10" in refused(archive(members), tmp_path)


def test_a_directory_of_millions_is_not_even_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = archive({f"{number:050d}": b"" for number in range(200)})
    monkeypatch.setattr(zipfile, "ZipFile", None)
    assert "too many members" in refused(content, tmp_path)


def test_too_much_content(tmp_path: Path) -> None:
    members = {f"{n}": bytes(range(256)) * 200 for n in range(4)}
    assert "unpacks to more than" in refused(
        archive(members, zipfile.ZIP_STORED), tmp_path, Limits(size=200_000)
    )


def test_a_bomb_by_its_ratio(tmp_path: Path) -> None:
    assert "ZIP bomb" in refused(archive({"zeros": bytes(150_000)}), tmp_path)


def test_a_bomb_that_lies_about_its_size(tmp_path: Path) -> None:
    content = bytearray(archive({"zeros": bytes(150_000)}))
    for mark, place in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        start = content.find(mark) + place
        content[start : start + 4] = (100).to_bytes(4, "little")
    # zipfile stops at the size that the archive claims, and the check sum tells.
    assert "damaged" in refused(bytes(content), tmp_path)


def test_no_room_on_the_disk(tmp_path: Path) -> None:
    assert "no room" in refused(archive({"a": b"1"}), tmp_path, Limits(spare=2**62))


@pytest.mark.parametrize("cut", [3, 30, 60, -1])
def test_damaged_archives(tmp_path: Path, cut: int) -> None:
    assert "damaged" in refused(archive({"a": b"content " * 9, "b": b"2"})[:cut], tmp_path)


def test_an_existing_folder_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "mine").write_text("x")
    (tmp_path / "a.zip").write_bytes(archive({"a": b"1"}))
    with pytest.raises(SourceError):
        unpack(tmp_path / "a.zip", tmp_path / "there", SMALL)
    assert (tmp_path / "there" / "mine").exists()


@given(st.binary(max_size=400), st.integers(0, 400), st.integers(0, 255))
def test_a_changed_archive_is_read_or_refused(noise: bytes, place: int, byte: int) -> None:
    import tempfile

    content = bytearray(archive({"a/b.csv": b"model,score\n" * 9, "c.json": noise}))
    content[place % len(content)] = byte
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "in"
        folder.mkdir()
        try:
            store(bytes(content), "a.zip", folder)
        except SourceError:
            assert list(folder.iterdir()) == []
        # Whatever it was: nothing lies outside.
        assert {path.name for path in Path(name).iterdir()} == {"in"}


@pytest.mark.parametrize(
    ("given_name", "stored"),
    [
        ("results.csv", "results.csv"),
        ("../../etc/passwd", "passwd"),
        ("C:\\temp\\x.csv", "x.csv"),
        ("..", "upload"),
        (".hidden.csv", "hidden.csv"),
        ("a\nb.csv", "a_b.csv"),
        ("", "upload"),
        ("x" * 300 + ".csv", "x" * 40 + ".csv"),
    ],
)
def test_names_of_stored_files(given_name: str, stored: str) -> None:
    assert safe_name(given_name) == stored


@given(st.text(max_size=300))
def test_every_name_is_one_usable_part(name: str) -> None:
    stored = safe_name(name)
    assert stored and "/" not in stored and "\0" not in stored and not stored.startswith(".")
    assert len(stored.encode()) <= 255


def test_the_limits_of_the_app_take_real_results() -> None:
    assert LIMITS.files >= 10_000 and LIMITS.size >= 2**32 and LIMITS.ratio > 100
