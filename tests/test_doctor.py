"""`maskwise doctor` tells what is missing, and one broken thing does not hide the others."""

import json
import socket

import pytest

from maskwise.cli import main
from maskwise.services import doctor
from maskwise.services.doctor import Finding, examine
from maskwise.settings import load

pytestmark = pytest.mark.torch


@pytest.fixture
def settings(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MASKWISE_DATABASE_URL", raising=False)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    return load({"data_dir": tmp_path / "data", "port": port})


def found(settings):
    return {finding.name: finding for finding in examine(settings)}


@pytest.fixture
def without_torch(monkeypatch):
    """Leave out what is slow and stands in a test of its own."""
    monkeypatch.setattr(doctor, "_runner", lambda _settings: iter([Finding("runner", "ok", "")]))


def test_a_sound_machine_is_sound(settings, capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("MASKWISE_PORT", str(settings.port))
    assert main(["doctor", "--json", "--data-dir", str(tmp_path / "data")]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["ok"] is True
    status = {check["name"]: check["status"] for check in shown["checks"]}
    assert status.pop("database") == "warn"  # no tables yet; `serve` and `db upgrade` make them
    assert set(status.values()) == {"ok"}
    assert set(status) == {"python", "torch", "runner", "trace", "typst", "data folder", "port"}


def test_a_database_that_is_away_is_essential(settings, without_torch, capsys, monkeypatch):
    monkeypatch.setenv("MASKWISE_DATABASE_URL", "postgresql://me:hush@127.0.0.1:1/none")
    assert main(["doctor"]) == 6
    out = capsys.readouterr().out
    assert "fail  database" in out
    assert "hush" not in out
    assert "ok    typst" in out


def test_an_old_database_says_how_to_bring_it_up(settings, without_torch):
    from maskwise.store import Store, schema
    from maskwise.store.database import database_url

    store = Store(database_url(settings.data_dir))
    schema.upgrade(store)
    assert found(settings)["database"].status == "ok"
    with store.writing() as transaction:
        transaction.exec_driver_sql("UPDATE alembic_version SET version_num = '0000'")
    store.close()
    assert found(settings)["database"].status == "fail"
    assert "db upgrade" in found(settings)["database"].help


def test_a_taken_port_is_a_warning(settings, without_torch):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", settings.port))
        taken.listen()
        assert found(settings)["port"].status == "warn"
    assert found(settings)["port"].status == "ok"


def test_a_data_folder_that_is_a_file_is_essential(tmp_path, without_torch):
    (tmp_path / "file").write_text("x")
    findings = found(load({"data_dir": tmp_path / "file"}))
    assert findings["data folder"].status == "fail"
    assert "is a file" in findings["data folder"].detail


def test_a_library_that_breaks_does_not_hide_the_rest(settings, without_torch, monkeypatch):
    def broken(_settings):
        raise ImportError("libtypst.so is missing")

    monkeypatch.setattr(doctor, "_typst", broken)
    findings = found(settings)
    assert findings["typst"] == Finding(
        "typst", "fail", "ImportError: libtypst.so is missing", "reinstall Maskwise into its own environment"
    )
    assert findings["port"].status == "ok"


def test_a_runner_that_cannot_start_is_essential(settings, monkeypatch):
    from grader.runner import service

    def absent(*_arguments, **_more):
        raise service.RunnerUnavailable("PyTorch does not start.")

    monkeypatch.setattr(service, "Runner", absent)
    findings = found(settings)
    assert findings["runner"].status == "fail"
    assert "PyTorch does not start" in findings["runner"].detail
    assert findings["typst"].status == "ok"
