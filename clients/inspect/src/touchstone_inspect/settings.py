"""Where the sandbox-executor is, and what it is shown; the only reader of the environment in this package."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict

from touchstone_runtime.dialling import Identity


class InspectSettings(BaseSettings):
    """Variables that begin with `TOUCHSTONE_`, the same as those of the command line."""

    model_config = SettingsConfigDict(env_prefix="TOUCHSTONE_", extra="ignore", frozen=True, hide_input_in_errors=True)

    sandbox_address: str = Field("127.0.0.1:7105", description="gRPC address of the sandbox-executor")
    token: str = Field("", description="Token that is shown to it", repr=False)
    token_file: Path | None = Field(None, description="File that holds the token; read again when it changes")
    tls_ca: str = Field("", description="PEM file of the authority where it speaks TLS, or `system`")

    def identity(self) -> Identity:
        """What is shown to the executor and trusted of it."""
        return Identity.of(self.token, self.token_file, self.tls_ca)
