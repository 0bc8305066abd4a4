"""Clusters: per task, tier or surface, which evals are not separated, and which of them spends least."""

from core.tiers.cluster.chart import pages, screen_height, section_chart
from core.tiers.cluster.document import (
    choice_frame,
    clique_frame,
    export_frame,
    markdown,
    member_frame,
    overview_frame,
    pairs_export,
    pairs_matrix,
    to_document,
)
from core.tiers.cluster.sheet import image, image_count
from core.tiers.cluster.stack import STACK_NAMES, STACKS, stacks
from core.tiers.cluster.table import RULE_NAMES, RULES, Clusters, Section, add_clique_tokens, read_clusters
from core.tiers.cluster.words import RULE_WORDS, recommendation, rule_sentence, section_sentence, summary

__all__ = [
    "RULES",
    "RULE_NAMES",
    "RULE_WORDS",
    "STACKS",
    "STACK_NAMES",
    "Clusters",
    "Section",
    "add_clique_tokens",
    "choice_frame",
    "clique_frame",
    "export_frame",
    "image",
    "image_count",
    "markdown",
    "member_frame",
    "overview_frame",
    "pages",
    "pairs_export",
    "pairs_matrix",
    "read_clusters",
    "recommendation",
    "rule_sentence",
    "screen_height",
    "section_chart",
    "section_sentence",
    "stacks",
    "summary",
    "to_document",
]
