"""A small hub on loopback: models with files, and trouble of every kind on demand."""

import hashlib
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote, urlsplit

import huggingface_hub
import pytest

CONFIG = {
    "architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 64, "intermediate_size": 128,
    "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 1000,
    "max_position_embeddings": 2048, "tie_word_embeddings": True, "torch_dtype": "bfloat16",
}  # fmt: skip


@dataclass
class Trouble:
    """One answer instead of the right one.

    cut: close the connection after so many bytes of the right answer. elsewhere: redirect. slow: seconds
    before the answer. unsized: without Content-Length.
    """

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    cut: int | None = None
    slow: float = 0.0
    unsized: bool = False


@dataclass
class Repo:
    """A model: its files, what its listing says besides, and whether its files are behind a gate."""

    files: dict[str, bytes]
    info: dict[str, Any] = field(default_factory=dict)
    gated: bool = False
    listed: dict[str, int] = field(default_factory=dict)
    """Sizes that the listing claims, where not the true ones."""


@dataclass
class Request:
    when: float
    path: str
    headers: dict[str, str]
    status: int = 0


class SmallHub(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 50

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.repos: dict[str, Repo] = {}
        self.trouble: dict[str, list[Trouble]] = {}
        """By the end of a path: played one after the other, before the right answer."""
        self.requests: list[Request] = []
        self.token = "hf_thisIsTheTokenOfTheTests"

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def add(self, model: str, files: dict[str, bytes] | None = None, **options: Any) -> Repo:
        standard = {"README.md": f"# {model}\n".encode(), "config.json": json.dumps(CONFIG).encode()}
        self.repos[model] = Repo(standard if files is None else files, **options)
        return self.repos[model]

    def paths(self) -> list[str]:
        return [request.path for request in self.requests]

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: clients that give up are part of the tests."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: SmallHub

    def do_GET(self) -> None:
        path = unquote(urlsplit(self.path).path)
        record = Request(time.monotonic(), path, {k.lower(): v for k, v in self.headers.items()})
        self.server.requests.append(record)
        trouble = next((t.pop(0) for end, t in self.server.trouble.items() if t and path.endswith(end)), None)
        if trouble is not None and trouble.slow:
            time.sleep(trouble.slow)
        if trouble is not None and trouble.cut is None and not trouble.unsized:
            status, headers, body = trouble.status, trouble.headers, trouble.body
        else:
            status, headers, body = self._right(path)
        record.status = status
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if trouble is not None and trouble.unsized:
            self.close_connection = True
        else:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if trouble is not None and trouble.cut is not None:
            self.wfile.write(body[: trouble.cut])
            self.close_connection = True
        else:
            self.wfile.write(body)

    def _right(self, path: str) -> tuple[int, dict[str, str], bytes]:
        if path.startswith("/api/models/"):
            model = path.removeprefix("/api/models/")
            if model not in self.server.repos:
                return 401, {"X-Error-Code": "RepoNotFound"}, b'{"error":"Repository not found"}'
            return 200, {"Content-Type": "application/json"}, self._listing(model)
        model, _, rest = path[1:].partition("/resolve/")
        repo, name = self.server.repos.get(model), rest.partition("/")[2]
        if repo is None or name not in repo.files:
            return 404, {"X-Error-Code": "EntryNotFound"}, b"Entry not found"
        bearer = self.headers.get("Authorization")
        if repo.gated and name != "README.md" and bearer != f"Bearer {self.server.token}":
            status = 401 if bearer is None else 403
            return status, {"X-Error-Code": "GatedRepo"}, b"Access to model is restricted"
        return self._part(repo.files[name])

    def _part(self, body: bytes) -> tuple[int, dict[str, str], bytes]:
        headers = {"ETag": f'"{blob(body)}"'}
        asked = self.headers.get("Range")
        if asked is None or self.headers.get("If-Range") != headers["ETag"]:
            return 200, headers, body
        start = int(asked.removeprefix("bytes=").rstrip("-"))
        headers["Content-Range"] = f"bytes {start}-{len(body) - 1}/{len(body)}"
        return 206, headers, body[start:]

    def _listing(self, model: str) -> bytes:
        repo = self.server.repos[model]
        siblings = [
            {"rfilename": name, "size": repo.listed.get(name, len(body)), "blobId": blob(body)}
            for name, body in repo.files.items()
        ]
        document = {
            "id": model,
            "sha": "c" * 40,
            "gated": "auto" if repo.gated else False,
            "siblings": siblings,
        }
        return json.dumps(document | repo.info).encode()

    def log_message(self, format: str, *arguments: Any) -> None:
        """Say nothing."""


def blob(body: bytes) -> str:
    """Git's name of a content."""
    return hashlib.sha1(b"blob %d\0" % len(body) + body).hexdigest()


@contextmanager
def serving() -> Iterator[SmallHub]:
    hub = SmallHub()
    thread = threading.Thread(target=hub.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        hub.shutdown()
        hub.server_close()
        thread.join(5)


@contextmanager
def only_hub(patch: pytest.MonkeyPatch) -> Iterator[SmallHub]:
    """A hub that HF_ENDPOINT names, and no token of this machine."""
    with serving() as hub:
        for name in ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "HF_HUB_OFFLINE", "HF_OIDC_RESOURCE"):
            patch.delenv(name, raising=False)
        patch.setattr("huggingface_hub.constants.HF_TOKEN_PATH", "/nonexistent/token")
        patch.setenv("HF_ENDPOINT", hub.address)
        for name in ("NO_PROXY", "no_proxy"):
            patch.setenv(name, "127.0.0.1")
        # A client of another test may hold on to another environment.
        huggingface_hub.close_session()
        yield hub
        huggingface_hub.close_session()
