"""The report: one HTML file that shows what a compilation promised and drew.

The compiler fills a ``ReportData``; ``render_report`` turns it into a
page without scripts and without anything to fetch.
"""

from sgl.report.examples import example_of, tree_of
from sgl.report.model import (
    Arc,
    DistributionSize,
    Divergence,
    Example,
    GraphWord,
    Guarantee,
    Heights,
    Lengths,
    NeededPart,
    PatternRelation,
    PatternReport,
    ReportData,
    StratumCounts,
    StructureMass,
    TreeNode,
    UnusedName,
)
from sgl.report.render import render_audit, render_report
from sgl.report.tree_svg import render_trees

__all__ = [
    "Arc",
    "DistributionSize",
    "Divergence",
    "Example",
    "GraphWord",
    "Guarantee",
    "Heights",
    "Lengths",
    "NeededPart",
    "PatternRelation",
    "PatternReport",
    "ReportData",
    "StratumCounts",
    "StructureMass",
    "TreeNode",
    "UnusedName",
    "example_of",
    "render_audit",
    "render_report",
    "render_trees",
    "tree_of",
]
