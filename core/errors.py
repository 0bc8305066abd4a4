"""The errors a user can cause: one type per cause, each message says what, where and what is valid."""


class ReasonScapeError(Exception):
    """A fault in what the user gave; shown as one message, never as a traceback."""


class ConfigError(ReasonScapeError):
    """The dataset config cannot be read or is not valid."""


class FilterError(ReasonScapeError):
    """A filter names an unknown key, has the wrong type, or asks for what does not exist."""


class DatasetError(ReasonScapeError):
    """The points database is missing, unreadable or of another version."""


class SourceError(ReasonScapeError):
    """An evaluation source cannot be imported."""


class NothingFoundError(ReasonScapeError):
    """The filters are valid and nothing matches them."""
