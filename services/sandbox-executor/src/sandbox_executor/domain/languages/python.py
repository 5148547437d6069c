"""Python, the reference."""

from __future__ import annotations

from sandbox_executor.domain.languages.definition import Language

LANGUAGE = Language(
    name="python",
    source_file="candidate.py",
    runtime="python",
    # Both continue a warm interpreter instead of starting one.
    run=("{harness}/python/harness.py",),
    execute=("{source}",),
    memory_error_types=frozenset({"MemoryError"}),
    compile_error_types=frozenset({"SyntaxError", "IndentationError", "TabError", "EntryPointError"}),
)
