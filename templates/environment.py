"""The one Jinja environment: strict about names, escaping by the last suffix, each template compiled once a process.

A block of a question is rendered by itself, thousands of times in a `generate`, so the usual way of Jinja (copy the
values, build a context with every block) is cut to what a single block needs.
"""

from __future__ import annotations

import copy
import functools
from typing import TYPE_CHECKING, Any, Final

import jinja2
from jinja2 import nodes
from jinja2.runtime import Context
from markupsafe import Markup

from templates import faults, tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

ESCAPED: Final = (".html", ".xml")


def escaped(name: str | None) -> bool:
    """Tell whether values are escaped: yes for .html and .xml, the *last* suffix, as in `paper.j2.html`."""
    return name is not None and name.endswith(ESCAPED)


class Environment(jinja2.Environment):
    """Jinja with two rules of ours.

    What stands at the top of a template (imports and macros) is there in every block, since blocks are rendered one by
    one. And nothing is computed with `**`, which Jinja reads unlike Python: 2**3**2 is 64 there.
    """

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        tree: nodes.Template = super()._parse(source, name, filename)
        power = tree.find(nodes.Pow)
        if power is not None:
            raise jinja2.TemplateSyntaxError(
                "'**' is refused: Jinja groups it unlike Python; compute in the family", power.lineno, name, filename
            )
        shared = [node for node in tree.body if isinstance(node, nodes.Import | nodes.FromImport | nodes.Macro)]
        for block in tree.find_all(nodes.Block) if shared else ():
            block.body[:0] = _needed(shared, block)
        return tree


def _needed(shared: Sequence[nodes.Node], block: nodes.Block) -> list[nodes.Node]:
    """Copy those imports and macros that a block uses, and those that these use: each costs a render some time."""
    used = {name.name for name in block.find_all(nodes.Name)}
    kept: list[nodes.Node] = []
    for node in reversed(shared):
        if used & _gives(node):
            # The nodes point at their environment, which is shared, not copied.
            kept.insert(0, copy.deepcopy(node, {id(node.environment): node.environment}))
            used |= {name.name for name in node.find_all(nodes.Name)}
    return kept


def _gives(node: nodes.Node) -> set[str]:
    """Return the names that an import or a macro brings."""
    if isinstance(node, nodes.FromImport):
        return {name if isinstance(name, str) else name[1] for name in node.names}
    return {node.target} if isinstance(node, nodes.Import) else {node.name}  # type: ignore[attr-defined]


def _html(markdown: str) -> Markup:
    """Set question text on a page."""
    from templates import markup  # noqa: PLC0415  Markdown and maths are only loaded where a writer runs

    return Markup(markup.to_html(markdown))  # noqa: S704  the writer escapes all text and makes every tag itself


def _line(markdown: str) -> Markup:
    """Set question text that is one line, such as the words of an option: no paragraph around it."""
    from templates import markup  # noqa: PLC0415  as above

    return Markup(markup.to_html_line(markdown))  # noqa: S704  as above


@functools.cache
def environment() -> Environment:
    """Return the environment. Templates and filters are found below `templates/`; other packages may add neither."""
    made = Environment(
        loader=jinja2.FileSystemLoader(faults.ROOT),
        undefined=jinja2.StrictUndefined,
        autoescape=escaped,
        auto_reload=False,
        trim_blocks=True,
        lstrip_blocks=True,
        cache_size=-1,
    )
    made.filters.update(tokens.FILTERS)
    made.filters["html"] = _html
    made.filters["line"] = _line
    return made


@functools.cache
def template(name: str) -> jinja2.Template:
    """Return the compiled template. Raises TemplateFault when it is missing or cannot be read."""
    env = environment()
    try:
        return env.get_template(name)
    except jinja2.TemplateNotFound:
        raise faults.no_template(name, env.list_templates(filter_func=lambda path: ".j2." in path)) from None
    except jinja2.TemplateSyntaxError as error:
        raise faults.of_syntax(error, error.filename or str(faults.ROOT / name), env.filters) from None


def renderer(name: str, block: str | None) -> Callable[[Mapping[str, Any]], str]:
    """Return the function that renders one block (None: the whole template) with given values.

    It raises TemplateFault, with the place in the template, for whatever goes wrong inside.
    """
    env = environment()
    compiled = template(name)
    file = compiled.filename or name
    if block is None:
        run: Callable[[Context], Iterable[str]] = compiled.root_render_func
        table = {key: [value] for key, value in compiled.blocks.items()}
    else:
        if block not in compiled.blocks:
            raise faults.no_block(name, file, block, compiled.blocks)
        run, table = compiled.blocks[block], {}
    shared = dict(compiled.globals)  # a ChainMap there, ten times slower to copy

    def render(values: Mapping[str, Any]) -> str:
        try:
            context = Context(env, {**shared, **values}, name, {})
            if table:
                context.blocks = {key: list(value) for key, value in table.items()}
            return "".join(run(context)).strip("\n")
        except Exception as error:  # noqa: BLE001  whatever an author's expression raises is the author's to see
            fault, cause = _mapped(env, values, file), error
        raise fault from cause  # a page calls more than expressions: a log finds the place

    return render


def _mapped(env: Environment, values: Mapping[str, Any], file: str) -> faults.TemplateFault:
    try:
        env.handle_exception()
    except faults.TemplateFault as fault:  # from a template that this one imports or includes
        return fault
    except jinja2.TemplateSyntaxError as error:
        return faults.of_syntax(error, error.filename or file, env.filters)
    except Exception as error:  # noqa: BLE001
        return faults.of_rendering(error, values, file)
