"""The settings themselves, as pydantic-settings reads and checks them; loaded by `maskwise.config.load()` only."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - pydantic reads the annotations while running
from typing import Any

from pydantic import Field, SecretStr, ValidationInfo, field_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from maskwise.config import config_file, default_data_folder, read_config

HIDDEN = "********"


class Settings(BaseSettings):
    """What an operator may set. Each stands in the environment as MASKWISE_ and its name in capitals."""

    model_config = SettingsConfigDict(env_prefix="MASKWISE_", env_ignore_empty=True, extra="forbid", frozen=True)

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
