"""Represent the derivation of a sentence as a layer of its own: a tree of uses of rules and entries.

Every grammar has this layer, used or not, so a grammar with only texts can be split by its rules.  A node has the name
of its rule as ``rule``, its ``category`` with the value of each feature, and, if it is an entry, its ``lemma``.  An
edge leads from a rule to each of its children, labelled with the child's role::

    transitive[rule=transitive, category=VP]  -[V]->    verbs[rule=verbs, category=V, lemma=lick]
                                              -[obj]->  plain[rule=plain, category=NP]

The layer is a graph on a text of its own: the names of the rules in preorder.  So automata, proofs, certificates,
CoNLL-U files and both readings of the verifier treat it like any other layer.
"""

from dataclasses import replace

from sgl.core.grammar import (
    DERIVATION,
    Category,
    CoreGrammar,
    Edge,
    Fragment,
    GraphLayer,
    Node,
    Rule,
    Slot,
    Template,
    TextLayer,
    Token,
)

#: The text layer whose words are the nodes; authors can declare neither.
RULES = "rules"
#: The attributes of a node besides the features of its category.
RULE = "rule"
CATEGORY = "category"
LEMMA = "lemma"


def has_derivation(grammar: CoreGrammar) -> bool:
    """Return whether a grammar has the derivation among its layers."""
    return any(layer.name == DERIVATION for layer in grammar.graph_layers)


def with_derivation(grammar: CoreGrammar) -> CoreGrammar:
    """Return a grammar with the derivation as its last layer."""
    if has_derivation(grammar):
        return grammar
    return replace(
        grammar,
        rules=tuple(_told(rule, grammar) for rule in grammar.rules),
        text_layers=(*grammar.text_layers, TextLayer(RULES)),
        graph_layers=(*grammar.graph_layers, GraphLayer(DERIVATION, RULES)),
    )


def rule_name(rule: Rule) -> str:
    """Return the name of a rule in derivations; every entry that is declared on its own is a ``word``."""
    return rule.name.partition(" ")[0]


def roles_of(rule: Rule, grammar: CoreGrammar) -> tuple[str, ...]:
    """Return the roles of a rule's children; an imported rule has their categories as roles."""
    return rule.roles or tuple(grammar.categories[child].base for child in rule.rhs)


def _told(rule: Rule, grammar: CoreGrammar) -> Rule:
    below = range(len(rule.rhs))
    roles = roles_of(rule, grammar)
    own = Node(_attributes(rule, grammar.categories[rule.lhs]), token=0)
    fragment = Fragment(
        nodes=(own, *(Node(glue=((child, 0),)) for child in below)),
        edges=tuple(Edge(0, role, child + 1) for child, role in enumerate(roles)),
        exports=(0,),
    )
    words: Template = (Token(rule_name(rule)), *[Slot(child) for child in below])
    return replace(rule, templates=(*rule.templates, words), fragments=(*rule.fragments, fragment))


def _attributes(rule: Rule, category: Category) -> tuple[tuple[str, str], ...]:
    found = category.features | {RULE: rule_name(rule), CATEGORY: category.base}
    if rule.lexical:
        nodes = rule.fragments[0].nodes if rule.fragments else ()
        lemmas = [dict(node.attributes).get(LEMMA) for node in nodes if node.attributes]
        found[LEMMA] = next((lemma for lemma in lemmas if lemma), " ".join(rule.words(0)))
    return tuple(sorted((name, value) for name, value in found.items() if value))
