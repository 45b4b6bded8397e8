"""What the parser refuses."""

from __future__ import annotations


class UnparsableLayerError(Exception):
    """A text layer has templates that no parser can be built for.

    ``layer`` names the layer, ``rule`` the rule, ``reason`` says what is wrong.
    """

    def __init__(self, layer: str, rule: str, reason: str) -> None:
        super().__init__(f"the layer {layer} cannot be parsed: rule {rule} {reason}")
        self.layer = layer
        self.rule = rule
        self.reason = reason
