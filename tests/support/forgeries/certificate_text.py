"""Certificates that other readers of JSON would read otherwise, or not at all."""

from __future__ import annotations

from functools import partial

from forging import CERTIFICATE, Forger, forgery

FAMILY = "text of the certificate"
no_json = partial(forgery, FAMILY, "C01")
other_shape = partial(forgery, FAMILY, "C02")


# ---- numbers


@no_json()
def a_seed_with_a_decimal_point(of: Forger) -> None:
    """The seed is written 1.0."""
    of.replace(CERTIFICATE, '"seed":1', '"seed":1.0')


@no_json()
def a_seed_with_an_exponent(of: Forger) -> None:
    """The seed is written 1e0."""
    of.replace(CERTIFICATE, '"seed":1', '"seed":1e0')


@no_json()
def a_degree_that_is_a_float(of: Forger) -> None:
    """A degree test compares with 5000.0, which some comparisons of whole numbers call true."""
    of.replace(CERTIFICATE, '"seed":1', '"seed":5000.0')


@no_json()
def a_number_that_is_none(of: Forger) -> None:
    """The bound of a walk is NaN, which is neither below nor above anything."""
    of.replace(CERTIFICATE, '"split":0', '"split":NaN')


@no_json()
def a_walk_without_end(of: Forger) -> None:
    """The bound of a walk is Infinity."""
    of.replace(CERTIFICATE, '"split":0', '"split":Infinity')


@no_json()
def a_place_counted_from_the_end(of: Forger) -> None:
    """A claim is about split -1, which is the last one in some languages."""
    of.replace(CERTIFICATE, '"split":0', '"split":-1')


@no_json()
def a_negative_zero(of: Forger) -> None:
    """A claim is about split -0."""
    of.replace(CERTIFICATE, '"split":0', '"split":-0')


@no_json()
def a_huge_number(of: Forger) -> None:
    """A claim is about split 10^40."""
    of.replace(CERTIFICATE, '"split":0', f'"split":1{"0" * 40}')


@no_json()
def a_number_with_a_zero_before_it(of: Forger) -> None:
    """The seed is written 01."""
    of.replace(CERTIFICATE, '"seed":1', '"seed":01')


@no_json()
def a_truth_value_for_a_number(of: Forger) -> None:
    """The layer is free: true, where 0 or 1 has to be."""
    of.replace(CERTIFICATE, '"anchor":"en"', '"anchor":"en","free":true')


@other_shape()
def a_text_for_a_truth_value(of: Forger) -> None:
    """A test is negated by the text "0", which is true in some languages."""
    of.structure("nsubj")["bodies"][0]["links"][0]["labels"]["negated"] = "1"


@other_shape()
def a_number_in_quotes(of: Forger) -> None:
    """The seed is the text "1"."""
    of.certificate["seed"] = "1"


@other_shape()
def no_seed(of: Forger) -> None:
    """The seed is null."""
    of.certificate["seed"] = None


# ---- members


@no_json()
def claims_given_twice(of: Forger) -> None:
    """There are two lists of claims: the first is empty, the second is honest."""
    of.replace(CERTIFICATE, '"claims":', '"claims":[],"claims":')


@no_json()
def claims_given_twice_in_disguise(of: Forger) -> None:
    """There are two lists of claims; one of the two names is spelt with an escape."""
    of.replace(CERTIFICATE, '"claims":', '"cl\\u0061ims":[],"claims":')


@no_json()
def a_start_given_twice(of: Forger) -> None:
    """The grammar says twice what a text is."""
    of.replace(CERTIFICATE, '"start":0', '"start":1,"start":0')


@other_shape()
def a_member_that_no_format_has(of: Forger) -> None:
    """A note is added: all claims were checked by somebody else."""
    of.certificate["note"] = "checked"


@other_shape()
def a_member_more_in_the_grammar(of: Forger) -> None:
    """The grammar has a list of rules that nobody reads."""
    of.grammar["more rules"] = []


@other_shape()
def a_member_more_in_a_structure(of: Forger) -> None:
    """A structure has a second name."""
    of.certificate["structures"][0]["alias"] = "{ V -[nsubj]-> N }"


@other_shape()
def a_member_more_in_the_plan(of: Forger) -> None:
    """The plan says for itself that it is proved."""
    of.plan["proved"] = 1


@other_shape()
def no_claims_at_all(of: Forger) -> None:
    """The list of claims is missing."""
    del of.certificate["claims"]


@other_shape()
def no_digest(of: Forger) -> None:
    """The digest is missing."""
    del of.certificate["digest"]


@other_shape()
def no_sampler(of: Forger) -> None:
    """The tables that rows are drawn from are missing."""
    del of.certificate["sampler"]


@other_shape()
def members_in_another_order(of: Forger) -> None:
    """The claims come before the grammar."""
    claims = of.certificate.pop("claims")
    rest = dict(of.certificate)
    of.certificate.clear()
    of.certificate.update({"claims": claims, **rest})


@other_shape()
def an_older_format(of: Forger) -> None:
    """The format is called sgl-certificate/3, of which less was asked."""
    of.certificate["format"] = "sgl-certificate/3"


@other_shape()
def a_format_in_capitals(of: Forger) -> None:
    """The format is called SGL-CERTIFICATE/3."""
    of.certificate["format"] = "SGL-CERTIFICATE/4"


@other_shape()
def a_claim_of_an_unknown_word(of: Forger) -> None:
    """A claim is called `proved`, which says nothing in particular."""
    of.claim("held out", "excludes")["claim"] = "proved"


@other_shape()
def a_claim_of_an_unknown_kind(of: Forger) -> None:
    """A claim is shown by `trust`."""
    of.claim("held out", "excludes")["kind"] = "trust"


@other_shape()
def held_out_shown_by_a_requirement(of: Forger) -> None:
    """Held out is claimed, and shown is that every text contains the structure."""
    of.claim("held out", "excludes")["kind"] = "requires"


@other_shape()
def held_out_that_is_waived(of: Forger) -> None:
    """The held-out structure is said to be waived."""
    of.claim("held out", "excludes")["kind"] = "waived"


@other_shape()
def instances_that_are_waived(of: Forger) -> None:
    """That items contain their structure is said to be waived."""
    of.claim("instance", "requires")["kind"] = "waived"


@other_shape()
def evidence_of_another_kind(of: Forger) -> None:
    """An invariant is a list of texts."""
    of.claim("held out", "excludes")["evidence"] = ["obvious"]


@other_shape()
def a_claim_with_a_remark(of: Forger) -> None:
    """A claim has a remark."""
    of.claim("held out", "excludes")["remark"] = "see the paper"


@other_shape()
def a_certificate_in_a_list(of: Forger) -> None:
    """The whole certificate is the first element of a list."""
    of.write_text(CERTIFICATE, f"[{of.text(CERTIFICATE)}]")


# ---- files


@no_json()
def an_empty_file(of: Forger) -> None:
    """The certificate is an empty file."""
    of.write_text(CERTIFICATE, "")


@no_json()
def half_a_file(of: Forger) -> None:
    """The second half of the certificate is missing."""
    text = of.text(CERTIFICATE)
    of.write_text(CERTIFICATE, text[: len(text) // 2])


@no_json()
def two_certificates(of: Forger) -> None:
    """A second certificate follows the first."""
    of.write_text(CERTIFICATE, of.text(CERTIFICATE) * 2)


@no_json()
def a_remark_in_the_file(of: Forger) -> None:
    """A remark stands before the certificate, as JavaScript allows it."""
    of.write_text(CERTIFICATE, "/* checked */" + of.text(CERTIFICATE))


@no_json()
def a_byte_order_mark(of: Forger) -> None:
    """The file begins with a byte order mark, which is invisible."""
    of.write_text(CERTIFICATE, "\ufeff" + of.text(CERTIFICATE))


@no_json()
def another_encoding(of: Forger) -> None:
    """The file is in UTF-16."""
    (of.directory / CERTIFICATE).write_bytes(of.text(CERTIFICATE).encode("utf-16"))


@no_json()
def bytes_that_are_no_text(of: Forger) -> None:
    """A byte that no UTF-8 has stands in the name."""
    path = of.directory / CERTIFICATE
    path.write_bytes(path.read_bytes().replace(b'"name":"', b'"name":"\xff', 1))


@no_json()
def lists_in_lists(of: Forger) -> None:
    """The file is a hundred thousand open brackets, at which readers break down."""
    of.write_text(CERTIFICATE, "[" * 100_000)


@no_json()
def a_comma_too_many(of: Forger) -> None:
    """A list ends with a comma."""
    of.replace(CERTIFICATE, '"rhs":[]', '"rhs":[,]')
