"""``sglc verify``: check a written dataset or a certificate, trusting nothing but the files."""

from __future__ import annotations

import json
import os
from pathlib import Path

import click

from sgl.cli.common import cache_option, count, progress
from sgl.cli.main import FAILED, OK, OUTPUT
from sgl.cli.verify_certificate import verify_certificate
from sgl.verify import USEFUL, Report, VerifyError, verify


@click.command("verify")
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Write the report as JSON.")
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    default=lambda: min(os.cpu_count() or 1, USEFUL),
    show_default="the processors, at most what helps",
    help="Processes that share the work; the result is the same.",
)
@cache_option
def command(path: Path, as_json: bool, workers: int) -> int:
    """Check the dataset in the directory PATH against everything its manifest claims.

    If PATH is a file, it is a certificate: check it by itself.
    """
    if path.is_file():
        return verify_certificate(path, as_json=as_json)
    try:
        with progress() as line:
            report = verify(path, lambda done, total, what: line(what, done, total), workers)
    except VerifyError as problem:
        click.echo(f"error: {problem}", err=True)
        return OUTPUT
    if as_json:
        click.echo(json.dumps(report.as_data(), ensure_ascii=False, indent=1, sort_keys=True))
    else:
        show_verification(report)
    return OK if report.ok else FAILED


def show_verification(report: Report, *, brief: bool = False) -> None:
    """Write the results of the checks; ``brief`` leaves out those that passed."""
    for result in report.results:
        if brief and result.status != "failed":
            continue
        figures = f"{result.checked:,} checked"
        if result.total:
            figures += f", {count(result.total, 'violation')}"
        if result.reason:
            figures = result.reason
        click.echo(f"{result.status:<8}{result.code}  {result.name:<24}  {figures}")
        for violation in result.violations[:5]:
            click.echo(f"          {violation}")
    violations = sum(result.total for result in report.results)
    click.echo(
        f"{count(report.items, 'item')} in {count(report.shapes, 'graph shape')}: "
        f"{count(violations, 'violation')}"
    )
