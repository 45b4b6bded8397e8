"""The seventeen kinds of input that come from outside."""

from fuzz.targets import corpora, datasets, forms, grammars, lines, messages, yaml_files
from fuzz.targets.target import Target

__all__ = ["TARGETS", "Target"]

TARGETS: dict[str, Target] = {
    target.name: target
    for module in (grammars, yaml_files, corpora, forms, datasets, lines, messages)
    for target in module.TARGETS
}
