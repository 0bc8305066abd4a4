"""The source formats that can be imported: the next one is a module and a line here."""

from core.errors import SourceError
from core.importers.helm import Helm
from core.importers.inspect_logs import InspectLogs
from core.importers.lighteval import LightEval
from core.importers.lm_eval import LmEval
from core.importers.reader import Reader
from core.importers.reasoning_gym import ReasoningGym
from core.importers.records import Records

# The more particular first: a file goes to the first reader that recognises it.
READERS: tuple[Reader, ...] = (InspectLogs(), LmEval(), LightEval(), Helm(), ReasoningGym(), Records())

NAMES = tuple(reader.name for reader in READERS)


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
    raise SourceError(f"Unknown format {name!r}; valid: {', '.join(NAMES)}")
