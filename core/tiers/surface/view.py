"""The view of a 3-D surface: where the camera stands, shared by all panels, the address and the image."""

import math
from dataclasses import dataclass

from core.errors import FilterError

DISTANCE, MAP_DISTANCE = 2.25, 1.0
OVERHEAD = 89.0
"""Degrees of elevation from which "up" on the screen must be told to the camera: z points at it."""


@dataclass(frozen=True)
class View:
    """A direction to look from.

    Parameters
    ----------
    azimuth : int
        Degrees from 0 to 359, counter-clockwise seen from above; 0 looks along the x axis from its far end,
        270 along the y axis from its near end.
    elevation : int
        Degrees above the floor, 0 to 90.
    """

    azimuth: int = 300
    elevation: int = 25

    def __post_init__(self) -> None:
        """Refuse what is no direction. Raises FilterError."""
        if not 0 <= self.azimuth < 360:
            raise FilterError(f"azimuth must be from 0 to 359 degrees; given: {self.azimuth}")
        if not 0 <= self.elevation <= 90:
            raise FilterError(f"elevation must be from 0 to 90 degrees; given: {self.elevation}")

    @property
    def overhead(self) -> bool:
        """Whether the camera looks straight down: the surface is then drawn as a map, without perspective."""
        return self.elevation > OVERHEAD

    def camera(self) -> dict[str, object]:
        """Return Plotly's camera."""
        around, above = math.radians(self.azimuth), math.radians(self.elevation)
        flat = math.cos(above)
        up, distance = (0.0, 0.0, 1.0), DISTANCE
        if self.overhead:
            up, distance = (-math.cos(around), -math.sin(around), 0.0), MAP_DISTANCE
        eye = (flat * math.cos(around), flat * math.sin(around), math.sin(above))
        return {
            "eye": dict(zip("xyz", (round(distance * part, 4) for part in eye), strict=True)),
            "up": dict(zip("xyz", (round(part, 4) for part in up), strict=True)),
            "projection": {"type": "orthographic" if self.overhead else "perspective"},
            "center": {"x": 0, "y": 0, "z": 0 if self.overhead else -0.17},
        }


PRESETS = {
    "Corner": View(),
    "Other corner": View(120, 25),
    "Along x": View(270, 10),
    "Along y": View(0, 10),
    "Above": View(270, 90),
}
"""Named views; "Along x" shows the x axis from left to right, "Above" is the heatmap."""
