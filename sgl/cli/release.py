"""``sglc release``: pack a dataset for publication, and check what was packed."""

from pathlib import Path
from tempfile import TemporaryDirectory

import click

from sgl.cli.files import ARCHIVE, FILE, force_option
from sgl.cli.main import FAILED, OUTPUT
from sgl.cli.session import Session, session_options
from sgl.cli.terminal import count
from sgl.dataset.staged import staged_file
from sgl.pipeline.release import ReleaseError, checked, name_of, write_archive
from sgl.verify import VerifyError
from sgl.verify.skeleton import visible


@click.command("release")
@click.argument("directory", type=FILE, metavar="DIR")
@click.option("-o", "--out", type=ARCHIVE, help="The archive.  [default: NAME-VERSION.zip]")
@force_option
@session_options
def command(session: Session, directory: Path, out: Path | None) -> None:
    """Pack the dataset in DIR for publication.

    The grammar of the dataset declares a `release`. The archive is unpacked, loaded and
    verified before it is put in place. Equal datasets give equal archives.
    """
    try:
        out = out or Path(f"{name_of(directory)}.zip")
        if fault := session.results.write(out):
            session.fail("SGL1103", fault[0], hint=fault[1])
        with staged_file(out) as archive, TemporaryDirectory() as place:
            size = write_archive(directory, archive, session.progress)
            report, loaded = checked(archive, Path(place), session.progress)
            if not report.ok:
                session.present("verify.j2", report=report, brief=True)
                session.stop(FAILED)
            packed = archive.stat().st_size
    except VerifyError as problem:
        session.refuse(str(problem), status=OUTPUT)
    except ReleaseError as problem:
        session.fail("SGL0833", str(problem), hint=problem.hint)
    for line in loaded:
        session.echo(line)
    session.echo(f"verified: {count(report.items, 'item')}, no violation")
    session.echo(f"{out}: {packed / 1e6:,.1f} MB, unpacked {size / 1e6:,.1f} MB")
    session.echo(f"signature {visible(report.signature)}")
