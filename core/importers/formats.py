"""The source formats that can be imported: the next one is a module and a line here."""

from core.errors import SourceError
from core.importers.reader import Reader
from core.importers.reasoning_gym import ReasoningGym
from core.importers.records import Records

# The more particular first: a file goes to the first reader that recognises it.
READERS: tuple[Reader, ...] = (ReasoningGym(), Records())


def reader_named(name: str) -> Reader:
    """Return the reader of a format.

    Raises
    ------
    SourceError
        There is no such format; the message names those there are.
    """
    for reader in READERS:
        if reader.name == name:
            return reader
    raise SourceError(f"Unknown format {name!r}; valid: {', '.join(reader.name for reader in READERS)}")
