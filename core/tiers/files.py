"""A result as files: automatic names, and bytes that are made when they are needed."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from core.errors import FilterError
from core.export import unique_names, zip_bytes


@dataclass(frozen=True)
class ResultFile:
    """One file of a result.

    Attributes
    ----------
    name
        Its automatic name.
    suffix
        What tells it from the result's other files; "" where it is alone.
    make
        Makes its bytes.
    """

    name: str
    suffix: str
    make: Callable[[], bytes]


def check_form(form: str, forms: Iterable[str]) -> None:
    """Raise FilterError where a format is none of those that a result has."""
    if form not in forms:
        raise FilterError(f"No format {form!r}; valid: {', '.join(forms)}")


def numbered(name: str, suffix: str, makers: Sequence[Callable[[], bytes]]) -> list[ResultFile]:
    """Return the files of one result under one name; those after the first are told apart by their number."""
    names = unique_names([name] * len(makers))
    return [
        ResultFile(one, "_".join(filter(None, [suffix, str(number) if number > 1 else ""])), make)
        for number, (one, make) in enumerate(zip(names, makers, strict=True), 1)
    ]


def bundled(files: Sequence[ResultFile]) -> bytes:
    """Return the bytes of the one file, or all files as one ZIP where there are several."""
    return files[0].make() if len(files) == 1 else zipped(files)


def zipped(files: Sequence[ResultFile]) -> bytes:
    """Return all files as one ZIP, no name twice."""
    names = unique_names([file.name for file in files])
    return zip_bytes({name: file.make() for name, file in zip(names, files, strict=True)})
