"""The first room: find the declarations, and resolve names."""
