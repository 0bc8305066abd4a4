"""How the HTML report looks: on a screen in its light and dark theme, on a phone, and printed."""

from core import charts
from core.palette import theme


def style() -> str:
    """Return the style sheet."""
    light, dark = theme(False), theme(True)
    return f"""
body {{ margin: 0 auto; max-width: 1080px; padding: 24px; font: 16px/1.5 {charts.FONT};
  color: {light.text}; background: {light.background}; overflow-wrap: anywhere; }}
h1, h2, h3 {{ line-height: 1.2; }} h2 {{ margin-top: 2.5em; border-top: 1px solid #8886; padding-top: .6em; }}
.muted, caption {{ opacity: .8; }} caption {{ text-align: left; padding: 4px 0; }}
nav ol {{ display: flex; flex-wrap: wrap; gap: 4px 20px; list-style: none; padding: 0; }}
.fault {{ border-left: 4px solid #b3261e; padding-left: 12px; }}
pre {{ overflow-x: auto; padding: 12px; background: #8882; white-space: pre-wrap; font-size: 14px; }}
figure {{ margin: 20px 0; }} img {{ max-width: 100%; height: auto; background: {light.background}; }}
.wide {{ overflow-x: auto; }} table {{ border-collapse: collapse; font-size: 13px; }}
th, td {{ text-align: left; padding: 4px 10px 4px 0; border-bottom: 1px solid #8884; white-space: nowrap;
  font-variant-numeric: tabular-nums; }}
/* On a phone a figure keeps the size at which its labels can be read, and is moved sideways. */
@media screen and (max-width: 700px) {{ body {{ padding: 16px; }} img {{ max-width: none; width: 720px; }} }}
@media screen and (prefers-color-scheme: dark) {{
  body {{ color: {dark.text}; background: {dark.background}; }} a {{ color: #8ab4f8; }} }}
/* Paper cannot be moved sideways: tables wrap and get smaller, figures stay whole. */
@media print {{ @page {{ size: A4 landscape; margin: 12mm; }}
  body {{ max-width: none; padding: 0; font-size: 11pt; }} nav {{ display: none; }}
  h2, h3, caption {{ break-after: avoid; }} figure, tr, li {{ break-inside: avoid; }}
  img {{ max-height: 170mm; }} .wide {{ overflow: visible; }}
  table {{ font-size: 6.2pt; width: 100%; }}
  th, td {{ white-space: normal; overflow-wrap: break-word; padding: 2px 3px 2px 0; }} }}
"""
