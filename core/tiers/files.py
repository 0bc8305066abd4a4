"""A result as files: automatic names, and bytes that are made when they are needed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

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


def zipped(files: Sequence[ResultFile]) -> bytes:
    """Return all files as one ZIP, no name twice."""
    names = unique_names([file.name for file in files])
    return zip_bytes({name: file.make() for name, file in zip(names, files, strict=True)})
