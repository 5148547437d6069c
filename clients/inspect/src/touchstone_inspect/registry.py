"""What Inspect finds by the entry point: the task, its scorer and the sandbox provider."""

from touchstone_inspect.provider import TouchstoneSandbox
from touchstone_inspect.tasks import release, suite

__all__ = ["TouchstoneSandbox", "release", "suite"]
