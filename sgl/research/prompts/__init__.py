"""Prompts with proofs: few-shot prompts whose examples show every part of an item, and never what it holds out."""
