"""What a user may say of an eval's model where no hub does: its parameters, and its price."""

import re
from typing import Annotated, Any, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

_UNITS = {"": 1, "K": 1e3, "M": 1e6, "B": 1e9, "T": 1e12}
_COUNT = re.compile(r"(\d+(?:\.\d+)?)\s*([KMBT]?)", re.IGNORECASE)


def parameter_count(value: object) -> int:
    """Return a number of parameters as typed: 135000000, or a text such as "135M" or "1.5B".

    Raises
    ------
    ValueError
        Not a number of at least one.
    """
    if isinstance(value, str):
        found = _COUNT.fullmatch(value.strip())
        number = float(found[1]) * _UNITS[found[2].upper()] if found else 0.0
    else:
        number = float(value) if isinstance(value, int | float) and not isinstance(value, bool) else 0.0
    if not 1 <= number < 1e18:
        raise ValueError('a number of parameters is such as 135000000, "135M" or "1.5B"')
    return round(number)


def _checked(value: Any) -> Any:
    parameter_count(value)
    return value


ParameterCount = Annotated[int | float | str, BeforeValidator(_checked)]
"""Kept as it was typed, so that a config is saved as it was; see parameter_count."""


class Price(BaseModel):
    """What tokens cost, per million of them; a part that is not given is not charged."""

    model_config = ConfigDict(extra="allow", frozen=True, allow_inf_nan=False)

    input: float | None = Field(default=None, ge=0.0)
    output: float | None = Field(default=None, ge=0.0)
    currency: str = Field(default="USD", min_length=1, max_length=10)

    @model_validator(mode="after")
    def _some(self) -> Self:
        if self.input is None and self.output is None:
            raise ValueError('a price is such as {"input": 0.15, "output": 0.60}, per million tokens')
        return self
