"""The second room: write out abbreviations, as syntax with the places of the original."""
