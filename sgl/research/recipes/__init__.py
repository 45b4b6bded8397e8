"""Make the tables of a paper from the outputs of systems, next to the published figures."""
