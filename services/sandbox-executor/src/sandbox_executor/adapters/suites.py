"""Suites in the blob store."""

from __future__ import annotations

from sandbox_executor.errors import JobRefusedError
from sandbox_executor.ports import StoredSuite
from touchstone_contracts.suite import Suite
from touchstone_runtime.blobs import BlobStore


def read_suite(data: bytes) -> StoredSuite:
    """Read a suite's bytes.

    Raises:
        JobRefusedError: they are none.
    """
    try:
        suite = Suite.from_bytes(data)
    except ValueError as error:
        raise JobRefusedError(f"not a suite: {str(error)[:300]}", thing="suite") from error
    return StoredSuite(
        suite.comparison,
        suite.entry_point,
        tuple(case.arguments for case in suite.cases),
        tuple(case.expected for case in suite.cases),
    )


class BlobSuites:
    """Reads suites by digest; see the port."""

    def __init__(self, blobs: BlobStore) -> None:
        self._blobs = blobs

    async def load(self, digest: str) -> StoredSuite:
        """Read a suite."""
        return read_suite(await self._blobs.get(digest))
