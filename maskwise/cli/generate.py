"""`maskwise generate`: a proven problem set, its key and LMS files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from maskwise.cli.options import Command, asked
from maskwise.cli.progress import progress
from maskwise.cli.proving import optional_prover
from maskwise.cli.talk import data, emit, note
from maskwise.errors import OK, Refused, UsageFault, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maskwise.exporters import Options
    from maskwise.services.papers import Papers
    from maskwise.services.roster import Student

MOST_PAPERS = 10_000
UNCONFIRMED_FORMATS = ("text", "json")  # what may be made without a run: for eyes, never to hand out


@click.command(
    cls=Command,
    example="""
maskwise generate lesson-12 --seed 12 -n 40 -f pdf,moodle -o out/
maskwise generate my-quiz.toml -f pdf -o out/ --force
maskwise generate lesson-12 --roster class.csv -f pdf -o exam/
maskwise generate lesson-12 --open --seed 7 -f pdf -o practice/
maskwise generate lesson-12 --no-confirm -f text
""",
)
@click.argument("quiz", metavar="QUIZ")
@click.option("--seed", metavar="SEED", help="Makes the run repeatable; a fresh secret key when not named.")
@click.option("-n", "--papers", type=int, default=None, metavar="N", help="How many versions (1).")
@click.option("--roster", metavar="FILE", help="One paper for each person of a CSV file with columns id and name.")
@click.option("--open", "open_", is_flag=True, help="Practice sheets: drawn from the seed alone, codes printed.")
@click.option(
    "-f", "--format", "formats", default="pdf", show_default=True, metavar="FORMATS", help="pdf,moodle,json,text"
)
@click.option("-o", "--output", metavar="DIR", help="Folder for the files; text and json go to the screen without.")
@click.option("--large", is_flag=True, help="PDF: papers in large print.")
@click.option("--page", type=click.Choice(["a4", "letter"]), default="a4", help="PDF: size of the page (a4).")
@click.option("--force", is_flag=True, help="Replace files that exist.")
@click.option("--strict", is_flag=True, help="Refuse (exit 5) when a format cannot keep everything.")
@click.option("--no-confirm", is_flag=True, help="Do not run PyTorch: a quick look, text and json only.")
def command(
    *,
    quiz: str,
    seed: str | None,
    papers: int | None,
    roster: str | None,
    open_: bool,
    formats: str,
    output: str | None,
    large: bool,
    page: str,
    force: bool,
    strict: bool,
    no_confirm: bool,
) -> int:
    """Make a proven problem set: papers, key, LMS files.

    QUIZ is a plan in TOML or the name of a ready-made one such as lesson-12. Papers are sealed: their look-up ids
    mean nothing without NAME.manifest.json beside the key. With --seed the bytes are a function of the seed and the
    data folder's secret; another data folder makes other papers. --open makes practice sheets from the seed alone.
    With --roster each person's paper is a function of their id, too; NAME-roster.csv tells who has which. Files are
    written all or none.
    """
    from maskwise.exporters import Options
    from maskwise.services.looking import checked_seed
    from question_bank.catalogue import quiz_plan

    wanted = _formats(formats, confirm=not no_confirm)
    plan = quiz_plan(quiz)  # a quiz that is not there, or not a plan, is the first thing to say
    folder = _folder(output, wanted)
    if seed is not None:
        checked_seed(seed)
    people = _people(roster, papers, open_=open_)
    n = len(people) if people is not None else papers if papers is not None else 1
    if not 1 <= n <= MOST_PAPERS:
        raise UsageFault(f"-n is a whole number from 1 to {MOST_PAPERS:,}")
    if folder is not None:
        _room_for(folder, _names(plan.slug, wanted, sealed=not (open_ or no_confirm), several=n > 1), force=force)
    made = _make(
        quiz,
        seed,
        n,
        wanted,
        roster=people,
        options=Options(large=large, paper=page),
        open_=open_,
        confirm=not no_confirm,
    )
    if made.losses and strict:
        raise Refused(f"a format cannot keep everything: {made.losses[0]}", help="leave --strict out to accept this")
    if folder is None:
        for content in made.on_screen():
            data(content.rstrip("\n"))
    else:
        _write(made, folder, force=force)
    for words in made.notes:
        note(words)
    if no_confirm:
        note("not confirmed: PyTorch was not run, so nothing of this is to be handed out")
    return OK


def _formats(text: str, *, confirm: bool) -> list[str]:
    from maskwise.exporters import FORMATS

    wanted = list(dict.fromkeys(name.strip().lower() for name in text.split(",") if name.strip()))
    if not wanted:
        raise UsageFault("-f names no format", help=f"the formats: {', '.join(FORMATS)}")
    for name in wanted:
        if name not in FORMATS:
            words = did_you_mean(name, FORMATS) or f"the formats: {', '.join(FORMATS)}"
            raise UsageFault(f'there is no format "{name}"', help=words)
        if not confirm and name not in UNCONFIRMED_FORMATS:
            raise UsageFault(
                f"--no-confirm never makes {name}: its keys would not be proven",
                help="leave --no-confirm out, or take -f text or -f json",
            )
    return wanted


def _folder(output: str | None, wanted: Sequence[str]) -> Path | None:
    if output is not None:
        folder = Path(output).expanduser()
        if folder.exists() and not folder.is_dir():
            raise UsageFault(f"-o names a folder, and {output} is a file")
        return folder
    if len(wanted) > 1 or wanted[0] not in UNCONFIRMED_FORMATS:
        raise UsageFault("-o DIR is missing: only text and json, one at a time, go to the screen", help="add -o out/")
    return None


def _people(roster: str | None, papers: int | None, *, open_: bool) -> tuple[Student, ...] | None:
    """Read the roster, which says how many papers there are; None without one."""
    from maskwise.services.roster import load

    if roster is None:
        return None
    if open_:
        raise UsageFault(
            "--roster makes papers for persons, and open sheets are the same for everyone who knows the seed",
            help="leave --open or --roster out",
        )
    found = load(Path(roster).expanduser())
    if papers is not None and papers != len(found.students):
        raise UsageFault(
            f"-n says {papers}, and {roster} names {len(found.students)}",
            help="leave -n out: one paper for each person",
        )
    if found.unused:
        note(f"columns of {roster} that are not used: {', '.join(found.unused)}")
    return found.students


def _names(slug: str, wanted: Sequence[str], *, sealed: bool, several: bool) -> list[str]:
    """Name the files that will be written, as far as that is known before any work."""
    from maskwise.exporters import SUFFIXES
    from maskwise.services.papers import MANIFEST, ROSTER

    suffixes = [suffix for name in wanted for suffix in SUFFIXES[name]]
    suffixes += [MANIFEST] if sealed else []
    suffixes += [ROSTER] if sealed and several else []
    return [f"{slug}{suffix}" for suffix in suffixes]


def _room_for(folder: Path, names: Sequence[str], *, force: bool) -> None:
    """Refuse before any work what would be refused after it: files in the way, a folder nobody may write in."""
    import os

    from maskwise.errors import EnvironmentFault
    from maskwise.files import refuse_existing

    refuse_existing([folder / name for name in names], force=force)
    there = next(path for path in (folder.absolute(), *folder.absolute().parents) if path.exists())
    if not os.access(there, os.W_OK | os.X_OK):
        raise EnvironmentFault(f"no permission to write in {there}", help="choose another folder with -o")


def _make(
    quiz: str,
    seed: str | None,
    papers: int,
    formats: Sequence[str],
    *,
    roster: Sequence[Student] | None,
    options: Options,
    open_: bool,
    confirm: bool,
) -> Papers:
    from maskwise.config import data_folder
    from maskwise.services.papers import generate
    from maskwise.services.secret import course_secret

    # Practice sheets are a function of the seed alone: no secret is made, or needed, for them.
    secret = b"" if open_ else course_secret(data_folder(asked().data_dir))
    with optional_prover(confirm=confirm) as prover, progress(f"Building {Path(quiz).stem}", "versions") as move:
        return generate(
            quiz,
            secret=secret,
            seed=seed,
            n=papers,
            open_=open_,
            formats=formats,
            options=options,
            prover=prover,
            roster=roster,
            progress=move,
        )


def _write(made: Papers, folder: Path, *, force: bool) -> None:
    from maskwise.files import write_all

    files = {folder / name: content for name, content in made.files.items()}
    if force:
        _keep_earlier_papers(files)
    write_all(files, force=force, private={folder / name for name in made.private()})
    words = dict(made.summary)
    listed = {name: words.pop(name, _about(name)) for name in made.files}
    rows = [(str(folder / name), about) for name, about in listed.items() if about] + [
        (str(folder / name), about) for name, about in words.items()
    ]
    if asked().json:
        told = {"losses": list(made.losses), "notes": list(made.notes)}
        emit({"files": [{"file": name, "words": about} for name, about in rows], **told})
        return
    width = max(len(name) for name, _ in rows)
    for name, about in rows:
        data(f"{name:<{width}}   {about}")
    for loss in made.losses:
        note(loss)
    if made.losses:
        note(f"this list stands in {folder / f'{made.quiz.slug}.losses.txt'}")


def _keep_earlier_papers(files: dict[Path, bytes]) -> None:
    """Let a manifest and a list of papers that are replaced live on in the new ones: their papers are printed."""
    from maskwise.errors import os_fault
    from maskwise.services import papers, roster

    keepers = {papers.MANIFEST: papers.keeping, papers.ROSTER: roster.keeping}
    for path in [path for path in files if path.is_file()]:
        for suffix, keeping in keepers.items():
            if path.name.endswith(suffix):
                try:
                    files[path] = keeping(path.read_bytes(), files[path], str(path))
                except OSError as error:
                    raise os_fault(error, f"read {path}") from error


def _about(name: str) -> str:
    from maskwise.services.papers import MANIFEST, ROSTER

    if name.endswith(MANIFEST):
        return "resolves the look-up ids; for teachers only"
    if name.endswith(ROSTER):
        return "who has which paper; for teachers only"
    if name.endswith(".losses.txt"):
        return "what a format cannot keep"
    return ""
