"""ReasonScape Explorer: the page registry and the sidebar that all pages share.

Start with `streamlit run app.py`, or `streamlit run app.py -- --data DIR` for another data folder.
"""

from pathlib import Path

import streamlit as st

from core.ui import datasets, header, sidebar

ICON = str(Path(__file__).parent / "core" / "ui" / "icon.png")

PAGES = {
    "Discover": [
        st.Page(
            "pages/evals.py",
            title="Evals",
            icon=":material/smart_toy:",
            help="What was evaluated: models, templates, groups, tiers and tokens. Select rows to filter.",
        ),
        st.Page(
            "pages/tasks.py",
            title="Tasks",
            icon=":material/category:",
            help="What it was asked: tasks with their params, surfaces and projections; accuracy by param.",
        ),
    ],
    "Rank": [
        st.Page(
            "pages/scores.py",
            title="Scores",
            icon=":material/leaderboard:",
            help="Who is better: the leaderboard, with intervals, shared ranks and what is behind a number.",
            default=True,
        ),
        st.Page(
            "pages/cluster.py",
            title="Cluster",
            icon=":material/hub:",
            help="Who is indistinguishable: largest groups not separated, and which of them spends least.",
        ),
    ],
    "Diagnose": [
        st.Page(
            "pages/spiderweb.py",
            title="Spiderweb",
            icon=":material/radar:",
            help="The shape of each eval over the tasks: radar per tier, bars with exact values, overlay.",
        ),
        st.Page(
            "pages/surface.py",
            title="Surface",
            icon=":material/landscape:",
            help="Where in difficulty each eval fails: accuracy over two params, in 3-D, or against another.",
        ),
    ],
}

# An icon of our own, and before the navigation: browsers would ask a font server for a Material icon.
st.set_page_config(page_icon=ICON, layout="wide")
page = st.navigation(PAGES)
st.set_page_config(page_title=f"{page.title} · ReasonScape Explorer", page_icon=ICON)
header.show(page.title)
sidebar.show(datasets.data_folder())
page.run()
