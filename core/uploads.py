"""Uploaded files and ZIP archives: judged before they are written, written nowhere but in their own folder.

Nothing of an upload is ever run. An archive is refused as a whole when one of its members could leave the
folder, is a link, or when its content is out of proportion to it: a fault in one member says that the
archive is not what it seems.
"""

import re
import shutil
import stat
import unicodedata
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from core.errors import SourceError

BLOCK = 1024 * 1024
DIRECTORY_ENTRY = 46
"""Bytes of an archive's directory that every member needs at least, beside its name."""

_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2)
# LZMA is left out: a few bytes of it may ask for a window of 4 GB.

_END, _END64 = b"PK\x05\x06", b"PK\x06\x06"
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_DRIVE = re.compile("^[A-Za-z]:")


@dataclass(frozen=True)
class Limits:
    """What is taken in.

    Attributes
    ----------
    upload
        Bytes of one uploaded file.
    files
        Members of an archive.
    size
        Bytes of all its members, unpacked.
    ratio
        Unpacked over packed bytes, from `small` unpacked bytes on; evaluation logs reach about 30.
    depth, name
        Folders below each other, and characters of a member's path.
    spare
        Bytes that must stay free on the disk.
    """

    upload: int = 500 * 1024**2
    files: int = 20_000
    size: int = 4 * 1024**3
    ratio: float = 200.0
    small: int = 32 * 1024**2
    depth: int = 20
    name: int = 400
    spare: int = 200 * 1024**2


LIMITS = Limits()


def safe_name(name: str) -> str:
    """Return the name under which an uploaded file is stored: one part, visible, no control characters."""
    last = name.replace("\\", "/").rpartition("/")[2]
    clean = _CONTROL.sub("_", unicodedata.normalize("NFC", last)).strip().lstrip(".")
    stem, dot, ending = clean.rpartition(".")
    if len(clean.encode()) > 200:
        clean = f"{stem[:40]}{dot}{ending[-20:]}" if dot else clean[:40]
    return clean or "upload"


def store_upload(stream: IO[bytes], name: str, folder: Path, limits: Limits = LIMITS) -> Path:
    """Write an uploaded file into a folder and return its path; a ZIP archive is unpacked and removed.

    Parameters
    ----------
    stream
        Its content.
    name : str
        What its sender calls it.
    folder : Path
        Exists; what is there is never overwritten.

    Returns
    -------
    Path
        The file, or the folder of the archive's members.

    Raises
    ------
    SourceError
        It is too large, or an archive that is refused; nothing of it is left in the folder.
    """
    path = _free(folder / safe_name(name))
    try:
        with path.open("xb") as file:
            _copy(stream, file, limits.upload, f"{name} has more than {_megabytes(limits.upload)}")
        if not is_archive(path):
            return path
        target = _free(path.with_name(path.name[: -len(path.suffix)] or "archive"))
        unpack(path, target, limits, name=name)
        path.unlink()
        return target
    except OSError as error:
        path.unlink(missing_ok=True)
        raise SourceError(f"{name} could not be stored: {error.strerror or error}") from error
    except SourceError:
        path.unlink(missing_ok=True)
        raise


def is_archive(path: Path) -> bool:
    """Whether a file is a ZIP archive by name and content; Inspect's `.eval` is a format of its own."""
    if path.suffix.lower() != ".zip":
        return False
    with path.open("rb") as file:
        return file.read(2) == b"PK"


def unpack(archive: Path, folder: Path, limits: Limits = LIMITS, *, name: str = "") -> None:
    """Unpack a ZIP archive into a folder that does not exist yet.

    Raises
    ------
    SourceError
        The archive is refused or damaged; the folder is removed again.
    """
    name = name or archive.name
    try:
        with zipfile.ZipFile(_checked_directory(archive, limits, name)) as opened:
            members = check_members(opened.infolist(), archive.stat().st_size, limits, name)
            needed = sum(member.file_size for member in members.values())
            if shutil.disk_usage(archive.parent).free < needed + limits.spare:
                raise SourceError(f"{name}: no room on the disk for its {_megabytes(needed)}")
            folder.mkdir(mode=0o700)
            try:
                _write_members(opened, members, folder, limits, name)
            except BaseException:
                shutil.rmtree(folder, ignore_errors=True)
                raise
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise SourceError(f"{name} is a damaged ZIP archive: {error}") from error
    except (OSError, ValueError) as error:
        raise SourceError(f"{name} could not be unpacked: {error}") from error


def _write_members(
    opened: zipfile.ZipFile,
    members: dict[PurePosixPath, zipfile.ZipInfo],
    folder: Path,
    limits: Limits,
    name: str,
) -> None:
    left = limits.size
    for path, member in members.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        with opened.open(member) as source, target.open("xb") as file:
            # Counted while it is written: what an archive says of itself is only a claim.
            left -= _copy(source, file, left, _too_much(name, limits))


def check_members(
    members: list[zipfile.ZipInfo], packed: int, limits: Limits, name: str
) -> dict[PurePosixPath, zipfile.ZipInfo]:
    """Return the files of an archive by their path in it, after all members were found harmless.

    Raises
    ------
    SourceError
        One of them is not, or all together are too many or too much; the message names it.
    """
    if len(members) > limits.files:
        raise SourceError(f"{name} has {len(members):,} members; at most {limits.files:,} are taken")
    files: dict[PurePosixPath, zipfile.ZipInfo] = {}
    taken: dict[str, str] = {}
    for member in members:
        path = _member_path(member, limits, name)
        kind = stat.S_IFMT(member.external_attr >> 16)
        if kind and not (stat.S_ISREG(kind) or stat.S_ISDIR(kind)):
            raise SourceError(f"{name}: {path} is a link or a device; an archive may hold files only")
        if member.is_dir():
            continue
        if member.flag_bits & 0x1:
            raise SourceError(f"{name}: {path} is encrypted; upload it without a password")
        if member.compress_type not in _METHODS:
            raise SourceError(f"{name}: {path} is packed by a method that is not read; use Deflate")
        # Some file systems take "A" and "a" for one name.
        same = unicodedata.normalize("NFC", str(path)).casefold()
        if same in taken:
            raise SourceError(f"{name} holds {path} twice")
        taken[same] = str(path)
        files[path] = member
    for same in taken:
        if any(str(parent) in taken for parent in PurePosixPath(same).parents):
            raise SourceError(f"{name}: {taken[same]} lies below a member that is a file")
    size = sum(member.file_size for member in files.values())
    if size > limits.size:
        raise SourceError(_too_much(name, limits))
    if size > limits.small and size > limits.ratio * max(1, packed):
        raise SourceError(
            f"{name} would unpack to {_megabytes(size)}, {size / max(1, packed):,.0f} times its size:"
            " refused as a ZIP bomb"
        )
    return files


def _member_path(member: zipfile.ZipInfo, limits: Limits, name: str) -> PurePosixPath:
    # zipfile cuts names at NUL; the original says what was meant.
    given = member.orig_filename.replace("\\", "/")
    shown = _CONTROL.sub("\ufffd", given)[:80]
    parts = given.rstrip("/").split("/")
    if given.startswith("/") or _DRIVE.match(given) or ".." in parts:
        raise SourceError(f"{name}: {shown} leads out of the archive; refused")
    path = PurePosixPath(*parts)
    if _CONTROL.search(given) or not path.parts:
        raise SourceError(f"{name}: {shown or 'a member without a name'} is no usable file name")
    longest = max(len(part.encode()) for part in parts)
    if len(path.parts) > limits.depth or len(given) > limits.name or longest > 255:
        raise SourceError(f"{name}: {shown} is nested too deeply or has too long a name")
    return path


def _checked_directory(archive: Path, limits: Limits, name: str) -> Path:
    """Return the archive after its directory was found short enough to be read at once."""
    size = archive.stat().st_size
    with archive.open("rb") as file:
        file.seek(max(0, size - 66_000))
        tail = file.read()
    # Every record that a reader could take for the end counts, so that none can hide behind another.
    lengths = [0]
    for mark, place, width in ((_END, 12, 4), (_END64, 40, 8)):
        start = tail.find(mark)
        while start >= 0:
            field = tail[start + place : start + place + width]
            if field != b"\xff" * width:
                lengths.append(int.from_bytes(field, "little"))
            start = tail.find(mark, start + 1)
    if max(lengths) > limits.files * (DIRECTORY_ENTRY + limits.name + 100):
        raise SourceError(f"{name} lists too many members; at most {limits.files:,} are taken")
    return archive


def _copy(source: IO[bytes], file: IO[bytes], most: int, message: str) -> int:
    written = 0
    while block := source.read(BLOCK):
        written += len(block)
        if written > most:
            raise SourceError(message)
        file.write(block)
    return written


def _free(path: Path) -> Path:
    """Return a path that does not exist yet: the wanted one, or one with a number."""
    free, number = path, 2
    while free.exists():
        free, number = path.with_name(f"{path.stem}-{number}{path.suffix}"), number + 1
    return free


def _too_much(name: str, limits: Limits) -> str:
    return f"{name} unpacks to more than {_megabytes(limits.size)}; import it from a folder instead"


def _megabytes(size: int) -> str:
    return f"{size / 1024**2:,.0f} MB"
