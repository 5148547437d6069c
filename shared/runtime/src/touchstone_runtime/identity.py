"""What a client shows and what it trusts: settings name it, and `dialling` uses it.

gRPC is loaded with the first credentials that are made: a runner pod, which has settings and calls nobody, is one of a
thousand an hour, and each would wait for it.
"""

# gRPC ships few types; what comes out of it is annotated where it enters.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from touchstone_runtime.errors import PreconditionError

if TYPE_CHECKING:
    import grpc

# The value of `tls_ca` that stands for the authorities that this machine trusts.
SYSTEM = "system"
# Tokens of others who stand before a platform may be longer than ours; a header holds no more of them.
_SENDABLE = re.compile("[!-~]{1,8000}")
_NO_TOKEN = "no-token"


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
        """The identity that settings name; `tls_ca` is a PEM file or `SYSTEM`.

        Raises:
            PreconditionError: the file cannot be read, or holds no certificate.
        """
        return cls(token, token_file, tls_ca if tls_ca in ("", SYSTEM) else _authority(tls_ca))

    def shown(self) -> str:
        """The text of the token as it is now; empty where there is none. Whether it is one is seen when it is shown."""
        if self.token or self.token_file is None:
            return self.token
        try:
            # Editors may put a mark before it.
            return self.token_file.read_text("utf-8-sig", "replace").strip()
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
    """Metadata of a call that shows this token instead of the channel's own: it is made for whoever holds that one.

    Of a text that no header carries nothing is sent: servers are shown one that none of them knows, and say so. gRPC
    would fail in words of its own, which say nothing of tokens, and without any the channel's own would be shown.
    """
    if not text:
        return []
    return [("authorization", f"Bearer {text if _SENDABLE.fullmatch(text) else _NO_TOKEN}")]


def _authority(file: str) -> str:
    import ssl

    try:
        pem = Path(file).read_text("utf-8", "replace")
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cafile=file)
    except OSError as error:
        why = "it holds no certificate" if isinstance(error, ssl.SSLError) else error.strerror
        raise PreconditionError(
            f"cannot be used as an authority: {why}", thing=file, way_out="correct TOUCHSTONE_TLS_CA"
        ) from error
    return pem
