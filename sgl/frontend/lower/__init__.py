"""The third room: what is written out becomes the core grammar and the plan."""
