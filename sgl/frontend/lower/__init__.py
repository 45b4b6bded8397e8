"""The third room: turn written-out syntax into the core grammar and the plan."""
