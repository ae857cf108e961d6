r"""Everything a person reads is a template: question text, pages, print, LMS files. Here they are rendered.

`render(name, block, **values)` renders one block of one template; `renderer` gives the function behind it to those who
render often. Faults of a template come as `TemplateFault`. Jinja itself is loaded at the first use, so that a command
which says nothing from a template does not pay for it.

Filters of question templates (`.j2.md`), each a protected token that Markdown never touches (see `templates.tokens`):

    {{ B|num("B") }}          8, marked as axis B        {{ B|named("B") }}        B = 8
    {{ key|shape }}           (8, 20, 48)                {{ "logits[mask]"|code }} code
    {{ "B \\times T"|maths }} maths; display=True: alone  {{ word|text }}          words as they are
    {{ rows|strip("Sequence 1") }}   token strips        {{ lines|codeblock }}     lines of code
    {{ rows|table(head, caption, sides) }}               a small table

On pages, `{{ words|html }}` sets question text, and `{{ words|line }}` a text of one line without its paragraph.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from templates.faults import TemplateFault

__all__ = ["TemplateFault", "blocks", "render", "renderer"]


@functools.cache
def renderer(name: str, block: str | None = None) -> Callable[[Mapping[str, Any]], str]:
    """Return the function that renders a block of a template (None: all of it) from a mapping of values.

    The first call for a template compiles it (some ms); a rendered block then costs a few µs.
    Raises TemplateFault, as does the function itself.
    """
    from templates import environment  # noqa: PLC0415  Jinja costs 40 ms to load

    return environment.renderer(name, block)


def render(name: str, block: str | None = None, /, **values: Any) -> str:
    """Render one block of the template `name`, such as `questions/shape_chain.j2.md`. Raises TemplateFault."""
    return renderer(name, block)(values)


@functools.cache
def blocks(name: str) -> frozenset[str]:
    """Return the names of a template's blocks. Raises TemplateFault when it is missing or cannot be read."""
    from templates import environment  # noqa: PLC0415  as above

    return frozenset(environment.template(name).blocks)


def __getattr__(name: str) -> Any:
    if name == "TemplateFault":
        from templates.faults import TemplateFault  # noqa: PLC0415  as above

        return TemplateFault
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
