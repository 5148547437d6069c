"""How the broker is reached: its address, TLS, and who we are there. Every Kafka client of ours is made by this.

Example:
    access = KafkaSettings().kafka()
    consumer = AIOKafkaConsumer("t", **access.options())
"""

# The Kafka library ships few types; what comes out of it is annotated where it enters.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

import ssl
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from touchstone_runtime.errors import PreconditionError, TouchstoneError

if TYPE_CHECKING:
    from faststream.security import BaseSecurity

Protocol = Literal["PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"]
Mechanism = Literal["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"]


@dataclass(frozen=True)
class KafkaAccess:
    """Where the broker is, and what we show there.

    Attributes:
        bootstrap: Bootstrap servers, comma-separated.
        protocol: Whether TLS is spoken, and whether we say who we are.
        mechanism: How the password is shown.
        user: Who we are, for the protocols with SASL.
        password: Text of the password; `password_file` is read where it is empty.
        password_file: File that holds the password, read with each new client.
        ca: PEM file of the authority that brokers' certificates are from; None trusts those of this machine.
        certificate: PEM file of the certificate that we show, where brokers ask for one.
        key: PEM file of its key.
    """

    bootstrap: str
    protocol: Protocol = "PLAINTEXT"
    mechanism: Mechanism = "SCRAM-SHA-512"
    user: str = ""
    password: str = field(default="", repr=False)
    password_file: Path | None = None
    ca: Path | None = None
    certificate: Path | None = None
    key: Path | None = None

    def options(self) -> dict[str, Any]:
        """Arguments of aiokafka's consumers, producers and administrators.

        Raises:
            PreconditionError: a setting is missing, or its file cannot be read.
        """
        return {"bootstrap_servers": self.bootstrap, **self.shown()}

    def security(self) -> BaseSecurity | None:
        """The same as FastStream takes it; None where nothing is shown.

        Raises:
            PreconditionError: a setting is missing, or its file cannot be read.
        """
        if self.protocol == "PLAINTEXT":
            return None
        # Half a second that only they pay whose broker asks for it.
        from faststream.security import BaseSecurity, SASLPlaintext, SASLScram256, SASLScram512

        context, encrypted = self._context(), self.protocol.endswith("SSL")
        if self.protocol == "SSL":
            return BaseSecurity(ssl_context=context, use_ssl=True)
        kinds = {"PLAIN": SASLPlaintext, "SCRAM-SHA-256": SASLScram256, "SCRAM-SHA-512": SASLScram512}
        return kinds[self.mechanism](self._user(), self._password(), ssl_context=context, use_ssl=encrypted)

    async def refusal(self) -> TouchstoneError | None:
        """Why a broker that is there does not take us, by the setting at fault; None where it does, or is away."""
        # The client library is for those that speak to a broker; whoever has settings loads this module.
        from touchstone_runtime.kafka_refusal import refusal

        return await refusal(self)

    def shown(self) -> dict[str, Any]:
        """TLS and who we are, as arguments of one connection of aiokafka's."""
        shown: dict[str, Any] = {"security_protocol": self.protocol, "ssl_context": self._context()}
        if self.protocol.startswith("SASL"):
            shown |= {
                "sasl_mechanism": self.mechanism,
                "sasl_plain_username": self._user(),
                "sasl_plain_password": self._password(),
            }
        return shown

    def _user(self) -> str:
        if self.user:
            return self.user
        raise PreconditionError(
            f"{self.protocol} needs a user",
            thing="TOUCHSTONE_KAFKA_USER",
            way_out="name the user that the broker knows",
        )

    def _password(self) -> str:
        if self.password:
            return self.password
        if self.password_file is None:
            raise PreconditionError(
                f"{self.protocol} needs a password",
                thing="TOUCHSTONE_KAFKA_PASSWORD_FILE",
                way_out="name the file that holds it",
            )
        try:
            return self.password_file.read_text("utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise PreconditionError(
                f"cannot be read: {error}", thing=f"TOUCHSTONE_KAFKA_PASSWORD_FILE={self.password_file}"
            ) from error

    def _context(self) -> ssl.SSLContext | None:
        if not self.protocol.endswith("SSL"):
            return None
        try:
            context = ssl.create_default_context(cafile=self.ca)
        except OSError as error:
            raise PreconditionError(f"cannot be read: {error}", thing=f"TOUCHSTONE_KAFKA_CA={self.ca}") from error
        if self.certificate is not None:
            try:
                context.load_cert_chain(self.certificate, self.key)
            except OSError as error:
                raise PreconditionError(
                    f"certificate and key cannot be used: {error}",
                    thing=f"TOUCHSTONE_KAFKA_CERTIFICATE={self.certificate}",
                ) from error
        return context
