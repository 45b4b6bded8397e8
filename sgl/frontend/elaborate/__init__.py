"""The second room: what an author abbreviates is written out, as syntax at the places where it was."""
