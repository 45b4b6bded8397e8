"""The derivation of a sentence as a layer of its own: a tree whose nodes are uses of rules and entries.

Every grammar has it, whether anybody asks for it or not, so a grammar of texts alone can be divided by its rules.  A
node has the name of its rule as ``rule``, its ``category`` with the value of each feature, and, if it is an entry, its
``lemma``.  An edge leads from a rule to each of its children and bears the child's role::

    transitive[rule=transitive, category=VP]  -[V]->    verbs[rule=verbs, category=V, lemma=lick]
                                              -[obj]->  plain[rule=plain, category=NP]

As a layer it is a graph on a text of its own: the names of the rules in preorder.  So automata, proofs, certificates,
CoNLL-U files and both readings of the verifier need to know no more of it than of any other layer.
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

#: The text layer that the nodes are words of; no author can declare either.
RULES = "rules"
#: Attributes of a node, beside the features of its category.
RULE, CATEGORY, LEMMA = "rule", "category", "lemma"


def has_derivation(grammar: CoreGrammar) -> bool:
    """Return whether the derivation is among the layers of a grammar."""
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
    """Return what a rule is called in derivations; every entry that is declared by itself is a ``word``."""
    return rule.name.partition(" ")[0]


def _told(rule: Rule, grammar: CoreGrammar) -> Rule:
    below = range(len(rule.rhs))
    roles = rule.roles or [grammar.categories[child].base for child in rule.rhs]
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
