"""What many runs of many systems on many corpora say together, as in an evaluation campaign.

A run is a system on a corpus.  Relations are universal ones, without their subtypes.  The coverage
of a mined structure is the share of runs for which it is suspicious.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from statistics import fmean, median

from sgl.research.analyse.scoring import Json


def campaign(corpora: Mapping[str, Json]) -> Json:
    """Return the tables of a campaign from the analyses of its corpora."""
    runs = [(name, system, data) for name, data in corpora.items() for system in data["systems"]]
    return {
        "runs": len(runs),
        "corpora": [
            *(_corpus(name, data) for name, data in corpora.items()),
            {
                "name": "all",
                "systems": len(runs),
                "sentences": sum(data["treebank"]["sentences"] for data in corpora.values()),
            },
        ],
        "relations": _relations(runs),
        # Tests of projectivity are for corpora with a larger share of other sentences.
        "projectivity": [
            {"name": f"{system}/{name}", "title": f"{system}, {name}", "tests": tests}
            for name, data in corpora.items()
            if 1 - data["treebank"]["projective"] / data["treebank"]["sentences"] > 0.05
            for system, tests in _tests(data).items()
        ],
        "correlations": _medians(corpora),
        "mined": {view: _mined(view, corpora, len(runs)) for view in ("dep", "pos", "pos-dep")},
    }


def _corpus(name: str, data: Json) -> Json:
    bank = data["treebank"]
    measures = {key: {part: found[part] for part in ("mean", "deviation")} for key, found in bank["measures"].items()}
    share = 100 * (1 - bank["projective"] / bank["sentences"])
    counts = {"systems": len(data["systems"]), "sentences": bank["sentences"]}
    scores = {
        system["name"]: {"bleu": 100 * system["bleu"]["mean"], "dea": 100 * system["edges"]["dea"]}
        for system in data["systems"]
    }
    return {"name": name, **counts, "non_projective": share, "scores": scores, **measures}


def _relations(runs: Iterable[tuple[str, Json, Json]]) -> list[Json]:
    """Return how many edges of all runs have each relation, and which share is kept; the hardest come first."""
    kept, edges = Counter[str](), Counter[str]()
    for label, found in (pair for _, system, _ in runs for pair in system["relations"].items()):
        kept[label.partition(":")[0]] += found["kept"]
        edges[label.partition(":")[0]] += found["edges"]
    order = sorted(filter(edges.get, edges), key=lambda name: kept[name] / edges[name])
    edges["all"], kept["all"] = edges.total(), kept.total()
    return [{"name": n, "count": edges[n], "accuracy": 100 * kept[n] / max(edges[n], 1)} for n in [*order, "all"]]


def _tests(data: Json) -> dict[str, Json]:
    return {
        system: {
            test["measure"]: {"projective": test["medians"][0], "others": test["medians"][1], "p": test["adjusted"]}
            for test in tests
            if test["u"] is not None
        }
        for system, tests in data["projectivity"].items()
    }


def _medians(corpora: Mapping[str, Json]) -> list[Json]:
    """Return the median correlation of each pair of measures: of all runs, of a corpus, of a system."""
    found: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for name, data in corpora.items():
        for system, tests in data["correlations"].items():
            for test in tests:
                if test["rho"] is not None:
                    for of in ("all", name, system or name):
                        found[f"{test['first']} and {test['second']}"][of].append(test["rho"])
    return [
        {"name": pair, "median": {of: median(values) for of, values in given.items()}} for pair, given in found.items()
    ]


def _mined(view: str, corpora: Mapping[str, Json], runs: int) -> list[Json]:
    scores: dict[str, list[float]] = defaultdict(list)
    for data in corpora.values():
        for mined in data["mined"]:
            for suspect in mined["suspects"] if mined["view"] == view else ():
                scores[suspect["structure"]] += [blame["score"] for blame in suspect["systems"]]
    found = [
        {"name": name, "coverage": 100 * len(given) / runs, "score": fmean(given)} for name, given in scores.items()
    ]
    return sorted(found, key=lambda row: (-row["coverage"], -row["score"]))
