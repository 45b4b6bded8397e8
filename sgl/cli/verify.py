"""``sglc verify``: check a written dataset or a certificate, trusting only its files.

``sglc release`` packs a dataset for publication and checks the archive.
"""

import hashlib
import os
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from errno import ENOSPC
from pathlib import Path
from typing import Any

import click

from sgl import __version__
from sgl.cache import build, cached
from sgl.cli.files import ARCHIVE, FILE, GRAMMAR, STREAM, force_option, why_not
from sgl.cli.main import FAILED, OUTPUT
from sgl.cli.options import no_cache_option
from sgl.cli.session import Session, session_options
from sgl.cli.terminal import count, json_option, talk_options
from sgl.dataset import computed, manifest_of
from sgl.disk import temporary
from sgl.foreign import CERTIFICATE, ForeignFileError, read_bytes
from sgl.verify import USEFUL, Result, VerifyError, look, verify
from sgl.verify.certificate import judge
from sgl.verify.certificate_format import read_certificate
from sgl.verify.skeleton import visible


@click.command("verify")
@click.argument("path", type=FILE)
@json_option
@click.option("--signature", default="", show_default=False, help="Refuse a dataset with any other signature.")
@click.option(
    "--grammar",
    type=GRAMMAR,
    is_flag=False,
    flag_value=str(STREAM),
    metavar="[FILE]",
    help="Recompile the grammar of the dataset, or FILE, and compare every file.",
)
@click.option(
    "--sample",
    type=click.IntRange(min=1),
    metavar="N",
    help="Check only N rows of each part of the data; not a full verification.",
)
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    default=lambda: min(os.cpu_count() or 1, USEFUL),
    show_default="the processors, at most what helps",
    help="Number of processes; the result does not depend on it.",
)
@no_cache_option
@talk_options
def command(
    path: Path, as_json: bool, signature: str, grammar: Path | None, sample: int | None, workers: int, no_cache: bool
) -> int:
    """Check the dataset in the directory PATH against every claim of its manifest.

    If PATH is a file, check it as a certificate.
    """
    with Session(keep=not no_cache) as session:
        if path.is_file():
            if signature or grammar or sample:
                session.refuse("`--signature`, `--grammar` and `--sample` need the directory of a dataset")
            _verify_certificate(session, path, as_json)
            session.stop()
        if sample and (signature or grammar):
            session.refuse("`--sample` checks a sample only; leave out `--signature` and `--grammar`")
        try:
            if sample:
                _look(session, path, sample, as_json)
                session.stop()
            report = verify(path, lambda at, of, what: session.progress(what, at, of), workers, signature=signature)
        except VerifyError as problem:
            session.refuse(str(problem), status=OUTPUT)
        if grammar is not None and report.results[0].status == "passed":
            report = replace(report, results=(*report.results, _compile_again(session, path, grammar)))
        if as_json:
            session.json(report.as_data(), sort=True)
        else:
            recomputed = computed(manifest_of(path).of(dict)) if report.ok else {}
            session.present("verify.j2", report=report, shown=visible, recomputed=recomputed)
        if grammar is not None or not report.ok:
            _tell_build(session, path)
        if not report.ok:
            session.stop(FAILED)
    return session.status


def _tell_build(session: Session, path: Path) -> None:
    """Say whether another build of SGL wrote a dataset, since that may be why it differs."""
    from sgl.dataset import compiler_of

    own = f"{__version__}+{build()}"
    with suppress(ForeignFileError):
        if (was := compiler_of(path)) != own:
            note = f"note: SGL {was} wrote this dataset, and SGL {own} reads it, so that formats or checks may differ"
            session.echo(visible(note), err=True)


def _look(session: Session, path: Path, sample: int, as_json: bool) -> None:
    """Check a sample of the rows, and say that this is no verification."""
    session.progress("drawing a sample of the rows again")
    found = look(path, sample)
    if as_json:
        session.json({"verified": False, **found._asdict()}, sort=True)
    else:
        session.present("look.j2", look=found, path=path, shown=visible)
    if found.refusal:
        session.stop(FAILED)


def _compile_again(session: Session, path: Path, grammar: Path) -> Result:
    """Recompile a grammar with the parameters and seed of a dataset, and compare every file."""
    # Only this function needs the compiler.
    from sgl.cli.compile import prove_and_produce
    from sgl.lang.packed import main_of
    from sgl.parallel.executor import Parallelism
    from sgl.pipeline.release import compare, request_of

    session.settings, seed = request_of(path)
    if grammar == STREAM and (grammar := main_of(path)) == path:
        session.refuse(f"`{path}` has no folder `grammar`: name its grammar file")
    compiled = session.open(grammar).with_seed(seed)
    with temporary() as folder:
        again = folder / path.resolve().name
        prove_and_produce(session, compiled, again, Parallelism())
        session.progress("comparing files")
        return compare(path, again)


def _verify_certificate(session: Session, path: Path, as_json: bool) -> None:
    """Check a certificate, and show what it establishes or which lines of its reasoning fail."""
    text = read_bytes(path, CERTIFICATE)
    session.progress("checking the certificate")
    # The verdict depends on the text and on the checker, which is part of every key.
    digest = hashlib.sha256(text).hexdigest()
    found = cached(dict, "verdict", (digest,), lambda: check_certificate(text))
    if as_json:
        session.json(found)
    else:
        session.present("certificate.j2", shown=visible, **found)
    if not found["accepted"]:
        session.stop(FAILED)


def check_certificate(text: bytes) -> dict[str, Any]:
    """Return the findings of the checker: its refusals, or what the certificate establishes."""
    refused, established = judge(text)
    found: dict[str, Any] = {"accepted": not refused, "faults": refused}
    if not refused:
        content = read_certificate(text)
        found |= {"name": content.name, "digest": content.digest}
        found |= {"structures": len(content.structures), "splits": len(content.splits)}
        found |= {"claims": dict(Counter(claim.kind for claim in content.claims)), "established": established}
    return found


@click.command("release")
@click.argument("directory", type=FILE, metavar="DIR")
@click.option("-o", "--out", type=ARCHIVE, help="Write the archive to this file.  [default: NAME-VERSION.zip]")
@force_option
@session_options
def release(session: Session, directory: Path, out: Path | None) -> None:
    """Pack the dataset in DIR for publication.

    The grammar of the dataset must declare a `release`.  The archive is unpacked, loaded and
    verified before it is put in place.  Equal datasets give equal archives.
    """
    from sgl.disk.stages import staged_file
    from sgl.pipeline.release import ReleaseError, checked, name_of, write_archive

    try:
        out = out or Path(f"{name_of(directory)}.zip")
        session.results.asked[out] = ARCHIVE
        session.check_results()
        with staged_file(out) as archive, temporary() as place:
            size = write_archive(directory, archive, session.progress)
            report, loaded = checked(archive, place, session.progress)
            if not report.ok:
                session.present("verify.j2", report=report, brief=True)
                session.stop(FAILED)
            packed = archive.stat().st_size
    except VerifyError as problem:
        session.refuse(str(problem), status=OUTPUT)
    except ReleaseError as problem:
        session.fail("SGL0833", str(problem), hint=problem.hint)
    except ForeignFileError:
        raise
    except OSError as problem:
        full = "the check also unpacks it, into the temporary directory" if problem.errno == ENOSPC else ""
        session.fail("SGL1103", why_not(out or Path(), problem), hint=full)
    for line in loaded:
        session.echo(line)
    session.echo(f"verified: {count(report.items, 'item')}, no violations")
    session.echo(f"{out}: {packed / 1e6:,.1f} MB, unpacked {size / 1e6:,.1f} MB")
    session.echo(f"signature {visible(report.signature)}")


@click.command("diff")
@click.argument("first", type=FILE, metavar="A")
@click.argument("second", type=FILE, metavar="B")
@json_option
@session_options
def diff(session: Session, first: Path, second: Path, as_json: bool) -> None:
    """Show the changes from dataset A to dataset B, in rows and claims, and the version number that B needs."""
    from sgl.pipeline.difference import difference

    found = difference(first, second)
    if as_json:
        session.json(found)
    else:
        session.present("diff.j2", **found)
