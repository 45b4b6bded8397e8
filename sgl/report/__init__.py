"""Write the report: one HTML file that shows the claims of a dataset and what was sampled.

The page has no scripts and fetches nothing.
"""

from sgl.report.model import Arc, Example, GraphWord, TreeNode, example_of, tree_of
from sgl.report.render import render_audit, render_report, render_trees
