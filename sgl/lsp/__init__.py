"""The language server: what editors show and do, from the engine that the command line uses."""
