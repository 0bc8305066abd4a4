"""A browser reduced to Streamlit's websocket protocol: it opens pages of the app and reads what they show.

A run of a page is asked for with a BackMsg and comes back as ForwardMsgs until `script_finished`. Nothing is
said about messages that this client keeps, so that the server never sends a reference instead of a message.
"""

import re
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from google.protobuf.message import Message
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Element_pb2 import Element
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import connect

Place = tuple[int, ...]
"""Where an element stands: its path through the blocks of a page."""

NAMES = {"id", "file_id", "deferred_file_id", "url", "fragment_id", "uuid"} | {
    "set_value",
    "raw_value",
    "has_one_shot_effect",
}
"""Fields that name things and show nothing; many are drawn anew in each run, or made of fingerprints.

A value that is set in a widget is told only to a browser that has another one: what it makes is in the rest.
"""

STYLER = re.compile(rb"T_[0-9a-f]{5}_")
"""The name that pandas draws for a table with colours."""

DONE = (ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY)


@dataclass(frozen=True)
class Run:
    """What a run of a page showed: its elements by their place on the page, and how long it took."""

    page: str
    elements: dict[Place, Element]
    seconds: float
    sent: int
    fragments: tuple[str, ...]
    others: tuple[str, ...] = ()

    @property
    def faults(self) -> list[str]:
        """What went wrong: exceptions, error boxes, no such page, a script that does not compile."""
        return [
            *self.others,
            *(f"{one.exception.type}: {one.exception.message}" for one in self._of("exception")),
            *(one.alert.body for one in self._of("alert") if one.alert.format == one.alert.ERROR),
        ]

    def _of(self, kind: str) -> Iterator[Element]:
        return (one for one in self.elements.values() if one.WhichOneof("type") == kind)

    @property
    def text(self) -> str:
        """Its paragraphs, captions and boxes."""
        bodies = [*(one.markdown.body for one in self._of("markdown"))]
        bodies += [one.alert.body for one in self._of("alert")]
        return "\n".join(bodies).replace("\\", "")

    def content(self) -> dict[Place, bytes]:
        """What every element shows, to compare with another run: everything but names."""
        return {place: _plain(one) for place, one in self.elements.items()}


def _plain(element: Element) -> bytes:
    copy = Element()
    copy.CopyFrom(element)
    _forget(copy)
    return STYLER.sub(b"", copy.SerializeToString(deterministic=True))


def _forget(message: Message) -> None:
    for field, value in message.ListFields():
        if field.name in NAMES:
            message.ClearField(field.name)
        elif field.message_type is not None:
            for one in [value] if isinstance(value, Message) else list(value):
                if isinstance(one, Message):
                    _forget(one)


class Session:
    """One visitor: a websocket, and the pages it knows of; it changes no widget."""

    def __init__(self, address: str, query: str = "") -> None:
        self._stack = ExitStack()
        stream = f"{address.replace('http', 'ws', 1)}/_stcore/stream"
        self._socket = self._stack.enter_context(connect(stream, subprotocols=["streamlit"], max_size=None))
        self._query = query
        self.pages: dict[str, str] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Leave."""
        self._stack.close()

    def open(self, page: str = "") -> Run:
        """Click a page's title in the navigation; without one, load the app's first page."""
        message = BackMsg()
        message.rerun_script.page_script_hash = self.pages[page] if page else ""
        return self._ask(message, page)

    def again(self, run: Run, fragment: str) -> Run:
        """Run a fragment of a page again, as a choice in it does; returns the page with what is new in it."""
        message = BackMsg()
        message.rerun_script.page_script_hash = self.pages.get(run.page, "")
        message.rerun_script.fragment_id = fragment
        return self._ask(message, run.page, run.elements)

    def _ask(self, message: BackMsg, page: str, shown: Mapping[Place, Element] | None = None) -> Run:
        message.rerun_script.query_string = self._query
        began = time.perf_counter()
        self._socket.send(message.SerializeToString())
        return self._read(page, began, dict(shown or {}), whole=shown is None)

    def _read(self, page: str, began: float, elements: dict[Place, Element], *, whole: bool) -> Run:
        others: list[str] = []
        fragments: dict[str, None] = {}
        sent = 0
        while True:
            data = self._socket.recv(timeout=60)
            sent += len(data)
            message = ForwardMsg()
            message.ParseFromString(data if isinstance(data, bytes) else data.encode())
            match message.WhichOneof("type"):
                case "new_session" if whole:
                    elements.clear()
                    fragments.clear()
                case "navigation":
                    shown = [one for one in message.navigation.app_pages if not one.is_hidden]
                    self.pages = {one.page_name: one.page_script_hash for one in shown}
                case "page_info_changed":
                    self._query = message.page_info_changed.query_string
                case "page_not_found":
                    others.append("page not found")
                case "delta":
                    _take(elements, tuple(message.metadata.delta_path), message)
                    if message.delta.fragment_id:
                        fragments[message.delta.fragment_id] = None
                case "script_finished" if message.script_finished in DONE:
                    seconds = time.perf_counter() - began
                    return Run(page, elements, seconds, sent, tuple(fragments), tuple(others))
                case "script_finished" if message.script_finished == ForwardMsg.FINISHED_WITH_COMPILE_ERROR:
                    others.append("the script does not compile")


def _take(elements: dict[Place, Element], place: Place, message: ForwardMsg) -> None:
    match message.delta.WhichOneof("type"):
        case "new_element":
            elements[place] = message.delta.new_element
        case "add_block":
            for other in [other for other in elements if other[: len(place)] == place]:
                del elements[other]
