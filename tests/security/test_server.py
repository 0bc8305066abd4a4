"""The server on the hostile dataset: who may reach it, what it asks for itself, and what a browser runs."""

import http.client
import re
import socket
import struct
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import browser as browser
from tests.browser.conftest import serving, settle
from tests.command import ROOT
from tests.security import hostile

SETTINGS = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
PATHS = [
    "", "evals", "tasks", "cluster", "compare", "spiderweb", "surface?surface_view=3-D", "hazard", "fft",
    "compression", "modelinfo", "completions", "completions?list.completion=1", "imports", "dataset",
]  # fmt: skip


@pytest.fixture(scope="module")
def server(hostile_dataset: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving(hostile_dataset.parent, tmp_path_factory.mktemp("server") / "log") as address:
        yield address


def ask(server: str, method: str, path: str, body: bytes = b"", **headers: str) -> int:
    """The status of a request, sent to this machine whatever its headers say."""
    connection = http.client.HTTPConnection(urlsplit(server).netloc, timeout=20)
    try:
        connection.request(
            method, path, body, {name.replace("_", "-"): value for name, value in headers.items()}
        )
        return connection.getresponse().status
    finally:
        connection.close()


def body(server: str, path: str, **headers: str) -> bytes:
    """The content of a page, whatever its status."""
    connection = http.client.HTTPConnection(urlsplit(server).netloc, timeout=20)
    try:
        connection.request("GET", path, headers=headers)
        return connection.getresponse().read()
    finally:
        connection.close()


def upgrade(server: str, **headers: str) -> int:
    """The status of asking for the page's stream; 101 where it is given."""
    return ask(
        server, "GET", "/_stcore/stream", Connection="Upgrade", Upgrade="websocket",
        Sec_WebSocket_Version="13", Sec_WebSocket_Key="dGhlIHNhbXBsZSBub25jZQ==", **headers,
    )  # fmt: skip


def test_settings_keep_the_app_to_this_machine() -> None:
    assert SETTINGS["server"]["address"] == "127.0.0.1"
    assert set(SETTINGS["server"]["allowedHosts"]) == {"127.0.0.1", "localhost"}
    assert SETTINGS["server"]["enableXsrfProtection"] and SETTINGS["server"]["enableCORS"]
    assert SETTINGS["browser"]["gatherUsageStats"] is False
    assert SETTINGS["client"]["showErrorDetails"] in ("type", "none")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc/net/tcp")
def test_it_listens_on_this_machine_only(server: str) -> None:
    port = urlsplit(server).port
    lines = [line.split() for name in ("tcp", "tcp6") for line in _lines(f"/proc/net/{name}")]
    listening = [line[1] for line in lines if line[3] == "0A" and int(line[1].rpartition(":")[2], 16) == port]
    mine = struct.pack("<I", struct.unpack("!I", socket.inet_aton("127.0.0.1"))[0]).hex().upper()
    assert [place.partition(":")[0] for place in listening] == [mine]


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_text().splitlines()[1:]
    except FileNotFoundError:
        return []


def test_another_name_for_this_machine_is_refused(server: str) -> None:
    # A site that makes its own name mean 127.0.0.1 would else read along (DNS rebinding). It gets the empty
    # frame of a page, which is the same for any app; what fills it comes by the stream alone.
    port = urlsplit(server).port
    for host in (f"127.0.0.1:{port}", f"localhost:{port}"):
        assert upgrade(server, Host=host, Origin=f"http://{host}") == 101
    for host in (
        hostile.ELSEWHERE,
        f"{hostile.ELSEWHERE}:{port}",
        "127.0.0.1.evil.invalid",
        "x@127.0.0.1",
        "",
    ):
        assert upgrade(server, Host=host, Origin=f"http://{host}") == 403
        assert upgrade(server, Host=host) == 403
    frame = body(server, "/", Host=hostile.ELSEWHERE)
    assert b"<title>Streamlit</title>" in frame and hostile.MARK.encode() not in frame


def test_another_site_gets_no_stream(server: str) -> None:
    assert upgrade(server, Origin=server) == 101
    for origin in (
        f"http://{hostile.ELSEWHERE}",
        "https://127.0.0.1.evil.invalid",
        "null",
        "http://192.0.2.1:8501",
    ):
        assert upgrade(server, Origin=origin) == 403


def test_an_upload_needs_the_token_of_the_page(server: str) -> None:
    content = b'--x\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\nabc\r\n--x--\r\n'
    kind = "multipart/form-data; boundary=x"
    status = ask(server, "PUT", "/_stcore/upload_file/a/b", content, Content_Type=kind, Origin=server)
    assert status in (400, 403)


def test_no_file_of_the_machine_is_served(server: str, hostile_dataset: Path) -> None:
    for path in (
        "/../../../../etc/passwd", "/static/../../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd",
        "/app/static/x", "/media/../../etc/passwd", "/media/x.csv", "/component/x/../../etc/passwd",
        f"/static/{hostile_dataset}",
    ):  # fmt: skip
        found = body(server, path)
        assert b"root:" not in found and hostile.MARK.encode() not in found


@pytest.mark.browser
def test_no_script_of_the_data_runs_on_any_page(browser: Browser, server: str) -> None:
    asked: list[str] = []
    with browser.new_context(viewport={"width": 1440, "height": 1000}) as context:
        context.add_init_script(
            "window.alert = window.confirm = window.prompt = () => { window.__pwned = 'dialog' }"
        )
        page = context.new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.on("dialog", lambda dialog: pytest.fail(f"a dialog: {dialog.message}"))
        for path in PATHS:
            page.goto(f"{server}/{path}")
            settle(page)
            nothing_ran(page, path)
    local = (server, server.replace("http", "ws", 1), "data:", "blob:")
    assert len(asked) > 50
    assert [url for url in asked if not url.startswith(local)] == []


def nothing_ran(page: Page, path: str) -> None:
    """Find that the page shows hostile words as words, and made no element of them."""
    expect(page.get_by_test_id("stException")).to_have_count(0)
    assert page.evaluate(hostile.MARK) is None, path
    found = page.evaluate(
        """() => ({
            links: [...document.querySelectorAll('a[href]')].map(one => one.getAttribute('href')),
            handlers: [...document.querySelectorAll('*')].filter(
                one => [...one.attributes].some(attribute => attribute.name.startsWith('on'))).length,
            frames: [...document.querySelectorAll('iframe, object, embed')].map(one => one.src || ''),
            pictures: [...document.querySelectorAll('img')].map(one => one.getAttribute('src') || ''),
            text: document.body.innerText,
        })"""
    )
    assert not [
        link for link in found["links"] if re.match(r"\\s*(javascript|data|vbscript):", link, re.I)
    ], path
    assert not [link for link in found["links"] if hostile.ELSEWHERE in urlsplit(link).netloc], path
    assert found["handlers"] == 0, path
    assert not [source for source in found["frames"] + found["pictures"] if hostile.ELSEWHERE in source], path
    assert "x" not in found["pictures"], path
    # The list of completions is drawn on a canvas.
    assert hostile.MARK in found["text"] or path == "completions", path
