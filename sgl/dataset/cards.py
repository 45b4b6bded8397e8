"""The card of a dataset, and what else describes a release to people and programs; all is said from the manifest.

The card, ``README.md``, is for people and for dataset hubs: its YAML block (Hugging Face *dataset cards*) names a
Parquet file for every split, and has a configuration for each target.  A release has more, so that programs and people
can load, cite and judge it: Croissant 1.1, which search engines and loaders read, a citation, a datasheet, a card and a
task of GenBench and, for whoever looks for the data in what models were trained on, ``CANARY.txt``.
"""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from sgl.core.claims import Kind, Verdict
from sgl.core.plan import LOADED, Ambiguous, known
from sgl.dataset.manifest import computed, remarks, string_figures, target_shares

if TYPE_CHECKING:
    from jinja2 import Environment
    from jinja2.runtime import Context

#: What begins an element of HTML in Markdown, and what ends the text of a link.
_OBEYED = re.compile(r"<(?=[A-Za-z/!?])|(?<=\])(?=[(\[])")

#: The name of a dataset on the Hub, in its address; an address, and the number of a preprint, in a citation.
_HUB = re.compile(r"https://huggingface\.co/datasets/([\w.-]+/[\w.-]+)/?")
_ADDRESS, _PREPRINT = re.compile(r"https?://[^\s\"<>]*[^\s\"<>.,;)]"), re.compile(r"arxiv\.org/abs/([\d.]+\d)")


class _Quoted(str):
    """A text in the quotes of YAML."""

    __slots__ = ()


def _shown(context: "Context", value: object) -> object:
    """Return what a page of Markdown shows of a value, which is never obeyed; YAML on it is in quotes already."""
    if not isinstance(value, str) or isinstance(value, _Quoted) or not str(context.name).endswith(".md.j2"):
        return value
    return _OBEYED.sub(lambda found: "&lt;" if found[0] else "\\", value)


@cache
def templates() -> "Environment":
    """Return the templates of the texts that a dataset has."""
    from jinja2 import Environment, PackageLoader, StrictUndefined, pass_context, select_autoescape

    environment = Environment(
        loader=PackageLoader("sgl.dataset"),
        undefined=StrictUndefined,
        autoescape=select_autoescape(),  # off: the results are Markdown, JSON and YAML, not HTML
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=pass_context(_shown),
    )
    environment.filters["yaml"] = lambda text: _Quoted(json.dumps(text, ensure_ascii=False))
    environment.filters["cell"] = lambda text: str(text).replace("|", "\\|")
    return environment


def descriptions(
    manifest: Mapping[str, Any], sentences: Mapping[str, str], review: Mapping[str, Any] | None = None
) -> Iterator[tuple[str, str]]:
    """Yield the names and texts of what describes a dataset: the card, and more if it is released.

    ``sentences`` are the claims of the patterns in words, ``review`` what a reviewer asks (``sgl.pipeline.review``).
    """
    values = {"release": None, "sentences": sentences, "review": review} | values_of(manifest)
    values |= release_values(manifest) if "release" in manifest else {"genbench": {}}
    more = known()["files"] if values["release"] else []
    for name in ["README.md", *(name for name in more if values["genbench"] or not name.startswith("genbench/"))]:
        text = templates().get_template(f"{name}.j2").render(values)
        if name.endswith(".json"):
            text = json.dumps(json.loads(text), ensure_ascii=False, indent=2) + "\n"
        if text.strip():
            yield name, text


def values_of(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return what templates speak of: the manifest, and figures that follow from it."""
    items = sum(split["items"] for split in manifest["splits"].values())
    strata = [stratum for split in manifest["splits"].values() for stratum in split["strata"]]
    layers = manifest["layers"]
    tests: Counter[str] = Counter()
    shares: dict[str, Counter[str]] = defaultdict(Counter)
    for stratum in strata:
        tests[stratum["category"]] += stratum["count"]
        shares[stratum["category"]].update(target_shares(stratum))
    return {
        "manifest": manifest,
        "items": items,
        "targets": " and ".join(f"`{name}`" for name in (layers["target"], *layers["further"])),
        "strings": string_figures(manifest).sentence,
        "size": known()["sizes"][min(max(len(str(items)) - 3, 0), 5)],
        "repeated": [stratum["category"] for stratum in strata if "repeated" in stratum["extent"]],
        "shares": shares,
        "tests": tests,
        "remarks": remarks(manifest),
        "loaded": {split: LOADED.get(split, split) for split in manifest["splits"]},
        "columns": columns_of(manifest),
        "computed": computed(manifest),
    }


def columns_of(manifest: Mapping[str, Any]) -> dict[str, str]:
    """Return the columns of the Parquet files, in their order, each with what it has."""
    layers, columns = manifest["layers"], dict(known()["columns"])
    if not layers.get("counted"):
        del columns["features"]
    columns |= {f"target_{name}": f"The target `{name}`." for name in layers["further"]}
    for name, reads in computed(manifest).items():
        column = "target" if name == layers["target"] else f"target_{name}"
        columns[column] += f" Computed by a template from {reads}, and recomputed by `sglc verify`; not proved."
    if manifest["ambiguous"]["policy"] == Ambiguous.LIST.value:
        columns |= {f"references{name[6:]}": "All right answers." for name in columns if name.startswith("target")}
    return columns


def release_values(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return what templates speak of besides if the dataset is released."""
    release = manifest["release"]
    name = release["licence"]
    licence = known()["licences"].get(name, {"name": name, "url": release["homepage"], "hub": "other"})
    title, hub = manifest["title"] or manifest["name"], _HUB.fullmatch(release["homepage"])
    authors = [author.partition(", ")[::2] for author in release["authors"]]
    names = [" ".join(filter(None, (given, family))) for family, given in authors]
    year = f" ({release['date'][:4]})" if release["date"] else ""
    cite = f"{' and '.join(names)}{year}. {title}, version {release['version']}."
    return {
        "release": release,
        "licence": licence,
        "title": title,
        "authors": authors,
        "names": names,
        "cite": release["cite"] or cite,
        "addresses": _ADDRESS.findall(" ".join(release["papers"])),
        "preprints": _PREPRINT.findall(" ".join(release["papers"])),
        "hub": hub[1] if hub else manifest["name"],
        "genbench": genbench(manifest),
        "axes": known()["genbench"],
    }


def genbench(manifest: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return the values on the axes of GenBench's taxonomy (Hupkes et al. 2023); none if there are no patterns.

    The shift is *covariate*, of the inputs alone, if it is proved that training cannot contain what is held out, and
    no sentence has two outputs; otherwise it is *assumed*.  The authors say the motivation.
    """
    if not manifest["patterns"]:
        return {}
    held = [g for g in manifest["guarantees"] if (g["claim"], g["method"]) == (Kind.HELD_OUT.value, "static")]
    figures = string_figures(manifest)
    unambiguous = figures.policy is not Ambiguous.IGNORE and (figures.policy is Ambiguous.REJECT or not figures.outputs)
    proved = unambiguous and all(claim["result"] == Verdict.PROVED.value for claim in held)
    # Whoever chooses between a sentence and its twin interprets neither.
    twins = any(file["path"].startswith("pairs/") for file in manifest["files"])
    return {
        "motivation": manifest["release"]["motivation"],
        "type": ["structural" if twins else "compositional"],
        "shift type": ["covariate" if proved else "assumed"],
        "shift source": ["fully generated"],
        "shift locus": ["train-test"],
    }
