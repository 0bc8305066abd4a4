"""The errors a user can cause: one type per cause, each message says what, where and what is valid."""

import errno

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_CLOSED = (errno.EROFS, errno.EACCES, errno.EPERM)


class ReasonScapeError(Exception):
    """A fault in what the user gave; shown as one message, never as a traceback."""


def advice(error: BaseException) -> str:
    """Return what to do about a file that cannot be written, to end a sentence; empty where nobody knows."""
    number = getattr(error, "errno", None)
    if number in _FULL or "No space left" in str(error) or "File too large" in str(error):
        return "; make room on that disk and try again"
    if number in _CLOSED or "Read-only file system" in str(error) or "Permission denied" in str(error):
        return "; see that you may write there, or name another folder"
    return ""


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
