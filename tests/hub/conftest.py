"""The small hub as the only one there is: no test here can reach another."""

from collections.abc import Iterator

import pytest

from core.hub.request import Hub, Patience
from tests.hub.small_hub import SmallHub, only_hub

QUICK = Patience(pause=0.0, retries=3, first_wait=0.01, longest_wait=5.0, timeout=5.0, deadline=20.0)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> Iterator[SmallHub]:
    """A hub of one's own, without a token, and named by HF_ENDPOINT."""
    with only_hub(monkeypatch) as hub:
        yield hub


@pytest.fixture
def hub(small: SmallHub) -> Hub:
    """The client of the small hub, without patience."""
    return Hub(small.address, QUICK)
