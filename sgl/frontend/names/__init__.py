"""The first room: what there is, and what names mean."""
