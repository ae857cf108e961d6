"""The settings themselves, as pydantic-settings reads and checks them; imported only by commands that need them."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path  # noqa: TC003 - pydantic reads the annotations while running
from typing import TYPE_CHECKING, Any

from pydantic import Field, SecretStr, ValidationError, ValidationInfo, field_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from maskwise.config import PREFIX, config_file, default_data_folder, read_config
from maskwise.errors import BadFile, UsageFault, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Mapping

HIDDEN = "********"


class Settings(BaseSettings):
    """What an operator may set. Each stands in the environment as MASKWISE_ and its name in capitals."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, env_ignore_empty=True, extra="forbid", frozen=True)

    data_dir: Path = Field(
        default_factory=default_data_folder, description="folder of secrets, confirmed results and the SQLite database"
    )
    database_url: SecretStr = Field(
        default=SecretStr(""),
        validate_default=True,
        description="database, such as postgresql://user:password@host/name; SQLite in the data folder by default",
    )
    host: str = Field(default="127.0.0.1", min_length=1, description="address that `serve` listens on")
    port: int = Field(default=8000, ge=0, le=65535, description="port that `serve` listens on; 0 takes a free one")
    behind_proxy: bool = Field(
        default=False, description="believe one reverse proxy's headers about a visitor's address and scheme"
    )
    https: bool = Field(default=False, description="visitors come by HTTPS: cookies are for HTTPS only")
    secret_key: SecretStr | None = Field(
        default=None, description="key that signs forms; made once in the data folder when not set"
    )

    @field_validator("data_dir")
    @classmethod
    def _expand(cls, value: Path) -> Path:
        return value.expanduser()

    @field_validator("database_url")
    @classmethod
    def _default_database(cls, value: SecretStr, info: ValidationInfo) -> SecretStr:
        if value.get_secret_value():
            return value
        return SecretStr(f"sqlite:///{(info.data['data_dir'] / 'maskwise.db').absolute()}")

    @field_validator("secret_key")
    @classmethod
    def _long_enough(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None and len(value.get_secret_value()) < 32:
            raise ValueError("a secret key needs at least 32 characters")
        return value

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - the signature is the library's
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Order the sources: the first that names a value wins."""
        file = config_file()
        return init_settings, env_settings, _FileSource(settings_cls, read_config(file) if file else {})


class _FileSource(PydanticBaseSettingsSource):
    """The config file, already read."""

    def __init__(self, settings_cls: type[BaseSettings], values: dict[str, Any]) -> None:
        super().__init__(settings_cls)
        self._values = values

    def get_field_value(self, field: Any, field_name: str) -> tuple[Any, str, bool]:  # noqa: ARG002
        return self._values.get(field_name), field_name, False

    def __call__(self) -> dict[str, Any]:
        return dict(self._values)


def masked(name: str, value: object) -> str | int | None:
    """Give a value for showing: secrets become stars, and of a database address only the password does."""
    if name == "database_url" and isinstance(value, SecretStr):
        return _without_password(value.get_secret_value())
    if isinstance(value, SecretStr):
        return HIDDEN
    if value is None or isinstance(value, int):
        return value
    return str(value)


def _without_password(url: str) -> str:
    """Mask from the user's name to the last @: a password with a sign that splits an address must not show either."""
    scheme, mark, rest = url.partition("://")
    if "@" in rest:
        user, colon, _ = rest[: rest.rindex("@")].partition(":")
        rest = f"{user}{colon}{HIDDEN if colon else ''}{rest[rest.rindex('@') :]}"
    address, question, query = rest.partition("?")
    if "password" in query.casefold():
        query = HIDDEN
    return f"{scheme}{mark}{address}{question}{query}"


@dataclass(frozen=True)
class Setting:
    """One setting as `config show` tells it: the value is masked where it is a secret."""

    name: str
    value: str | int | None
    source: str
    variable: str
    help: str


def load(asked: Mapping[str, Any] | None = None) -> Settings:
    """Load all settings; `asked` holds what the command line named (None means not named)."""
    return _load(asked)[0]


def show(asked: Mapping[str, Any] | None = None) -> list[Setting]:
    """Give every setting with its value and where that came from, secrets masked."""
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
