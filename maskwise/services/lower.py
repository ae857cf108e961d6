"""Errors of the packages below, in the words and exit codes of `maskwise.errors`.

They are known by their names, so that translating one costs the import of nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from maskwise.errors import BadFile, ChecksFailed, EnvironmentFault, MaskwiseError, NotFound, Place, Refused, UsageFault

if TYPE_CHECKING:
    from collections.abc import Callable


def translated(error: Exception) -> MaskwiseError | None:
    """Give the error in the words of this package; itself when it is one of ours, None when it is a bug."""
    if isinstance(error, MaskwiseError):
        return error
    names = {f"{kind.__module__.partition('.')[0]}.{kind.__name__}" for kind in type(error).__mro__}
    return next((said(error) for name, said in _SAID.items() if name in names), None)


def _message(error: Any) -> str:
    words = str(getattr(error, "message", None) or error)
    first, _, _ = words.partition(" ")
    return words[:1].lower() + words[1:] if first[1:].islower() else words  # PyTorch and SH-CHAIN stay as they are


def _unknown(error: Any) -> MaskwiseError:
    """Tell a name that does not exist: of a level or part it is a wrong option, of anything else it is not found."""
    near = [known for known in error.known if known.upper() in error.near]
    words = f'did you mean "{near[0]}"?' if near else f"there are: {', '.join(error.known)}" if error.known else ""
    of_an_option = error.kind.startswith(("level", "part"))
    return (UsageFault if of_an_option else NotFound)(error.said, help=words)


def _placed(error: Any) -> dict[str, Any]:
    """Read place, code and help off an error that carries them."""
    place = None
    if error.file:
        place = Place(
            error.file,
            error.line or None,
            error.column or None,
            error.source_line or None,
            error.width,
            getattr(error, "note", ""),
        )
    return {"place": place, "help": error.help or "", "code": error.code}


def _of_plan(error: Any) -> MaskwiseError:
    return BadFile(_message(error), **_placed(error))


def _of_author(error: Any) -> MaskwiseError:
    return ChecksFailed(_message(error), **_placed(error))


def _of_proof(error: Any) -> MaskwiseError:
    return ChecksFailed(_message(error), help="nothing was shown or written; `maskwise check` looks at every key")


def _of_runner(error: Any) -> MaskwiseError:
    return EnvironmentFault(_message(error), help="`maskwise doctor` tells what is missing")


def _of_store(error: Any) -> MaskwiseError:
    return EnvironmentFault(
        f"the database cannot be used: {' '.join(str(error).split())}",
        help="is it running, and is MASKWISE_DATABASE_URL right? `maskwise config show` tells what is used",
    )


def _of_export(error: Any) -> MaskwiseError:
    return Refused(_message(error), help="change the words of the plan, or take another format")


_SAID: dict[str, Callable[[Any], MaskwiseError]] = {  # the first that fits: a plan's fault is an author's fault, too
    "generator.UnknownName": _unknown,
    "generator.BadPlan": _of_plan,
    "generator.AuthorFault": _of_author,
    "templates.TemplateFault": _of_author,
    "generator.Unproven": _of_proof,
    "grader.RunnerUnavailable": _of_runner,
    "maskwise.StoreUnavailable": _of_store,
    "maskwise.ExportRefused": _of_export,
}
