"""Tools of research around a dataset: scores, analyses, splits by divergence, baselines, exchange.

Nothing else in SGL imports this package.  Each tool registers its commands by entry points
(``[project.entry-points."sgl.commands"]`` in ``pyproject.toml``), as a package of anybody's can.
"""

from sgl.cli.registry import CommandEntry

ANALYSE = CommandEntry("sgl.research.analyse.command", "Measure the trees of a treebank; mine errors of systems.")
BASELINE = CommandEntry("sgl.research.baselines.command", "Train a small model on a dataset, and score it.")
EVAL = CommandEntry(
    "sgl.research.evaluate.command", "Score the predictions of systems for a dataset.", python="evaluate"
)
EXPORT = CommandEntry("sgl.research.exchange.export_command", "Write a grammar for Alto or NLTK, or graphs as CoNLL-U.")
IMPORT = CommandEntry("sgl.research.exchange.import_command", "Convert an IRTG of Alto into a grammar.")
RECIPE = CommandEntry("sgl.research.recipes.command", "Make the tables of a paper from the outputs of systems.")
SPLIT = CommandEntry("sgl.research.divergence.command", "Divide items by the divergence of their compounds.")
