"""Settings: command line > `MASKWISE_*` environment > config file > default, each with the source it came from.

The data folder is asked for by nearly every command, all the rest only by `serve`, `db`, `doctor` and `config show`.
So `data_folder()` reads it alone, and pydantic-settings, slow to import, is loaded by `load()` only.
"""

from __future__ import annotations

import os
import tomllib
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maskwise.errors import BadFile, EnvironmentFault, NotFound, os_fault, toml_fault

if TYPE_CHECKING:
    from collections.abc import Mapping


PREFIX = "MASKWISE_"
CONFIG_VARIABLE = "MASKWISE_CONFIG"
FILE_NAME = "maskwise.toml"


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
