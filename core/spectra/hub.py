"""A model's own tokenizer from the Hugging Face Hub, or the reason in words why there is none."""

import os
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tokenizers import Tokenizer

FILE = "tokenizer.json"

MOST_BYTES = 200_000_000
"""Of a tokenizer.json; the largest known are a sixth of it."""

SECONDS = 10
"""That the Hub may take to answer."""


class TokenizerUnavailableError(Exception):
    """There is no tokenizer to be had; the text says why, and what to do."""


class HubUnreachableError(TokenizerUnavailableError):
    """The Hub does not answer at all: to ask it for another tokenizer would be to wait again."""


class Tokenizers:
    """The tokenizers of one run: each is asked for once, and a Hub that is out of reach never again.

    Parameters
    ----------
    online : bool
        Whether the Hub may be asked; else the local Hugging Face cache alone.
    """

    def __init__(self, *, online: bool) -> None:
        self._online = online
        self._unreachable = ""
        self._known: dict[str, Tokenizer | TokenizerUnavailableError] = {}

    def get(self, hf_id: str) -> "Tokenizer":
        """Return the tokenizer of a repository. Raises TokenizerUnavailableError."""
        if hf_id not in self._known:
            self._known[hf_id] = self._load(hf_id)
        found = self._known[hf_id]
        if isinstance(found, TokenizerUnavailableError):
            raise found
        return found

    def _load(self, hf_id: str) -> "Tokenizer | TokenizerUnavailableError":
        try:
            return load_tokenizer(hf_id, online=self._online and not self._unreachable)
        except HubUnreachableError as fault:
            self._unreachable = str(fault)
            return fault
        except TokenizerUnavailableError as fault:
            return TokenizerUnavailableError(self._unreachable) if self._unreachable else fault


def load_tokenizer(hf_id: str, *, online: bool) -> "Tokenizer":
    """Return the tokenizer of a repository, from the local Hugging Face cache or from the Hub.

    Parameters
    ----------
    hf_id : str
        Such as "org/name".
    online : bool
        Whether the Hub may be asked; else the cache alone. Where HF_ENDPOINT names another hub, that one.

    Raises
    ------
    TokenizerUnavailableError
        Not a repository id, gated, not there, without the file, or no network.
    """
    # Importing huggingface_hub takes a third of a second, and most commands never need it.
    from huggingface_hub.errors import HFValidationError
    from huggingface_hub.utils import validate_repo_id  # type: ignore[attr-defined]

    try:
        validate_repo_id(hf_id)
    except HFValidationError:
        raise TokenizerUnavailableError(
            f"{hf_id!r} is no repository id: correct hf_id in the config to one such as org/name"
        ) from None
    return _read(_download(hf_id, online=online))


def _download(hf_id: str, *, online: bool) -> str:
    import httpx2
    from huggingface_hub import get_hf_file_metadata, hf_hub_download, hf_hub_url
    from huggingface_hub.errors import (
        EntryNotFoundError,
        GatedRepoError,
        HfHubHTTPError,
        LocalEntryNotFoundError,
        RepositoryNotFoundError,
    )

    try:
        return str(hf_hub_download(hf_id, FILE, local_files_only=True))
    except LocalEntryNotFoundError:
        if not online:
            reason = f"the tokenizer of {hf_id} is not on this machine: fetch it"
            raise TokenizerUnavailableError(reason) from None
    # Read now: huggingface_hub reads it when it is imported.
    endpoint = os.environ.get("HF_ENDPOINT") or None
    try:
        # Asked first, since a download tries five times over 20 seconds before it says that nobody is there.
        address = hf_hub_url(hf_id, FILE, endpoint=endpoint)
        size = get_hf_file_metadata(address, timeout=SECONDS, endpoint=endpoint).size or 0
        if size > MOST_BYTES:
            raise TokenizerUnavailableError(f"the {FILE} of {hf_id} has {size:,} bytes, too many to be read")
        return str(hf_hub_download(hf_id, FILE, endpoint=endpoint))
    except GatedRepoError:
        reason = f"{hf_id} is gated: accept its terms on the Hub, log in with `hf auth login`, fetch again"
    except RepositoryNotFoundError:
        reason = f"the Hub has no repository {hf_id}, or it is private: correct hf_id, or `hf auth login`"
    except EntryNotFoundError:
        reason = f"{hf_id} has no {FILE}"
    except HfHubHTTPError as error:
        reason = f"the Hub did not give the tokenizer of {hf_id}: {_first_line(error)}"
    except (httpx2.HTTPError, OSError) as error:
        reason = f"the Hub cannot be reached ({_first_line(error)}): fetch again with a network"
        raise HubUnreachableError(reason) from error
    raise TokenizerUnavailableError(reason)


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__


def _read(path: str) -> "Tokenizer":
    return _parsed(path, os.stat(path).st_mtime_ns)


@lru_cache(maxsize=4)
def _parsed(path: str, modified: int) -> "Tokenizer":
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_file(path)
    except Exception as error:  # tokenizers raises plain Exception
        raise TokenizerUnavailableError(f"its {FILE} cannot be read: {_first_line(error)}") from error
    # A file may ask for texts to be cut or padded, as its training needed.
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer
