"""Runtimes of the languages on this machine, and what is built for them beforehand from our own sources."""

from sandbox_executor.adapters.toolchains.catalogue import Toolchains
from sandbox_executor.adapters.toolchains.runtimes import RuntimePaths

__all__ = ["RuntimePaths", "Toolchains"]
