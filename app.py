"""ReasonScape Explorer: the page registry and the sidebar that all pages share.

Start with `streamlit run app.py`, or `streamlit run app.py -- --data DIR` for another data folder.
"""

from pathlib import Path

import streamlit as st

from core.ui import style, title

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
            # The first page is served at the root and keeps a path for itself all the same: any but its name.
            default=True,
            url_path="first",
        ),
        st.Page(
            "pages/cluster.py",
            title="Cluster",
            icon=":material/hub:",
            help="Who is indistinguishable: largest groups not separated, and which of them spends least.",
        ),
        st.Page(
            "pages/compare.py",
            title="Compare",
            icon=":material/compare_arrows:",
            help="Is one eval better than another, item by item: on which tasks, and what does each spend.",
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
        st.Page(
            "pages/hazard.py",
            title="Hazard",
            icon=":material/timer:",
            help="When answers come, and whether rightly: by how many tokens, and what a budget would cost.",
        ),
        st.Page(
            "pages/fft.py",
            title="FFT",
            icon=":material/graphic_eq:",
            help="Tokenizer or capability: what tokenizers make of the same prompts, beside the accuracy.",
        ),
        st.Page(
            "pages/compression.py",
            title="Compression",
            icon=":material/compress:",
            help="What failures look like as information: length against compressed bytes, suspected loops.",
        ),
        st.Page(
            "pages/modelinfo.py",
            title="Model info",
            icon=":material/memory:",
            help="Does size explain it: scores against parameters, tokens and price; architectures, READMEs.",
        ),
        st.Page(
            "pages/completions.py",
            title="Completions",
            icon=":material/article:",
            help="What was asked and answered: the completions behind a number, one item across evals.",
        ),
    ],
    "Data": [
        st.Page(
            "pages/imports.py",
            title="Import",
            icon=":material/upload_file:",
            help="Your own results: logs of other tools and tables, looked at, mapped, imported.",
        ),
        st.Page(
            "pages/dataset.py",
            title="Dataset",
            icon=":material/edit_note:",
            help="Which pages work with this dataset; rename, group, hide and order evals, define tiers.",
        ),
    ],
}

# Titles of the pages that work where no dataset can be opened.
WITHOUT_DATASET = ("Import",)

# The first page is at the root and has no path of its own; its name in an address opens it all the same.
FIRST = PAGES["Rank"][0]
NAMED = st.Page("pages/scores.py", title=FIRST.title, url_path="scores", visibility="hidden")

# An icon of our own, and before the navigation: browsers would ask a font server for a Material icon.
st.set_page_config(page_icon=ICON, layout="wide")
page = st.navigation({**PAGES, "": [NAMED]}, expanded=True)
st.set_page_config(page_title=f"{page.title} · ReasonScape Explorer", page_icon=ICON)
style.show()
beside = title.show(page.title)


def show_page() -> None:
    """Draw the sidebar and the page; the libraries that compute load here, below a title already drawn."""
    from core.ui import datasets, sidebar, states, tools

    with states.told():
        if view := sidebar.show(datasets.data_folder(), needed=page.title not in WITHOUT_DATASET):
            tools.show(beside, view, FIRST.url_path if page == NAMED else page.url_path)
        page.run()


show_page()
