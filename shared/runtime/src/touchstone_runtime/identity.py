"""What a client shows and what it trusts: settings name it, and `dialling` uses it.

gRPC is loaded with the first credentials that are made: a runner pod, which has settings and calls nobody, is one of a
thousand an hour, and each would wait for it.
"""

# gRPC ships few types; what comes out of it is annotated where it enters.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import grpc

# The value of `tls_ca` that stands for the authorities that this machine trusts.
SYSTEM = "system"


@dataclass(frozen=True)
class Identity:
    """What a client shows and what it trusts.

    Attributes:
        token: Text of the token; empty shows none.
        token_file: File that holds the token; read again when it changes.
        ca: PEM certificates that servers must come from; `SYSTEM` for those that the machine trusts; empty speaks
            plainly, which is right on one machine.
    """

    token: str = ""
    token_file: Path | None = None
    ca: str = ""

    @classmethod
    def of(cls, token: str = "", token_file: Path | None = None, tls_ca: str = "") -> Identity:
        """The identity that settings name; `tls_ca` is a PEM file or `SYSTEM`."""
        pem = tls_ca if tls_ca in ("", SYSTEM) else Path(tls_ca).read_text("utf-8", "replace")
        return cls(token, token_file, pem)

    def shown(self) -> str:
        """The token as it is now; empty where there is none."""
        if self.token or self.token_file is None:
            return self.token
        try:
            return self.token_file.read_text("utf-8").strip()
        except OSError:
            return ""

    def metadata(self) -> list[tuple[str, str]]:
        """What a call carries beside its request."""
        return as_token(self.shown())

    def credentials(self, address: str) -> grpc.ChannelCredentials | None:
        """TLS as it is due at an address; None speaks plainly."""
        if not self.ca or address.startswith("unix:"):
            return None
        import grpc

        return grpc.ssl_channel_credentials(None if self.ca == SYSTEM else self.ca.encode())


def as_token(text: str) -> list[tuple[str, str]]:
    """Metadata of a call that shows this token instead of the channel's own: it is made for whoever holds that one."""
    return [("authorization", f"Bearer {text}")] if text else []
