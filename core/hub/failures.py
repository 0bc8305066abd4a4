"""Why the hub did not give something: one kind per cause, and a sentence that says what to do."""

from typing import Literal

from core.errors import ReasonScapeError

Kind = Literal[
    "gated", "not_found", "rate_limited", "server", "connection", "unreachable", "too_large", "unexpected"
]

RETRIED = frozenset({408, 429, 500, 502, 503, 504})
"""Statuses after which the same request may succeed."""


class HubError(ReasonScapeError):
    """A request that failed.

    Attributes
    ----------
    kind
        The cause.
    """

    def __init__(self, kind: Kind, message: str) -> None:
        super().__init__(message)
        self.kind = kind


def of_status(status: int, what: str, code: str = "", *, with_token: bool = False) -> HubError:
    """Return the failure of a response.

    Parameters
    ----------
    status
        The HTTP status.
    what
        What was asked for, such as "config.json".
    code
        The hub's own `X-Error-Code`.
    with_token
        Whether the request carried a token.
    """
    if status in (401, 403) and code != "RepoNotFound":
        ask = (
            "the account of your token has no access: ask for it on the model's page"
            if with_token
            else "accept its terms on the model's page, then set HF_TOKEN and fetch again"
        )
        return HubError("gated", f"{what}: gated (status {status}): {ask}")
    if status in (401, 403, 404):
        hint = "" if with_token else "; where it is private, set HF_TOKEN and fetch again"
        return HubError("not_found", f"{what}: not on the hub under this name (status {status}){hint}")
    if status == 429:
        return HubError("rate_limited", f"{what}: the hub allows no more requests for now (status 429)")
    if status >= 500:
        return HubError("server", f"{what}: the hub has a fault (status {status}); try again later")
    return HubError("unexpected", f"{what}: the hub answered with status {status}")


def too_large(what: str, size: int | None, most: int) -> HubError:
    """Return the refusal of a file beyond the size limit."""
    given = "more" if size is None else f"{size:,} bytes"
    return HubError("too_large", f"{what}: refused: {given}, and at most {most:,} bytes are taken")


def cut(what: str, received: int) -> HubError:
    """Return the failure of a connection that ended early, again and again."""
    return HubError("connection", f"{what}: the connection was cut after {received:,} bytes; fetch again")


def unreachable(host: str) -> HubError:
    """Return the failure to reach the hub at all."""
    return HubError("unreachable", f"{host} cannot be reached; what was fetched before is still used")
