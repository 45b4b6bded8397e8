"""Tree automata and what is done with them: products, complements, minimisation."""
