"""A saved view: its name, its page, and the parameters of that page's address.

A view may come from a file that somebody sent: everything it says is checked here, and what it says is only
ever used as an address of this app.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any
from urllib.parse import urlencode

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, field_validator

from core.errors import ReasonScapeError
from core.views.parameters import FILTERS, PARAM, known

NAME_LENGTH = 80
MOST_VALUES, VALUE_LENGTH, ADDRESS_LENGTH = 500, 2_000, 16_000
"""Values of one parameter, characters of one value, and of the whole address: servers refuse longer ones."""

DEFAULT_PAGE = "scores"
"""The page that an address without a path opens."""

PAGES = {
    "scores": "Scores",
    "evals": "Evals",
    "tasks": "Tasks",
    "cluster": "Cluster",
    "compare": "Compare",
    "spiderweb": "Spiderweb",
    "surface": "Surface",
    "hazard": "Hazard",
    "fft": "FFT",
    "compression": "Compression",
    "modelinfo": "Model info",
    "completions": "Completions",
    "imports": "Import",
    "dataset": "Dataset",
}
"""Title of each page by its path."""


class ViewError(ReasonScapeError):
    """A saved view, or a file of them, cannot be read, written or used."""


class NameTakenError(ViewError):
    """Another view has that name."""


Parameters = dict[str, tuple[str, ...]]
Value = Annotated[str, StringConstraints(max_length=VALUE_LENGTH)]


class SavedView(BaseModel):
    """A page with its filters and options, under a name.

    Attributes
    ----------
    name
        One line of visible characters.
    page
        A key of PAGES.
    parameters
        Values by key, as the address has them; without the dataset.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Annotated[str, Field(max_length=10 * NAME_LENGTH)]
    page: str
    parameters: dict[str, Annotated[tuple[Value, ...], Field(max_length=MOST_VALUES)]] = Field(
        default_factory=dict
    )

    @field_validator("name")
    @classmethod
    def _name(cls, name: str) -> str:
        return clean_name(name)

    @field_validator("page")
    @classmethod
    def _page(cls, page: str) -> str:
        if page not in PAGES:
            raise ValueError(f"no page {page[:40]!r}; the pages are {', '.join(PAGES)}")
        return page

    @field_validator("parameters")
    @classmethod
    def _parameters(cls, parameters: Parameters) -> Parameters:
        for key in parameters:
            if not known(key):
                raise ValueError(f"no page has a parameter {key[:40]!r}")
        if len(urlencode(parameters, doseq=True)) > ADDRESS_LENGTH:
            raise ValueError(f"its address is longer than {ADDRESS_LENGTH:,} characters")
        return parameters

    @property
    def title(self) -> str:
        """The title of its page."""
        return PAGES[self.page]

    def address(self, dataset: str) -> str:
        """Return its address on a dataset, relative to the app's first page: `cluster?dataset=demo&...`."""
        path = "" if self.page == DEFAULT_PAGE else self.page
        return f"{path}?{urlencode({'dataset': dataset, **self.parameters}, doseq=True)}"

    def words(self) -> str:
        """Return what it is of: its page, its filters, and how many other choices it keeps."""
        filters = [
            one_line(f"{key.removeprefix(PARAM)} {', '.join(values)}")
            for key, values in self.parameters.items()
            if key in FILTERS or key.startswith(PARAM)
        ]
        others = len(self.parameters) - len(filters)
        options = [f"{others} option{'s' if others > 1 else ''}"] if others else []
        return " · ".join([self.title, *filters, *options])


def one_line(text: str) -> str:
    """Return text on one line, without characters that cannot be seen or that a terminal obeys."""
    seen = "".join(" " if sign.isspace() else sign for sign in text if sign.isspace() or sign.isprintable())
    return " ".join(seen.split())


def clean_name(name: str) -> str:
    """Return a name on one line, without characters that cannot be seen.

    Raises
    ------
    ValueError
        Nothing is left, or too much.
    """
    words = one_line(name)
    if not words:
        raise ValueError("the name is empty")
    if len(words) > NAME_LENGTH:
        raise ValueError(f"the name is longer than {NAME_LENGTH} characters")
    return words


def view_of(name: str, page: str, parameters: Mapping[str, Sequence[str]]) -> SavedView:
    """Return a page's address as a view; parameters that no page has, and the dataset, are left out.

    Raises
    ------
    ViewError
        The name or the page will not do, or the address is too long.
    """
    kept = {key: list(values) for key, values in parameters.items() if known(key) and values}
    return valid_view({"name": name, "page": page, "parameters": kept})


def valid_view(document: Any) -> SavedView:
    """Return a view from its JSON form.

    Raises
    ------
    ViewError
        It is none; the message says why, for the first fault.
    """
    try:
        return SavedView.model_validate(document)
    except ValidationError as error:
        fault = error.errors(include_url=False, include_input=False)[0]
        place = one_line(".".join(str(step)[:40] for step in fault["loc"]))
        message = fault["msg"].removeprefix("Value error, ")
        raise ViewError(message if fault["type"] == "value_error" else f"{place}: {message}") from None
