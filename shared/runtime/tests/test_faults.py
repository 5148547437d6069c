"""The table of faults, on the faults themselves."""

import errno

import asyncpg
import grpc
import pytest
import sqlalchemy as sa
from aiokafka.errors import (
    InvalidTimestampError,
    KafkaConnectionError,
    MessageSizeTooLargeError,
    NotLeaderForPartitionError,
)

from touchstone_runtime.errors import PermanentError, PreconditionError, RetryableError, SuspendedError
from touchstone_runtime.faults import (
    Fault,
    classify,
    code_fault,
    file_fault,
    is_the_messages,
    is_the_platforms,
    refused,
    rpc_fault,
)


def status(code, details=""):
    return grpc.aio.AioRpcError(code, grpc.aio.Metadata(), grpc.aio.Metadata(), details)


def database(original, **more):
    return sa.exc.DBAPIError("SELECT 1", {}, original, **more)


class Original(Exception):
    def __init__(self, sqlstate=None):
        super().__init__("as told")
        self.sqlstate = sqlstate


@pytest.mark.parametrize("code", list(grpc.StatusCode))
def test_every_status_has_one_verdict_and_the_adapters_error_has_the_same(code):
    error = status(code, "words")
    fault = rpc_fault(error, "sandbox-executor")
    assert classify(fault) is classify(error) is code_fault(code)
    assert "words" in str(fault) and "sandbox-executor" in str(fault)
    assert bool(refused(error)) is (code_fault(code) is Fault.FINAL)


def test_a_message_beyond_the_limit_is_no_busy_server():
    assert code_fault(grpc.StatusCode.RESOURCE_EXHAUSTED, "Received message larger than max (5 vs. 4)") is Fault.FINAL
    assert code_fault(grpc.StatusCode.RESOURCE_EXHAUSTED, "too many requests") is Fault.WAIT


@pytest.mark.parametrize(
    ("error", "fault"),
    [
        (database(Original("57P01")), Fault.WAIT),
        (database(Original("53300")), Fault.WAIT),
        (database(Original("08006")), Fault.WAIT),
        (database(Original("28P01")), Fault.WAIT),
        # Read-only for now: it is being moved, or its disk is full.
        (database(Original("25006")), Fault.WAIT),
        (database(Original("40001")), Fault.RETRY),
        (database(Original("22021")), Fault.FINAL),
        (database(Original(), connection_invalidated=True), Fault.WAIT),
        (database(Original()), Fault.RETRY),
        (sa.exc.TimeoutError("pool"), Fault.WAIT),
        (asyncpg.exceptions.CannotConnectNowError("the database system is starting up"), Fault.WAIT),
        (asyncpg.exceptions.InterfaceError("connection is closed"), Fault.WAIT),
        (KafkaConnectionError("away"), Fault.WAIT),
        (NotLeaderForPartitionError("moving"), Fault.WAIT),
        (InvalidTimestampError("from tomorrow"), Fault.WAIT),
        (MessageSizeTooLargeError("large"), Fault.FINAL),
        (OSError(28, "No space left on device"), Fault.WAIT),
        (FileNotFoundError(2, "no such file"), Fault.RETRY),
        (file_fault(OSError(5, "io"), "blobs"), Fault.WAIT),
        (ExceptionGroup("publishing", [KafkaConnectionError("away"), RetryableError("x")]), Fault.WAIT),
        (
            ExceptionGroup("publishing", [ExceptionGroup("inner", [PermanentError("x")]), RetryableError("x")]),
            Fault.FINAL,
        ),
        (ExceptionGroup("publishing", [RetryableError("x")]), Fault.RETRY),
        (SuspendedError("x"), Fault.WAIT),
        (MemoryError(), Fault.RETRY),
    ],
)
def test_faults_are_told_apart(error, fault):
    assert classify(error) is fault


@pytest.mark.parametrize(
    ("error", "messages"),
    [
        (PermanentError("no such suite"), True),
        (database(Original("22021")), True),
        (status(grpc.StatusCode.INVALID_ARGUMENT), True),
        (ExceptionGroup("two", [PermanentError("x"), PermanentError("y")]), True),
        (ExceptionGroup("two", [PermanentError("x"), TypeError("y")]), False),
        (RetryableError("busy"), False),
        (TypeError("a defect"), False),
        (PreconditionError("a model is missing"), False),
        (UnicodeDecodeError("utf-8", b"x", 0, 1, "no text"), False),
    ],
)
def test_only_what_is_the_messages_own_fault_is_laid_at_its_door(error, messages):
    assert is_the_messages(error) is messages


@pytest.mark.parametrize(
    ("error", "platforms"),
    [
        (RetryableError("late"), True),
        (SuspendedError("away"), True),
        (ConnectionResetError("away"), True),
        (OSError(errno.ENOSPC, "full"), True),
        (NotLeaderForPartitionError(), True),
        (database(Original("40001")), True),
        (database(Original("22021")), False),
        (TypeError("none of these"), False),
        (UnicodeEncodeError("utf-8", "\udce9", 0, 1, "no"), False),
        (PermanentError("no"), False),
        (OSError(errno.ENOENT, "gone"), False),
    ],
)
def test_a_fault_is_the_platform_s_where_the_same_work_may_be_done_later(error, platforms):
    assert is_the_platforms(error) is platforms
