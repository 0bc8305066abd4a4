"""A hub of one's own that gives tokenizer.json, and refuses in the ways that the real one does."""

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tokenizers import Tokenizer, models, pre_tokenizers, processors

REFUSALS = {
    "org/gated": (403, "GatedRepo"),
    "org/private": (404, "RepoNotFound"),
    "org/without": (404, "EntryNotFound"),
    "org/faulty": (500, ""),
}


def tokenizer_file() -> bytes:
    """A tokenizer of single characters that adds a first token and cuts after three, if it is let."""
    letters = sorted("What is+?0123456789")
    vocabulary = {letter: place + 2 for place, letter in enumerate(dict.fromkeys(letters))}
    made = Tokenizer(models.WordLevel({"[UNK]": 0, "[BOS]": 1, **vocabulary}, unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.Split("", "isolated")
    made.post_processor = processors.TemplateProcessing(single="[BOS] $A", special_tokens=[("[BOS]", 1)])
    made.enable_truncation(3)
    made.enable_padding(length=50)
    return made.to_str().encode()


class TokenizerHub(ThreadingHTTPServer):
    """Serves `files` by repository; `asked` are the repositories asked for."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.files: dict[str, bytes] = {}
        self.asked: list[str] = []

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    server: TokenizerHub

    def do_HEAD(self) -> None:
        self._answer(with_body=False)

    def do_GET(self) -> None:
        self._answer(with_body=True)

    def _answer(self, *, with_body: bool) -> None:
        repository, _, rest = self.path.strip("/").partition("/resolve/main/")
        if rest:
            self.server.asked.append(repository)
        body = self.server.files.get(repository, b"") if rest == "tokenizer.json" else b""
        status, code = REFUSALS.get(repository, (200, "") if body else (404, "RepoNotFound"))
        self.send_response(status)
        if code:
            self.send_header("X-Error-Code", code)
        self.send_header("X-Repo-Commit", "c" * 40)
        self.send_header("ETag", '"e"')
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if with_body:
            self.wfile.write(body)

    def log_message(self, format: str, *arguments: object) -> None:
        """Say nothing."""
