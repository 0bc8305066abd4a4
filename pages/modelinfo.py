"""Model info: scores against the size, the architecture and the price of the models behind them."""

import streamlit as st

from core.errors import ReasonScapeError
from core.tiers import modelinfo as tier
from core.ui import figure, modelinfo, modelinfo_fetch, modelinfo_files, sidebar, states
from core.ui.fragment import fragment
from core.ui.wording import escape

COMPUTED = """
- **Plain score** and its interval are those of the Scores page: 1000 × the geometric mean over the cells.
- **Plain score per 1,000 tokens** = 1000 × plain score / mean completion tokens. Its interval runs from the
  lower bound of the score over the upper bound of the mean to the upper over the lower: it covers at least
  95%, whatever ties score to tokens. The interval of the mean takes points as fixed strata and completions
  of one item as if they were all alike.
- **Score/token** is ReasonScape's: ReasonScore / mean completion tokens.
- **Parameters**, in this order: as typed in the config (`parameters`), as the hub counts them in the files,
  estimated from config.json. Packed weights (4 bits) are estimated, since the hub counts the packed numbers.
- **Estimate**: vocabulary × hidden size (twice, if embeddings are not tied) + layers × (attention: hidden ×
  head size × (2 heads + 2 KV heads); feed-forward: 3 × hidden × inner size, per expert in a mixture).
- **Cost** of 1,000 completions = (mean prompt tokens × input price + mean completion tokens × output price)
  / 1,000, prices per million tokens from the config; missing where a charged part has no token count.
- **Rank correlation**: Spearman's, over models by their best eval, from five models on.
"""

view = sidebar.current()
dark = figure.is_dark()
place = modelinfo.folder(view)
if place is None:
    st.stop()
asked = (view.filters, view.methods, place, tier.mark_of(place))
try:
    found = modelinfo.info(view.dataset, *asked)
except ReasonScapeError as fault:
    states.stop(fault)

summary = st.container()
choices = modelinfo.choose(found)
against = tier.axis(choices[1])
summary.markdown(f"**{escape(tier.summarise(found, against))}**")
if correlated := tier.correlation_sentence(found, against, tier.score_kind(choices[0])):
    summary.markdown(escape(correlated))
modelinfo.show_what_to_type(view.config)
if found.rows[against.column].notna().any():
    summary.markdown(
        "Further up is better, further left is smaller: an eval with nothing above it to its left is the best"
        " of its size. Evals of one model are set apart sideways. **Click a point to read what it answered.**"
    )
for name in tier.CHARTS:
    modelinfo.show_chart(view, asked, name, choices, dark=dark)

st.subheader("Results beside sizes")
fragment(modelinfo.show_results)(view, found)

if found.model_ids:
    st.subheader("Architectures")
    if age := tier.age_sentence(found.metadata, found.model_ids):
        st.caption(escape(age))
    modelinfo.show_models(view, found)
modelinfo.explain_missing(found)
modelinfo_fetch.show(tier.hf_ids(view.config), found.metadata, place)
modelinfo_files.show(
    {one: found.metadata.entries[one] for one in found.model_ids if one in found.metadata.entries}, place
)
with st.expander("How this is computed", icon=":material/functions:"):
    st.markdown(COMPUTED)
states.notes(found.notes)
