"""Compare: is A really better than B, on which tasks, and what does each spend."""

import functools

import streamlit as st

from core.errors import ReasonScapeError
from core.tiers import compare as tier
from core.ui import compare, compare_tables, download, figure, sidebar, states
from core.ui.fragment import fragment
from core.ui.wording import escape

METHOD = r"""
Only items that both answered are compared. With $d_i$ the difference of an item's outcomes (of its means,
where it has several completions), the difference is $\bar d$.

- **One completion each**: with $b$ items gained and $c$ lost, exact McNemar,
  $p = \min(1,\ 2\,P(\mathrm{Bin}(b+c, \frac12) \le \min(b, c)))$; interval of Bonett and Price:
  $p_1 - p_2 \pm 1.96 \sqrt{\frac{p_1 + p_2 - (p_1-p_2)^2}{n+2}}$ with $p_1 = \frac{b+1}{n+2}$,
  $p_2 = \frac{c+1}{n+2}$.
- **Several completions, or scores**: sign-flip test with 10,000 draws (every pattern where at most 14 items
  differ; the paired t test where so many tests are made that the draws are too few); $t$ interval over items.
- **Detectable**: the difference found with about 80% power at 5%, at 5%/m under m tests. How many items would
  separate two evals is the same formula solved for the items:
  $(z_a\sqrt{\psi} + z_b\sqrt{\psi - d^2})^2 / d^2$, $\psi$ the share of items on which the two differ.
- **Guess-corrected**: the difference divided by $1 - \gamma$, $\gamma$ the mean chance of guessing right.
- **Holm** over tasks, over tiers and over other evals; **Benjamini-Hochberg** over surface cells.
- **Tokens**: mean over items of an item's mean completion tokens, $t$ interval of the difference.
- **Length**: completions of one eval are cut into fifths by tokens within task and tier; equal lengths are
  shared out. The interval of each fifth is the sidebar's; that of longest minus shortest is Newcombe's.
"""

view = sidebar.current()
dark = figure.is_dark()
top = st.container()
choice = compare.choose(view)
measure, rule = choice.measure, choice.rule


def show_forest(result: tier.Comparison | tier.Against) -> None:
    """Show the forest plot, a page at a time where it has many rows, with all downloads."""
    total = tier.pages(result, rule)
    page = st.pagination(total, key="compare_page", bind="query-params") - 1 if total > 1 else 0
    asked = {"measure": measure, "rule": rule, "page": page, "dark": dark}
    if choice.b is None:
        spec = compare.against_chart(view.dataset, view.filters, choice.a, **asked)
    else:
        spec = compare.pair_chart(view.dataset, view.filters, choice.a, choice.b, **asked)
    figure.show(spec, key="forest", height=tier.screen_height(result, rule, page))
    download.row(*compare.downloads(view, result, rule))


def show_method() -> None:
    """Show how everything is computed."""
    with st.expander("How this is computed"):
        st.markdown(METHOD)


if choice.b is None:
    try:
        everyone = compare.against(view.dataset, view.filters, choice.a, measure=measure)
    except ReasonScapeError as fault:
        states.stop(fault)
    top.markdown(f"**{escape(tier.against_summary(everyone, rule))}**")
    st.caption(
        "Right of 0 A is better, left of it the other; an interval that spans 0 may still be of a difference"
        " too small to see. Select a row to compare with that eval in detail."
    )
    compare_tables.show_against(everyone, rule)
    show_forest(everyone)
    show_method()
    states.notes(tier.against_notes(everyone))
    st.stop()

try:
    found = compare.comparison(view.dataset, view.filters, choice.a, choice.b, measure=measure)
except ReasonScapeError as fault:
    states.stop(fault)
sentence = tier.verdict(found, rule)
with top:
    st.markdown(f"**{escape(sentence)}**")
    if conflict := tier.disagreement(found):
        st.warning(escape(conflict), icon=":material/balance:")
    if found.setup.mismatches:
        lines = "\n".join(f"- {escape(line)}" for line in found.setup.mismatches)
        st.warning(f"A and B were not run alike:\n{lines}", icon=":material/difference:")
    elif found.setup.alike:
        st.caption(escape(f"Run alike in {'; '.join(found.setup.alike)}."))
with st.popover("Copy the result", icon=":material/content_copy:"):
    st.code(sentence, language=None, wrap_lines=True)

compare_tables.show_counts(view, found, rule)
compare_tables.show_both_rules(found)
st.markdown(f"**How many more items would separate them?** {escape(tier.needed(found, rule))}")

st.subheader("Per tier and task")
sections = [one for one in ("task", "tier") if len(found.of(one, rule))]
st.markdown(escape(" ".join(tier.section_sentence(found, one, rule) for one in sections)))
st.caption("Right of 0 A is better, left of it B; where an interval spans 0, either may be.")
show_forest(found)
compare_tables.show_parts(view, found, rule)


@fragment
def show_cells() -> None:
    """Show surface cells, where the config has any."""
    if len(found.of("cell", rule)):
        st.subheader("Per surface cell")
        st.markdown(escape(tier.section_sentence(found, "cell", rule)))
        st.caption("The surest differences first. Select a cell to open its completions.")
        compare_tables.show_cells(view, found, rule)


@fragment
def show_lengths() -> None:
    """Show accuracy by length of response."""
    with st.expander("Does longer help?", expanded=view.few, key="longer", bind="query-params") as part:
        if not part.open:
            return
        asked = (view.dataset, view.filters, view.methods, found.a, found.b)
        longer = compare.lengths(*asked, rule=rule)
        st.markdown(escape(tier.length_sentence(longer)))
        if longer.cells.empty:
            return
        st.caption(
            "Responses of each eval from its shortest fifth to its longest, at equal task and tier. Harder"
            " items take longer responses too, so a fall is no proof that length does harm."
        )
        figure.show(
            compare.length_chart(*asked, rule=rule, dark=dark), key="lengths", height=tier.LENGTH_HEIGHT
        )
        make = functools.partial(tier.length_chart, longer, dark=dark)
        parts = tier.name_parts(found)
        download.row(
            download.csv(view, "lengths", longer.cells, parts=parts),
            download.png(view, "lengths", make, parts=parts),
        )


st.subheader("What each spends")
compare_tables.show_spent(found)
show_lengths()
show_cells()
show_method()
states.notes(tier.comparison_notes(found, rule))
