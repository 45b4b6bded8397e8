"""SGL16xx: baselines that are trained on a dataset."""

from __future__ import annotations

from sgl.diagnostics.codes.code import Code

CODES = (
    Code(
        "SGL1601",
        "A configuration of a baseline is not valid",
        "Settings are a YAML table. A key that there is not would have no effect, and a value out "
        "of its bounds would fail in the middle of training, so that both are errors. `--config` "
        "takes the name of a preset or a file; `docs/baseline.md` lists all settings. A model that "
        "does not fit into the memory is an error of its settings as well.",
        no_example="it depends on the configuration, not on the grammar",
    ),
    Code(
        "SGL1602",
        "A dataset gives a baseline nothing to learn or to predict",
        "`sglc baseline` needs a directory that `sglc compile` has written: it learns from the "
        "split `train`, chooses by `dev` if there is one, and predicts the others. The target has "
        "to be one of the dataset's.",
        no_example="it depends on the dataset, not on the grammar alone",
    ),
    Code(
        "SGL1603",
        "Libraries that baselines need are not installed",
        "PyTorch and what belongs to it are large and needed by one command, and are therefore "
        "extras: `pip install 'sgl-compiler[baselines]'`, or `[lora]` for the tuning of language "
        "models.",
        no_example="it depends on the installation, not on the grammar",
    ),
    Code(
        "SGL1604",
        "A directory or a checkpoint cannot be used for a run",
        "A run is resumed (`--resume`) with the settings, the dataset and the versions of the "
        "libraries that it was begun with; anything else would give weights that no single run "
        "has. Without `--resume` a directory that has a run, or something else, is left alone. "
        "Two runs at once in one directory would write over each other's files, so that the "
        "second is refused.",
        no_example="it depends on files, not on the grammar",
    ),
    Code(
        "SGL1605",
        "A language model cannot be loaded or used",
        "`path` is a directory with a model and its tokenizer as Transformers writes them, with "
        "weights as safetensors. Nothing is fetched from a network, and code that lies beside a "
        "model is not run. The names in `modules` are those of its layers.",
        no_example="it depends on files, not on the grammar",
    ),
    Code(
        "SGL1606",
        "Some gold texts cannot be written with the vocabulary",
        "The vocabulary is learnt from training. A word that training does not have cannot be "
        "said with `tokens: word`, nor a character with `tokens: bpe`; whatever the model learns, "
        "it is wrong on these items.",
        no_example="it depends on the dataset, not on the grammar alone",
    ),
    Code(
        "SGL1607",
        "Training has ended before its last step",
        "The time limit was reached, or the loss was no number any more. The best state so far has "
        "made the predictions; with more steps they would be others, so that the scores say less "
        "about the model than about the time it had.",
        no_example="it depends on the run, not on the grammar",
    ),
)
