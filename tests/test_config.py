"""Settings: who wins over whom, where a value came from, what is masked, what is refused."""

from pathlib import Path

import pytest

from maskwise import config, settings
from maskwise.errors import BadFile, NotFound, UsageFault
from maskwise.store.database import database_url


@pytest.fixture(autouse=True)
def bare(tmp_path, monkeypatch):
    """No setting from outside, and an own place for files."""
    import os

    for name in list(os.environ):
        if name.startswith("MASKWISE_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path


def written(text):
    Path("maskwise.toml").write_text(text)


def shown(asked=None):
    return {one.name: one for one in settings.show(asked)}


def test_defaults_say_so(bare):
    found = shown()
    assert {one.source for one in found.values()} == {"default"}
    assert found["data_dir"].value == str(bare / "home/.local/share/maskwise")
    assert found["host"].value == "127.0.0.1"
    assert found["port"].value == 8000
    assert found["secret_key"].value is None


def test_the_default_database_is_the_one_the_store_opens(bare):
    loaded = settings.load({"data_dir": bare / "data"})
    assert loaded.database_url.get_secret_value() == database_url(bare / "data")


def test_environment_wins_over_file_and_command_line_over_both(monkeypatch):
    written('host = "10.0.0.1"\nport = 1111\ndata_dir = "from-file"\n')
    monkeypatch.setenv("MASKWISE_PORT", "2222")
    found = shown({"data_dir": "named", "host": None})
    assert (found["host"].value, found["host"].source) == ("10.0.0.1", "file (maskwise.toml)")
    assert (found["port"].value, found["port"].source) == (2222, "environment (MASKWISE_PORT)")
    assert (found["data_dir"].value, found["data_dir"].source) == ("named", "command line")


@pytest.mark.parametrize("where", ["named", "environment", "file", "default"])
def test_the_quick_data_folder_is_the_one_of_the_settings(where, monkeypatch, tmp_path):
    named = None
    if where == "file":
        written('data_dir = "~/kept"\n')
    elif where == "environment":
        monkeypatch.setenv("MASKWISE_DATA_DIR", "~/mine")
    elif where == "named":
        named = tmp_path / "asked"
    assert config.data_folder(named) == settings.load({"data_dir": named}).data_dir


def test_secrets_are_masked(monkeypatch):
    secret = "s" * 40
    monkeypatch.setenv("MASKWISE_SECRET_KEY", secret)
    monkeypatch.setenv("MASKWISE_DATABASE_URL", "postgresql://me:open/sesame@host:5432/db")
    found = shown()
    assert found["secret_key"].value == "********"
    assert found["database_url"].value == "postgresql://me:********@host:5432/db"


def test_a_password_with_signs_that_split_an_address_does_not_show(monkeypatch):
    for password in ("p@ss", "a:b", "x?y", "h#i", "sl/ash"):
        monkeypatch.setenv("MASKWISE_DATABASE_URL", f"postgresql://me:{password}@host/db")
        assert password not in shown()["database_url"].value.replace("********", "")
    monkeypatch.setenv("MASKWISE_DATABASE_URL", "postgresql://host/db?user=me&password=hush")
    assert "hush" not in shown()["database_url"].value


def test_a_typing_slip_in_the_file_is_named():
    written("prot = 9000\n")
    with pytest.raises(BadFile, match='unknown setting "prot"') as caught:
        settings.load()
    assert caught.value.help == 'did you mean "port"?'


def test_a_broken_file_has_its_place():
    written('host = "here"\nport = = 3\n')
    with pytest.raises(BadFile) as caught:
        config.data_folder()
    assert (caught.value.place.line, caught.value.place.column) == (2, 8)
    assert caught.value.place.source_line == "port = = 3"


def test_a_file_that_is_named_must_be_there(monkeypatch):
    monkeypatch.setenv("MASKWISE_CONFIG", "nowhere.toml")
    with pytest.raises(NotFound, match=r"nowhere\.toml"):
        settings.load()


@pytest.mark.parametrize(("name", "value"), [("PORT", "70000"), ("PORT", "x"), ("SECRET_KEY", "short"), ("PORT", "-1")])
def test_a_bad_value_names_the_variable_and_not_the_secret(monkeypatch, name, value):
    monkeypatch.setenv(f"MASKWISE_{name}", value)
    with pytest.raises(UsageFault, match=f"MASKWISE_{name}") as caught:
        settings.load()
    if name == "SECRET_KEY":
        assert value not in caught.value.message.removeprefix("secret_key")
