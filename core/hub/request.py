"""One request to the hub: paced, limited in size and time, tried again where that may help.

Session, headers and token are huggingface_hub's. Its own download functions have neither a size limit nor
retries on a server's fault, and its `model_info` has no timeout unless one is given; so the loop is here.
"""

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

import httpx2
from huggingface_hub import constants, get_session
from huggingface_hub.errors import OfflineModeIsEnabled
from huggingface_hub.utils import (  # type: ignore[attr-defined]
    build_hf_headers,
    parse_ratelimit_headers,
)

from core.hub import failures
from core.hub.failures import HubError

PAUSE = 0.5
"""Seconds between two requests."""

_RECONNECTS = 2


@dataclass(frozen=True)
class Patience:
    """How long is waited; all in seconds.

    Attributes
    ----------
    pause
        Between two requests.
    retries
        Further tries of one request; of these, two where the hub cannot be reached at all.
    first_wait
        Before the second try, doubled before each further one.
    longest_wait
        The longest wait that the hub may ask for (its own windows are of 300 s); a longer one ends the run
        for now.
    timeout
        Of connecting and of every read.
    deadline
        Of one try in all: a server may send one byte a second.
    """

    pause: float = PAUSE
    retries: int = 4
    first_wait: float = 1.0
    longest_wait: float = 310.0
    timeout: float = 15.0
    deadline: float = 180.0


@dataclass
class _Body:
    """What has been received of a file: kept over tries, so that a cut connection goes on where it ended."""

    data: bytearray = field(default_factory=bytearray)
    etag: str = ""


class Hub:
    """The hub at an address.

    Parameters
    ----------
    endpoint
        Its address.
    patience
        How long is waited.
    tell
        Told in a sentence whenever something is waited for.
    sleep, clock
        By default those of `time`.

    Attributes
    ----------
    host
        Whom requests go to, without what an address may hold besides.

    Raises
    ------
    HubError
        The address is none.
    """

    def __init__(
        self,
        endpoint: str,
        patience: Patience = Patience(),
        tell: Callable[[str], None] = lambda sentence: None,
        sleep: Callable[[float], None] | None = None,
        clock: Callable[[], float] | None = None,
    ) -> None:
        self.endpoint = endpoint.rstrip("/")
        self.host = _host(self.endpoint)
        self.patience = patience
        self._tell = tell
        self._sleep = sleep or time.sleep
        self._clock = clock or time.monotonic
        self._next = 0.0

    def get(self, url: str, what: str, most: int, params: Mapping[str, str] | None = None) -> bytes:
        """Return what the hub has under an address.

        Parameters
        ----------
        url, params
            The address.
        what
            How messages call it.
        most
            Bytes that are taken; a larger body is refused before or while it is loaded.

        Raises
        ------
        HubError
            The hub does not give it, after all retries where they may help.
        """
        body = _Body()
        wait = self.patience.first_wait
        for left in range(self.patience.retries, -1, -1):
            self._take_turn(what)
            try:
                fault, asked = self._try(url, what, most, params, body)
            except OfflineModeIsEnabled:
                raise HubError("unreachable", "HF_HUB_OFFLINE is set: unset it to fetch") from None
            except (httpx2.UnsupportedProtocol, httpx2.InvalidURL, httpx2.TooManyRedirects):
                raise HubError("unexpected", f"{what}: the hub sends to where nothing is") from None
            except (httpx2.ConnectError, httpx2.ConnectTimeout):
                fault, asked = failures.unreachable(self.host), None
            except (httpx2.TransportError, httpx2.DecodingError, TimeoutError):
                fault, asked = failures.cut(what, len(body.data)), None
            finally:
                self._next = max(self._next, self._clock() + self.patience.pause)
            if fault is None:
                return bytes(body.data)
            if asked is not None:
                self._next = max(self._next, self._clock() + asked)
            given_up = fault.kind == "unreachable" and self.patience.retries - left >= _RECONNECTS
            if given_up or not left:
                raise fault
            if asked is None:
                self._wait(wait, f"{fault}; trying again in")
                wait *= 2
        raise AssertionError("unreachable")

    def _take_turn(self, what: str) -> None:
        """Wait until the next request is due; refuse where the hub asked for more patience than there is."""
        ahead = self._next - self._clock()
        if ahead > self.patience.longest_wait:
            raise HubError(
                "rate_limited",
                f"{what}: the hub allows no more requests for {ahead:,.0f} s; fetch again after that",
            )
        if ahead > self.patience.pause + 0.5:
            self._wait(ahead, "The hub asks to wait")
        elif ahead > 0:
            self._sleep(ahead)

    def _wait(self, seconds: float, words: str) -> None:
        """Wait, counting down: whoever is told may so end a long wait."""
        while seconds > 0:
            self._tell(f"{words} {math.ceil(seconds)} s")
            self._sleep(min(1.0, seconds))
            seconds -= 1.0

    def _try(
        self, url: str, what: str, most: int, params: Mapping[str, str] | None, body: _Body
    ) -> tuple[HubError | None, float | None]:
        """Return None where the body is whole, else what went wrong and for how long the hub says to wait.

        Raises
        ------
        HubError
            Trying again cannot help.
        """
        headers = build_hf_headers(library_name="reasonscape-explorer")
        with_token = "authorization" in headers
        # Compressed, a small answer may be large.
        headers["Accept-Encoding"] = "identity"
        if body.data and body.etag:
            headers |= {"Range": f"bytes={len(body.data)}-", "If-Range": body.etag}
        else:
            body.data.clear()
        end = self._clock() + self.patience.deadline
        timeout = self.patience.timeout
        with get_session().stream(
            "GET", url, headers=headers, params=dict(params or {}), timeout=timeout
        ) as response:
            status = response.status_code
            if status in failures.RETRIED:
                fault = failures.of_status(status, what)
                return fault, _asked_to_wait(response.headers)
            if status not in (200, 206):
                code = response.headers.get("X-Error-Code", "")
                raise failures.of_status(status, what, code, with_token=with_token)
            if status == 200 or not _goes_on(response.headers.get("Content-Range"), len(body.data)):
                body.data.clear()
            if status == 206 and not body.data:
                return failures.cut(what, 0), None
            body.etag = _strong(response.headers.get("ETag", ""))
            length = _whole_number(response.headers.get("Content-Length"))
            if length is not None and len(body.data) + length > most:
                raise failures.too_large(what, len(body.data) + length, most)
            for chunk in response.iter_bytes():
                body.data += chunk
                if len(body.data) > most:
                    raise failures.too_large(what, None, most)
                if self._clock() > end:
                    raise TimeoutError
        return None, None


def default_endpoint(environment: Mapping[str, str]) -> str:
    """Return the address of the hub: that of HF_ENDPOINT, else huggingface.co."""
    return environment.get("HF_ENDPOINT", "").strip() or constants.ENDPOINT


def _host(endpoint: str) -> str:
    try:
        parts = urlsplit(endpoint)
        name, port = parts.hostname, parts.port
    except ValueError:
        name, port, parts = None, None, urlsplit("")
    if not name or parts.scheme not in ("http", "https"):
        raise HubError("unreachable", "HF_ENDPOINT is no address of a hub; valid: https://huggingface.co")
    return f"{name}:{port}" if port else name


def _asked_to_wait(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that a response asks for, None where it does not.

    In a `Retry-After` header, as a number or a date, or in the `RateLimit` header of the hub itself.
    """
    value = headers.get("Retry-After")
    if value is None:
        limit = parse_ratelimit_headers(headers)
        return float(limit.reset_in_seconds) if limit is not None and limit.remaining == 0 else None
    seconds = _whole_number(value)
    if seconds is not None:
        return float(seconds)
    try:
        until = parsedate_to_datetime(value)
    except (ValueError, OverflowError):
        return None
    aware = until if until.tzinfo else until.replace(tzinfo=UTC)
    return max(0.0, (aware - datetime.now(UTC)).total_seconds())


def _goes_on(content_range: str | None, received: int) -> bool:
    return received > 0 and (content_range or "").startswith(f"bytes {received}-")


def _strong(etag: str) -> str:
    """Return an ETag by which parts of a file may be joined, "" where it is none."""
    return etag if etag.startswith('"') else ""


def _whole_number(value: Any) -> int | None:
    text = str(value).strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else None
