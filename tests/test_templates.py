"""The template environment: strict, told where it fails, escaping by the last suffix."""

import subprocess
import sys
import timeit

import jinja2
import pytest

import templates
from templates import environment, faults


@pytest.fixture
def written(tmp_path, monkeypatch):
    """Write templates into an empty folder and let the environment look there."""
    monkeypatch.setattr(faults, "ROOT", tmp_path)
    for cached in (environment.environment, environment.template, templates.renderer, templates.blocks):
        cached.cache_clear()

    def write(**files):
        for name, text in files.items():
            (tmp_path / f"{name}.j2.md").write_text(text, encoding="utf-8")

    yield write
    monkeypatch.undo()
    for cached in (environment.environment, environment.template, templates.renderer, templates.blocks):
        cached.cache_clear()


def fault(block="a", name="x.j2.md", **values):
    with pytest.raises(templates.TemplateFault) as caught:
        templates.render(name, block, **values)
    return caught.value


def test_a_block_is_rendered_alone(written):
    written(x="{% block a %}\n{{ B|num('B') }} rows\n{% endblock %}{% block b %}{{ nowhere }}{% endblock %}")
    assert templates.render("x.j2.md", "a", B=8) == '⟦["num","8","B"]⟧ rows'
    assert templates.blocks("x.j2.md") == {"a", "b"}


def test_imports_and_macros_at_the_top_are_there_in_every_block(written):
    written(
        x="{% from 'm.j2.md' import twice as two %}{% import 'm.j2.md' as m %}"
        "{% macro own(x) %}<{{ two(x) }}>{% endmacro %}"
        "{% block a %}{{ own('u') }} {{ m.twice('v') }}{% endblock %}{% block b %}plain{% endblock %}",
        m="{% macro twice(x) %}{{ x }}{{ x }}{% endmacro %}",
    )
    assert templates.render("x.j2.md", "a") == "<uu> vv"
    assert templates.render("x.j2.md", "b") == "plain"


def test_an_unknown_name_is_shown_where_it_stands(written):
    written(x="{% block a %}\n\nThe vocabulary has {{ vocab }} entries.\n{% endblock %}")
    found = fault(B=1, T=2, D=3, V=4)
    assert (found.code, found.line, found.column, found.width) == ("W103", 3, 23, 5)
    assert found.source_line == "The vocabulary has {{ vocab }} entries."
    assert str(found).splitlines()[2:] == [
        "    3 | The vocabulary has {{ vocab }} entries.",
        "      |                       ^^^^^ defined here: B, D, T, V",
        '  help: did you mean "V"?',
    ]


def test_a_fault_inside_of_a_macro_names_the_macros_file(written):
    written(
        x="{% import 'm.j2.md' as m %}{% block a %}{{ m.bad(1) }}{% endblock %}",
        m="\n{% macro bad(x) %}{{ x // 0 }}{% endmacro %}",
    )
    found = fault()
    assert (found.code, found.file.endswith("m.j2.md"), found.line) == ("W105", True, 2)
    assert "ZeroDivisionError" in found.message


@pytest.mark.parametrize(
    ("text", "code", "line", "says"),
    [
        ("{% block a %}\n{{ x|nam }}{% endblock %}", "W104", 2, 'did you mean "named"?'),
        ("{% block a %}\n{{ x }{% endblock %}", "W101", 2, "unexpected '}'"),
        ("{% block a %}{% endblock %}\n{% if x %}", "W101", 2, "end of template"),
        ("{% block a %}\n{{ 2 ** 3 }}{% endblock %}", "W101", 2, "compute in the family"),
        ("{% block a %}\n{{ x.y.z }}{% endblock %}", "W103", 2, "'y'"),
        ("{% block a %}\n{{ 1.5|num('B') }}{% endblock %}", "W105", 2, "float"),
        ("{% block a %}\n{% include 'gone.j2.md' %}{% endblock %}", "W102", 2, "gone.j2.md"),
        ("{% block ab %}{% endblock %}", "W102", 0, 'did you mean "ab"?'),
    ],
)
def test_every_fault_has_a_place_and_a_next_step(written, text, code, line, says):
    written(x=text)
    found = fault(x={})
    assert (found.code, found.line) == (code, line)
    assert says in str(found)


def test_a_missing_template_is_told_with_its_neighbour(written):
    written(shape_chain="{% block a %}{% endblock %}")
    assert 'did you mean "shape_chain.j2.md"?' in str(fault(name="shape_chian.j2.md"))


def test_the_last_suffix_decides_about_escaping():
    names = ["a.j2.html", "a.j2.xml", "a.html.j2", "a.j2.md", "a.j2.txt", "a.xml.md", None]
    assert [environment.escaped(name) for name in names] == [True, True, False, False, False, False, False]


def test_values_on_pages_are_escaped_and_question_text_is_set(tmp_path, written):
    (tmp_path / "p.j2.html").write_text("{{ name }}|{{ words|html }}", encoding="utf-8")
    assert templates.render("p.j2.html", name="<b>", words="*x* <i>") == "&lt;b&gt;|<p><em>x</em> &lt;i&gt;</p>"


def test_every_template_of_the_repository_compiles():
    names = environment.environment().list_templates(filter_func=lambda path: ".j2." in path)
    assert names
    for name in names:
        assert isinstance(environment.template(name), jinja2.Template)


def test_a_block_costs_a_few_microseconds(written):
    written(
        x="{% block a %}A batch has {{ B|named('B') }} sequences of length {{ T|named('T') }}, "
        "width {{ D|named('D') }}, "
        "vocabulary {{ V|named('V') }}.{% endblock %}"
    )
    render, values = templates.renderer("x.j2.md", "a"), {"B": 8, "T": 20, "D": 48, "V": 1000}
    best = min(timeit.repeat(lambda: render(values), number=2000, repeat=7)) / 2000
    assert best < 6e-6


def loaded(code):
    """Return the modules that a fresh interpreter has loaded after some code."""
    lines = f"{code}\nimport sys\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", lines], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


HEAVY = {"jinja2", "markdown_it", "latex2mathml", "nh3", "typst", "lxml", "segno"}


def test_importing_templates_and_exporters_loads_no_library():
    assert not loaded("import templates, maskwise.exporters") & HEAVY


def test_that_the_test_above_can_fail():
    assert {"jinja2", "markdown_it", "nh3"} <= loaded(
        "import templates.environment\nfrom templates.markup import to_html\nto_html('*x*')"
    )
