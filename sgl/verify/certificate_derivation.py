"""Check that the layer of derivations is genuine; lemma A is about any graphs, whatever they mean.

It is a tree over the names of the rules, in preorder.  A node has the name of its rule, its category with features,
and, if it is a word, its lemma; an edge leads to each child.  The grammar chooses the labels of the edges.
"""

from collections.abc import Sequence

from sgl.verify.schema_grammar import (
    DERIVATION,
    RULES,
    CertifiedGrammar,
    Flaw,
    FragmentEdge,
    FragmentNode,
    GrammarRule,
    GraphLayer,
    Pair,
    RuleFragment,
    Template,
    TemplateItem,
    WrittenLayer,
)


def check_derivation(grammar: CertifiedGrammar) -> None:
    """Check that a layer of derivations is genuine: a node for each rule, an edge to each child."""
    names = {*(layer.name for layer in grammar.text_layers), *(layer.name for layer in grammar.graph_layers)}
    if names.isdisjoint({DERIVATION, RULES}):
        return
    text, graph = grammar.text(RULES), grammar.graph(DERIVATION)
    layers = grammar.text_layers[text], grammar.graph_layers[graph]
    if layers != (WrittenLayer(RULES), GraphLayer(DERIVATION, RULES)):
        raise Flaw("the derivation is not a tree over its rules")
    for rule in grammar.rules:
        found = rule.templates[text], rule.fragments[graph]
        if found != (_words(rule), _tree(grammar, rule, rule.fragments[graph].edges)):
            raise Flaw(f"rule {rule.name} has other words or edges in the derivation")


def _words(rule: GrammarRule) -> Template:
    return (TemplateItem(_name(rule)), *(TemplateItem(child=child) for child in range(len(rule.rhs))))


def _tree(grammar: CertifiedGrammar, rule: GrammarRule, named: Sequence[FragmentEdge]) -> RuleFragment:
    """Return the node of a rule above the nodes of its children; the edges take their labels from ``named``."""
    below = [FragmentNode(glue=((child, 0),)) for child in range(len(rule.rhs))]
    labels = [*(edge.label for edge in named), *("" for _ in below)]
    edges = [FragmentEdge(0, labels[child], child + 1) for child in range(len(below))]
    return RuleFragment((FragmentNode(_attributes(grammar, rule), 0), *below), tuple(edges), (0,))


def _name(rule: GrammarRule) -> str:
    """Return the name of a rule in derivations: ``word`` for a word that is declared on its own."""
    return rule.name.partition(" ")[0]


def _attributes(grammar: CertifiedGrammar, rule: GrammarRule) -> tuple[Pair, ...]:
    """Return the attributes of a rule: its name, its category with features, and for a word the lemma."""
    category, _, features = grammar.categories[rule.lhs].name.partition("[")
    found = {name: value for name, _, value in (pair.partition("=") for pair in features.removesuffix("]").split(", "))}
    found |= {"rule": _name(rule), "category": category}
    if not rule.rhs:
        found["lemma"] = _lemma(grammar, rule)
    return tuple(sorted(pair for pair in found.items() if pair[1]))


def _lemma(grammar: CertifiedGrammar, rule: GrammarRule) -> str:
    """Return the lemma of a word in the first graph layer, or otherwise its words in the source."""
    lemmas = rule.lemmas(0) if grammar.graph_layers[0].name != DERIVATION else []
    return lemmas[0].lemma if lemmas else " ".join(item.text for item in rule.templates[0] if item.text is not None)
