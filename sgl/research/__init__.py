"""Study datasets with research tools: scores, analyses, splits by divergence, baselines, exchange.

Nothing else in SGL imports this package.  Each tool registers its commands by entry points
(``[project.entry-points."sgl.commands"]`` in ``pyproject.toml``), as any package can.
"""

from sgl.cli.registry import MAKE, STUDY, WRITE, CommandEntry

ANNOTATE = CommandEntry("sgl.research.annotate.command", "Draw a sheet for human judges; read it back.", STUDY)
ANALYSE = CommandEntry("sgl.research.analyse.command", "Measure trees of a treebank; mine errors of systems.", STUDY)
BASELINE = CommandEntry("sgl.research.baselines.command", "Train a small model on a dataset, and score it.", STUDY)
EVAL = CommandEntry("sgl.research.evaluate.command", "Score predictions of systems for a dataset.", STUDY, "evaluate")
EXPORT = CommandEntry(
    "sgl.research.exchange.export_command", "Write grammars for Alto or NLTK, graphs as CoNLL-U.", MAKE
)
IMPORT = CommandEntry("sgl.research.exchange.import_command", "Convert an IRTG, a CFG or a synchronous grammar.", WRITE)
PROMPTS = CommandEntry("sgl.research.prompts.command", "Make prompts with proved examples.", STUDY, "prompts")
RECIPE = CommandEntry("sgl.research.recipes.command", "Make the tables of a paper from the outputs of systems.", STUDY)
SPLIT = CommandEntry("sgl.research.divergence.command", "Divide items by the divergence of their compounds.", MAKE)
