"""Kept compiled templates: the same words with and without, and nothing stale or broken is ever used."""

import pytest

import templates
from generator import drafting
from maskwise.services import compiled
from templates import environment


@pytest.fixture
def fresh(monkeypatch):
    """Forget all compiled templates, as a new process would, and put them back afterwards."""
    caches = (environment.environment, environment.template, templates.renderer, templates.blocks, drafting._front)

    def forget():
        for cache in caches:
            cache.cache_clear()

    forget()
    yield forget
    forget()


def words():
    from question_bank.catalogue import families

    return [drafting.draft(family, level, "7").front() for family in families().values() for level in family.levels]


def test_kept_templates_say_the_same(tmp_path, fresh, monkeypatch):
    plain = words()
    fresh()
    compiled.keep_compiled(tmp_path)
    assert words() == plain
    kept = sorted((tmp_path / "templates").iterdir())
    assert kept
    fresh()
    compiled.keep_compiled(tmp_path)

    def never(*_arguments, **_more):
        raise AssertionError("a template was compiled again")

    monkeypatch.setattr(environment.Environment, "_parse", never)
    assert words() == plain
    assert sorted((tmp_path / "templates").iterdir()) == kept


@pytest.mark.parametrize("content", [b"", b"\x00" * 100, b"not code", b"\xe3\x01"])
def test_a_broken_file_is_compiled_again(tmp_path, fresh, content):
    compiled.keep_compiled(tmp_path)
    plain = words()
    for path in (tmp_path / "templates").iterdir():
        path.write_bytes(content)
    fresh()
    compiled.keep_compiled(tmp_path)
    assert words() == plain


def test_another_compiler_takes_nothing_from_the_old_one(tmp_path, fresh, monkeypatch):
    compiled.keep_compiled(tmp_path)
    words()
    count = len(list((tmp_path / "templates").iterdir()))
    monkeypatch.setattr(compiled, "_compiler", lambda: "another")
    fresh()
    compiled.keep_compiled(tmp_path)
    words()
    assert len(list((tmp_path / "templates").iterdir())) == 2 * count


def test_a_folder_that_cannot_be_written_costs_nothing_else(tmp_path, fresh):
    (tmp_path / "file").write_text("x")
    compiled.keep_compiled(tmp_path / "file")
    assert words()
