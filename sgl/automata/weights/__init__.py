"""Inside weights, moments and counts: grammars of splits."""
