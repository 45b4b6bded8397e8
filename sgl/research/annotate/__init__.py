"""Sheets for human judges: a balanced, blind sample of items, and what two judges say of them."""
