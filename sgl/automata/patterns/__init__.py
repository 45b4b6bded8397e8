"""From a structure to its deterministic bottom-up automaton over derivations."""
