"""Why a broker does not take us.

The client library says it in its log, and to its caller only that no broker was reached.
"""

# The Kafka library ships few types; what comes out of it is annotated where it enters.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

import ssl
from typing import Any

from aiokafka.conn import collect_hosts, create_conn
from aiokafka.errors import (
    IllegalSaslStateError,
    KafkaConnectionError,
    KafkaError,
    SaslAuthenticationFailed,
    UnsupportedSaslMechanismError,
)
from aiokafka.protocol.metadata import MetadataRequest

from touchstone_runtime.errors import PreconditionError, TouchstoneError
from touchstone_runtime.faults import DependencyAwayError
from touchstone_runtime.kafka_access import KafkaAccess

_PROBE_MS = 3000


async def refusal(access: KafkaAccess) -> TouchstoneError | None:
    """Why a broker that is there does not take us, by the setting at fault; None where it does, or is away.

    Args:
        access: Where the broker is, and what we show there.
    """
    for host, port, _family in collect_hosts(access.bootstrap):
        try:
            connection: Any = await create_conn(host, port, request_timeout_ms=_PROBE_MS, **access.shown())
        except (OSError, KafkaError) as error:
            if (meant := _meaning(access, error, f"{host}:{port}")) is not None:
                return meant
            continue
        try:
            await connection.send(MetadataRequest([]))
        except (OSError, KafkaError) as error:
            # A time limit that passes is an OSError as well: that broker is away, and another may be there.
            if (meant := _meaning(access, error, f"{host}:{port}")) is not None:
                return meant
        finally:
            connection.close()
    return None


def _meaning(access: KafkaAccess, error: OSError | KafkaError, broker: str) -> TouchstoneError | None:
    """The error that names the setting at fault; None where the broker is merely away."""
    match error:
        case ssl.SSLCertVerificationError():
            trusted = f"TOUCHSTONE_KAFKA_CA={access.ca}" if access.ca else "TOUCHSTONE_KAFKA_CA"
            return PreconditionError(
                f"the certificate of the broker {broker} is not trusted: {error.verify_message.rstrip('.')}",
                thing=trusted,
                way_out="name the PEM file of the authority that it is from, and brokers by the names in it",
            )
        case SaslAuthenticationFailed():
            source = f"_FILE={access.password_file}" if access.password_file and not access.password else ""
            return PreconditionError(
                f"the broker {broker} does not take {access.user} (TOUCHSTONE_KAFKA_USER) with this password",
                thing=f"TOUCHSTONE_KAFKA_PASSWORD{source}",
                way_out="set both as the broker has them",
            )
        case UnsupportedSaslMechanismError():
            return PreconditionError(
                f"the broker {broker} does not take passwords by {access.mechanism}",
                thing="TOUCHSTONE_KAFKA_SASL_MECHANISM",
                way_out="name the mechanism that its listener has",
            )
        case IllegalSaslStateError() | KafkaConnectionError() | ssl.SSLError() | ConnectionResetError():
            return DependencyAwayError(
                f"the broker {broker} hangs up on {access.protocol}",
                thing="TOUCHSTONE_KAFKA_SECURITY_PROTOCOL",
                way_out="name what its listener speaks: PLAINTEXT, SSL, SASL_PLAINTEXT or SASL_SSL",
            )
        case _:
            return None
