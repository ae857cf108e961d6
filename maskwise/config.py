"""Settings: command line > `MASKWISE_*` environment > config file > default, each with the source it came from.

The data folder is asked for by nearly every command, all the rest only by `serve`, `db`, `doctor` and `config show`.
So `data_folder()` reads it alone, and pydantic-settings, slow to import, is loaded by `load()` only.
"""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maskwise.errors import BadFile, EnvironmentFault, NotFound, UsageFault, did_you_mean, os_fault, toml_fault

if TYPE_CHECKING:
    from collections.abc import Mapping

    from maskwise.settings import Settings

PREFIX = "MASKWISE_"
CONFIG_VARIABLE = "MASKWISE_CONFIG"
FILE_NAME = "maskwise.toml"


@dataclass(frozen=True)
class Setting:
    """One setting as `config show` tells it: the value is masked where it is a secret."""

    name: str
    value: str | int | None
    source: str
    variable: str
    help: str


def config_file(environment: Mapping[str, str] | None = None) -> Path | None:
    """Find the config file: `MASKWISE_CONFIG`, else `maskwise.toml` here, else in the user's config folder."""
    environment = os.environ if environment is None else environment
    named = environment.get(CONFIG_VARIABLE)
    if named:
        path = Path(named).expanduser()
        if not path.is_file():
            raise NotFound(f"the config file {path} does not exist", help=f"{CONFIG_VARIABLE} names it")
        return path
    for path in (Path(FILE_NAME), _user_folder("config", environment) / FILE_NAME):
        if path.is_file():
            return path
    return None


def data_folder(asked: Path | None = None, environment: Mapping[str, str] | None = None) -> Path:
    """Where secrets, confirmed results and the database are kept; made on first writing, not here."""
    environment = os.environ if environment is None else environment
    if asked is not None:
        return asked
    if environment.get(f"{PREFIX}DATA_DIR"):
        return Path(environment[f"{PREFIX}DATA_DIR"]).expanduser()
    file = config_file(environment)
    if file is not None:
        value = read_config(file).get("data_dir")
        if value is not None:
            if not isinstance(value, str):
                raise BadFile(f"{file}: data_dir must be a text in quotes")
            return Path(value).expanduser()
    return default_data_folder(environment)


def default_data_folder(environment: Mapping[str, str] | None = None) -> Path:
    """Give the platform's folder for an application's data, such as ~/.local/share/maskwise."""
    return _user_folder("data", os.environ if environment is None else environment)


def ready_data_folder(folder: Path) -> Path:
    """Make the data folder, readable by its owner alone, when it is not there yet."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except FileExistsError:
        raise EnvironmentFault(
            f"the data folder {folder} is a file", help="name another folder with --data-dir or MASKWISE_DATA_DIR"
        ) from None
    except OSError as error:
        raise os_fault(error, f"make the data folder {folder}") from error
    return folder


def read_config(path: Path) -> dict[str, Any]:
    """Read the config file; an unknown name in it is an error, because a typing slip would go unseen."""
    return dict(_read_config(path, path.stat().st_mtime_ns))


@lru_cache(maxsize=4)
def _read_config(path: Path, _changed: int) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise toml_fault(path, error) from None
    except UnicodeDecodeError:
        raise BadFile(f"{path} is not UTF-8 text") from None
    except OSError as error:
        raise os_fault(error, f"read the config file {path}") from error


def load(asked: Mapping[str, Any] | None = None) -> Settings:
    """Load all settings; `asked` holds what the command line named (None means not named)."""
    return _load(asked)[0]


def show(asked: Mapping[str, Any] | None = None) -> list[Setting]:
    """Give every setting with its value and where that came from, secrets masked."""
    from maskwise.settings import Settings, masked  # noqa: PLC0415 - slow, and few commands need it

    settings, sources = _load(asked)
    return [
        Setting(
            name=name,
            value=masked(name, getattr(settings, name)),
            source=sources[name],
            variable=f"{PREFIX}{name.upper()}",
            help=field.description or "",
        )
        for name, field in Settings.model_fields.items()
    ]


def _load(asked: Mapping[str, Any] | None) -> tuple[Settings, dict[str, str]]:
    from pydantic import ValidationError  # noqa: PLC0415 - slow, and few commands need it

    from maskwise.settings import Settings  # noqa: PLC0415

    named = {name: value for name, value in (asked or {}).items() if value is not None}
    file = config_file()
    from_file = read_config(file) if file is not None else {}
    for name in from_file:
        if name not in Settings.model_fields:
            raise BadFile(f'{file}: unknown setting "{name}"', help=did_you_mean(name, Settings.model_fields))
    sources = {}
    for name in Settings.model_fields:
        if name in named:
            sources[name] = "command line"
        elif os.environ.get(f"{PREFIX}{name.upper()}"):
            sources[name] = f"environment ({PREFIX}{name.upper()})"
        elif name in from_file:
            sources[name] = f"file ({file})"
        else:
            sources[name] = "default"
    try:
        settings = Settings(**named)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        name = str(first["loc"][0]) if first["loc"] else "settings"
        raise UsageFault(f"{name} from {sources.get(name, 'the settings')}: {first['msg'].lower()}") from None
    return settings, sources


def _user_folder(kind: str, environment: Mapping[str, str]) -> Path:
    """Follow the platform; on Linux this is the XDG rule itself, which needs no import."""
    import sys  # noqa: PLC0415

    system: str = sys.platform  # a plain text to the type checker, which knows only the platform it runs on
    if system.startswith("linux"):
        variable, default = {"data": ("XDG_DATA_HOME", ".local/share"), "config": ("XDG_CONFIG_HOME", ".config")}[kind]
        base = environment.get(variable, "")
        return (Path(base) if base.startswith("/") else Path.home() / default) / "maskwise"
    import platformdirs  # noqa: PLC0415

    return platformdirs.user_data_path("maskwise") if kind == "data" else platformdirs.user_config_path("maskwise")
