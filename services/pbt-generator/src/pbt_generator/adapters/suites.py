"""Freezes suites in the contracts' canonical form."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from pbt_generator.ports import Comparison, FrozenSuite, OpenedSuite
from touchstone_contracts.envelope import content_id
from touchstone_contracts.suite import Case, Suite


class ContractFreezer:
    """Implements the `Freezer` port with `touchstone_contracts`."""

    def freeze(
        self, comparison: Comparison, entry_point: str, seed: int, cases: Sequence[tuple[str, str]]
    ) -> FrozenSuite:
        """The canonical form of a suite."""
        frozen = tuple(Case(arguments=arguments, expected=expected) for arguments, expected in cases)
        data = Suite(comparison=comparison, entry_point=entry_point, seed=seed, cases=frozen).to_bytes()
        return FrozenSuite(data, hashlib.sha256(data).hexdigest())

    def open(self, data: bytes) -> OpenedSuite:
        """Read a frozen suite."""
        suite = Suite.from_bytes(data)
        cases = tuple((case.arguments, case.expected) for case in suite.cases)
        return OpenedSuite(suite.comparison, suite.entry_point, cases)

    def task_id(self, function_id: str, suite_digest: str, builder: str) -> str:
        """The id of a task."""
        return content_id("task", function_id, suite_digest, builder)
