"""What package indexes, conda-forge, Zenodo, hosts of documentation and marketplaces read says the same as the project.

Nothing is published here: it is tried offline whether the files that they ask for are there and agree.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from hatchling.builders.wheel import WheelBuilder
from hatchling.metadata.core import ProjectMetadata
from hatchling.plugin.manager import PluginManager

from sgl import __version__

ROOT = Path(__file__).parents[2]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
CITATION: dict[str, Any] = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))


def name_and_range(requirement: str) -> tuple[str, str]:
    name, bounds = re.fullmatch(r"([\w.-]+)\s*(.*)", requirement).groups()  # type: ignore[union-attr]
    return name.lower(), bounds.replace(" ", "")


def test_a_package_index_is_told_where_the_project_is() -> None:
    metadata = ProjectMetadata(str(ROOT), PluginManager())
    text = WheelBuilder(str(ROOT), metadata=metadata).metadata.core
    assert set(text.urls) >= {"Homepage", "Documentation", "Changelog", "Issues"}
    assert text.readme_content_type == "text/markdown"
    own, shown = (re.findall(r"\]\(([^)]+)\)", page) for page in ((ROOT / "README.md").read_text("utf-8"), text.readme))
    assert own
    assert all((ROOT / path).is_file() for path in own)
    assert shown == [f"{PROJECT['urls']['Homepage']}/blob/main/{path}" for path in own]
    assert text.license_expression == "MIT"
    assert metadata.version == __version__


def test_the_conda_recipe_asks_for_what_the_project_asks_for() -> None:
    recipe = yaml.safe_load((ROOT / "packaging/conda/recipe.yaml").read_text("utf-8"))
    run = dict(map(name_and_range, recipe["requirements"]["run"]))
    assert run.pop("python") == PROJECT["requires-python"]
    assert run == dict(map(name_and_range, PROJECT["dependencies"]))
    assert recipe["context"] == {"name": PROJECT["name"], "version": __version__}
    (script,) = recipe["build"]["python"]["entry_points"]
    assert script == "sglc = " + PROJECT["scripts"]["sglc"]
    assert (ROOT / "packaging/conda" / recipe["source"]["path"] / recipe["about"]["license_file"]).is_file()


def test_zenodo_is_told_what_the_citation_says() -> None:
    zenodo = json.loads((ROOT / ".zenodo.json").read_text("utf-8"))
    assert (zenodo["title"], zenodo["version"], zenodo["license"]) == (CITATION["title"], __version__, "MIT")
    assert zenodo["creators"] == CITATION["authors"]
    assert CITATION["version"] == __version__


def test_the_host_of_the_documentation_finds_what_it_builds() -> None:
    host = yaml.safe_load((ROOT / ".readthedocs.yaml").read_text("utf-8"))
    assert (ROOT / host["mkdocs"]["configuration"]).is_file()
    (install,) = host["python"]["install"]
    assert set(install["extra_requirements"]) <= set(PROJECT["optional-dependencies"])


def test_the_marketplaces_of_editors_and_actions_find_their_fields() -> None:
    extension = json.loads((ROOT / "editors/vscode/package.json").read_text("utf-8"))
    assert {"name", "publisher", "version", "engines", "license", "repository", "bugs"} <= set(extension)
    assert extension["repository"]["url"].removesuffix(".git") == PROJECT["urls"]["Homepage"]
    assert (ROOT / "editors/vscode/README.md").is_file()
    action = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
    assert {"name", "description", "branding", "runs"} <= set(action)


@pytest.mark.skipif(shutil.which("git") is None, reason="Git makes the scratch repository")
def test_the_hooks_refuse_a_commit_of_a_wrong_grammar(tmp_path: Path) -> None:
    """In a scratch repository, as pre-commit runs them: the entry, with the files that are staged and that match."""
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    (check,) = (hook for hook in hooks if hook["id"] == "sglc-check")

    def git(*arguments: str) -> subprocess.CompletedProcess[str]:
        own = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "core.hooksPath=hooks")
        return subprocess.run(["git", *own, *arguments], cwd=tmp_path, capture_output=True, text=True, check=False)

    git("init", "-q")
    (tmp_path / "hooks").mkdir()
    hook = tmp_path / "hooks" / "pre-commit"
    command = check["entry"].replace("sglc", f"{sys.executable} -m sgl", 1)
    hook.write_text(f"#!/bin/sh\ngit diff --cached --name-only | grep -E '{check['files']}' | xargs {command}\n")
    hook.chmod(0o755)
    (tmp_path / "farm.sgl").write_text('layer en : text\ncategory S\nword S: "yes"\ndataset\n  from S\n  train 1\n')
    git("add", "farm.sgl")
    assert git("commit", "-m", "right").returncode == 0
    (tmp_path / "farm.sgl").write_text('layer en : text\ncategory S\nword N: "yes"\n')
    git("add", "farm.sgl")
    refused = git("commit", "-m", "wrong")
    assert refused.returncode != 0
    assert "SGL0201" in refused.stderr
