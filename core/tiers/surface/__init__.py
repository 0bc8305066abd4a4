"""Surface: where in difficulty evals fail, as heatmaps, in 3-D, cell by cell against another, and as curves.

Heatmaps and curves are Altair; only scene.py knows Plotly, and only browser_png.py the browser it needs.
"""

from core.tiers.surface.axes import Panel
from core.tiers.surface.browser_png import HOW_TO, BrowserError, figures_html, find_browser
from core.tiers.surface.build import Pair, append_surface, build_surface, read_axis_params
from core.tiers.surface.cell_params import CELL, cell_params
from core.tiers.surface.curve_chart import curve_chart
from core.tiers.surface.curves import Curve, read_projections, slice_surface
from core.tiers.surface.difference import SurfaceDifference, read_surface_difference
from core.tiers.surface.document import difference_frame, export_frame, to_document
from core.tiers.surface.drops import METHOD as DROPS_METHOD
from core.tiers.surface.drops import read_drops
from core.tiers.surface.heatmap import Page, difference_heatmaps, pages, panel_pages, surface_heatmaps
from core.tiers.surface.scene import MOST_SCENES, scene_alt, stats_text, surface_scene
from core.tiers.surface.scene_image import scenes_html, scenes_png
from core.tiers.surface.summary import summarise
from core.tiers.surface.table import NoSurfaceError, SurfaceGrid, offered_panels, read_surfaces, what_to_add
from core.tiers.surface.view import PRESETS, View

__all__ = [
    "CELL",
    "DROPS_METHOD",
    "HOW_TO",
    "MOST_SCENES",
    "PRESETS",
    "BrowserError",
    "Curve",
    "NoSurfaceError",
    "Page",
    "Pair",
    "Panel",
    "SurfaceDifference",
    "SurfaceGrid",
    "View",
    "append_surface",
    "build_surface",
    "cell_params",
    "curve_chart",
    "difference_frame",
    "difference_heatmaps",
    "export_frame",
    "figures_html",
    "find_browser",
    "offered_panels",
    "pages",
    "panel_pages",
    "read_axis_params",
    "read_drops",
    "read_projections",
    "read_surface_difference",
    "read_surfaces",
    "scene_alt",
    "scenes_html",
    "scenes_png",
    "slice_surface",
    "stats_text",
    "summarise",
    "surface_heatmaps",
    "surface_scene",
    "to_document",
    "what_to_add",
]
