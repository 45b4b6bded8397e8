"""What is proved about a plan, and the evidence for it."""
