"""Draw sheets for human judges, a balanced, blind sample of items, and compare the verdicts of two judges."""
