"""One request: what is tried again, what is refused, how long is waited, and that no token is told."""

import logging
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from itertools import pairwise

import huggingface_hub
import pytest

from core.hub.failures import HubError
from core.hub.request import Hub, default_endpoint
from tests.hub.conftest import QUICK
from tests.hub.small_hub import SmallHub, Trouble, serving

TEXT = b"0123456789" * 1000


@pytest.fixture
def url(small: SmallHub) -> str:
    small.add("org/m", {"a.md": TEXT})
    return f"{small.address}/org/m/resolve/main/a.md"


class Clock:
    """Time that passes only by sleeping."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


def watched(small: SmallHub, clock: Clock, **patience: float) -> tuple[Hub, list[str]]:
    said: list[str] = []
    hub = Hub(small.address, replace(QUICK, **patience), said.append, clock.sleep, lambda: clock.now)  # type: ignore[arg-type]
    return hub, said


def test_a_file_comes_whole(hub: Hub, url: str) -> None:
    assert hub.get(url, "a.md", len(TEXT)) == TEXT


@pytest.mark.parametrize(
    ("status", "code", "kind", "words"),
    [
        (401, "GatedRepo", "gated", "accept its terms on the model's page, then set HF_TOKEN"),
        (403, "GatedRepo", "gated", "gated (status 403)"),
        (401, "", "gated", "gated (status 401)"),
        (401, "RepoNotFound", "not_found", "not on the hub under this name"),
        (404, "EntryNotFound", "not_found", "where it is private, set HF_TOKEN"),
        (400, "", "unexpected", "status 400"),
        (451, "", "unexpected", "status 451"),
    ],
)
def test_what_trying_again_cannot_help(
    hub: Hub, small: SmallHub, url: str, status: int, code: str, kind: str, words: str
) -> None:
    small.trouble["a.md"] = [Trouble(status, {"X-Error-Code": code})]
    with pytest.raises(HubError) as caught:
        hub.get(url, "a.md", 10**6)
    assert caught.value.kind == kind
    assert str(caught.value).startswith("a.md: ")
    assert words in str(caught.value)
    assert len(small.requests) == 1


@pytest.mark.parametrize("status", [408, 500, 502, 503, 504])
def test_a_fault_of_the_server_is_tried_again(small: SmallHub, url: str, status: int) -> None:
    small.trouble["a.md"] = [Trouble(status), Trouble(status)]
    clock = Clock()
    hub, said = watched(small, clock, first_wait=1.0)
    assert hub.get(url, "a.md", 10**6) == TEXT
    assert clock.slept == [1.0, 1.0, 1.0]
    assert [one.rpartition("; ")[2] for one in said] == [
        "trying again in 1 s", "trying again in 2 s", "trying again in 1 s",
    ]  # fmt: skip
    assert f"status {status}" in said[0]


def test_a_fault_that_stays_is_told_after_all_retries(small: SmallHub, url: str) -> None:
    small.trouble["a.md"] = [Trouble(500)] * 9
    hub, _ = watched(small, Clock())
    with pytest.raises(HubError, match="the hub has a fault") as caught:
        hub.get(url, "a.md", 10**6)
    assert caught.value.kind == "server"
    assert len(small.requests) == 1 + QUICK.retries


def test_retry_after_is_waited_for(small: SmallHub, url: str) -> None:
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=4), usegmt=True)
    small.trouble["a.md"] = [Trouble(429, {"Retry-After": "3"}), Trouble(429, {"Retry-After": later})]
    clock = Clock()
    hub, said = watched(small, clock)
    assert hub.get(url, "a.md", 10**6) == TEXT
    assert 5.0 < sum(clock.slept) <= 7.0
    assert said[:3] == [f"The hub asks to wait {seconds} s" for seconds in (3, 2, 1)]
    assert max(clock.slept) <= 1.0


@pytest.mark.parametrize(
    ("headers", "waited"),
    [
        ({"RateLimit": '"api";r=0;t=4'}, 4.0),
        ({"RateLimit": '"api";r=7;t=4'}, 0.01),
        ({"RateLimit": '"api";r=0;t=4', "Retry-After": "2"}, 2.0),
        ({"Retry-After": "soon"}, 0.01),
        ({"Retry-After": "-5"}, 0.01),
        ({"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
    ],
)
def test_how_long_a_response_asks_to_wait(
    small: SmallHub, url: str, headers: dict[str, str], waited: float
) -> None:
    small.trouble["a.md"] = [Trouble(429, headers)]
    clock = Clock()
    hub, _ = watched(small, clock)
    assert hub.get(url, "a.md", 10**6) == TEXT
    assert sum(clock.slept) == pytest.approx(waited)


def test_retry_after_is_waited_for_in_real_time(hub: Hub, small: SmallHub, url: str) -> None:
    small.trouble["a.md"] = [Trouble(429, {"Retry-After": "1"})]
    assert hub.get(url, "a.md", 10**6) == TEXT
    assert small.requests[1].when - small.requests[0].when >= 1.0


def test_no_request_goes_out_while_the_hub_allows_none(small: SmallHub, url: str) -> None:
    small.trouble["a.md"] = [Trouble(429, {"Retry-After": "3600"})]
    clock = Clock()
    hub, _ = watched(small, clock)
    for _ in range(3):
        with pytest.raises(HubError, match="allows no more requests for 3,600 s; fetch again after that"):
            hub.get(url, "a.md", 10**6)
    assert len(small.requests) == 1
    assert clock.slept == []
    clock.now += 3601
    assert hub.get(url, "a.md", 10**6) == TEXT


def test_requests_keep_their_distance(small: SmallHub, url: str) -> None:
    hub = Hub(small.address, replace(QUICK, pause=0.2))
    for _ in range(3):
        hub.get(url, "a.md", 10**6)
    times = [request.when for request in small.requests]
    assert all(b - a >= 0.2 for a, b in pairwise(times))


def test_a_cut_connection_goes_on_where_it_ended(hub: Hub, small: SmallHub, url: str) -> None:
    small.trouble["a.md"] = [Trouble(cut=4000), Trouble(cut=1000)]
    assert hub.get(url, "a.md", 10**6) == TEXT
    assert [r.headers.get("range") for r in small.requests] == [None, "bytes=4000-", "bytes=5000-"]


def test_another_content_is_not_joined_to_the_first_half(hub: Hub, small: SmallHub, url: str) -> None:
    small.trouble["a.md"] = [Trouble(cut=4000)]
    other = b"x" * 5000

    def change(_: str) -> None:
        small.repos["org/m"].files["a.md"] = other

    hub._tell = change
    assert hub.get(url, "a.md", 10**6) == other


def test_a_connection_that_is_always_cut_is_told(hub: Hub, small: SmallHub, url: str) -> None:
    small.trouble["a.md"] = [Trouble(cut=10)] * 9
    with pytest.raises(HubError, match="the connection was cut after 40 bytes") as caught:
        hub.get(url, "a.md", 10**6)
    assert caught.value.kind == "connection"


def test_a_server_that_never_answers_is_given_up(small: SmallHub, url: str) -> None:
    small.trouble["a.md"] = [Trouble(slow=1.0)] * 2
    hub = Hub(small.address, replace(QUICK, timeout=0.2, retries=1))
    start = time.monotonic()
    with pytest.raises(HubError, match="the connection was cut"):
        hub.get(url, "a.md", 10**6)
    assert time.monotonic() - start < 1.0


def test_a_server_that_answers_drop_by_drop_is_given_up(small: SmallHub, url: str) -> None:
    small.repos["org/m"].files["a.md"] = b"x" * 300_000
    ticks = iter(range(10**6))
    hub = Hub(small.address, replace(QUICK, retries=0, deadline=1.0), clock=lambda: float(next(ticks)))
    with pytest.raises(HubError, match="the connection was cut"):
        hub.get(url, "a.md", 10**6)


def test_fifty_megabytes_are_refused_before_they_come(hub: Hub, small: SmallHub, url: str) -> None:
    small.repos["org/m"].files["a.md"] = bytes(50_000_000)
    start = time.monotonic()
    with pytest.raises(HubError, match="refused: 50,000,000 bytes, and at most 10,000,000 bytes") as caught:
        hub.get(url, "a.md", 10_000_000)
    assert caught.value.kind == "too_large"
    assert time.monotonic() - start < 2.0


def test_fifty_megabytes_of_unknown_size_are_refused_while_they_come(
    hub: Hub, small: SmallHub, url: str
) -> None:
    small.repos["org/m"].files["a.md"] = bytes(50_000_000)
    small.trouble["a.md"] = [Trouble(unsized=True)]
    with pytest.raises(HubError, match="refused: more, and at most 10,000,000 bytes"):
        hub.get(url, "a.md", 10_000_000)
    assert len(small.requests) == 1


def test_no_hub_at_all_is_told(small: SmallHub) -> None:
    with serving() as gone:
        address = gone.address
    clock = Clock()
    hub = Hub(address, QUICK, sleep=clock.sleep)
    with pytest.raises(HubError, match=r"127\.0\.0\.1:\d+ cannot be reached") as caught:
        hub.get(f"{address}/x", "x", 10)
    assert caught.value.kind == "unreachable"
    # No wait that grows and grows: most often the machine is offline.
    assert len(clock.slept) == 2


def test_offline_mode_is_told_and_kept(
    hub: Hub, small: SmallHub, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(HubError, match="HF_HUB_OFFLINE is set"):
        hub.get(url, "a.md", 10)
    assert small.requests == []


@pytest.mark.parametrize("address", ["nowhere", "ftp://127.0.0.1", "http://[", "http://a:b", "https://", ""])
def test_an_address_that_is_none_is_told(address: str) -> None:
    with pytest.raises(HubError, match="HF_ENDPOINT is no address"):
        Hub(address)


def test_a_redirect_to_another_machine_does_not_carry_the_token(
    hub: Hub, small: SmallHub, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", small.token)
    with serving() as store:
        store.add("org/m", {"a.md": TEXT})
        there = f"{store.address}/org/m/resolve/main/a.md"
        small.trouble["a.md"] = [Trouble(302, {"Location": there})]
        assert hub.get(url, "a.md", 10**6) == TEXT
        assert small.requests[0].headers["authorization"] == f"Bearer {small.token}"
        assert "authorization" not in store.requests[0].headers


def test_redirects_that_lead_nowhere_end(hub: Hub, small: SmallHub, url: str) -> None:
    for place in (url, "file:///etc/passwd", "ftp://127.0.0.1/a.md"):
        small.trouble["a.md"] = [Trouble(302, {"Location": place})] * 50
        with pytest.raises(HubError, match="sends to where nothing is"):
            hub.get(url, "a.md", 10)


@pytest.mark.parametrize(
    "trouble",
    [Trouble(401), Trouble(403), Trouble(500), Trouble(429, {"Retry-After": "9999"}), Trouble(cut=5)],
)
def test_a_token_is_used_and_never_told(
    hub: Hub,
    small: SmallHub,
    url: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
    trouble: Trouble,
) -> None:
    monkeypatch.setenv("HF_TOKEN", small.token)
    caplog.set_level(logging.DEBUG)
    small.trouble["a.md"] = [trouble] * 9
    said: list[str] = []
    hub._tell = said.append
    with pytest.raises(HubError) as caught:
        hub.get(url, "a.md", 10**6)
    assert {r.headers["authorization"] for r in small.requests} == {f"Bearer {small.token}"}
    told = "".join([str(caught.value), *said, caplog.text, *capfd.readouterr()])
    assert small.token not in told


def test_the_address_is_that_of_the_environment() -> None:
    assert default_endpoint({}) == huggingface_hub.constants.ENDPOINT
    assert default_endpoint({"HF_ENDPOINT": " http://127.0.0.1:9 "}) == "http://127.0.0.1:9"
    assert Hub("https://me:secret@hub.example:8443/x").host == "hub.example:8443"
