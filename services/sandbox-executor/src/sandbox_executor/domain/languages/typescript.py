"""TypeScript on Node, which strips or transforms the types itself; the compiler proper only checks."""

from __future__ import annotations

from sandbox_executor.domain.languages.definition import COMMON_ENVIRONMENT, Language
from sandbox_executor.domain.languages.javascript import NODE, NODE_DEATHS, PRELOADED

_MIB = 1024 * 1024
_CHECK = (
    "{runtime}",
    "--max-old-space-size={heap_mib}",
    "{harness}/typescript/typecheck.js",
    "{toolchain}",
    "{source}",
)
_RESOLVING = "{harness}/typescript/resolving.js"
_TRANSPILE = (*NODE, "{harness}/typescript/transpile.js", "{source}")

LANGUAGE = Language(
    name="typescript",
    source_file="candidate.ts",
    runtime="node",
    run=(*NODE, "{harness}/javascript/main.js"),
    execute=(*NODE, *PRELOADED, "--require", _RESOLVING, "--experimental-transform-types", "{source}"),
    environment=COMMON_ENVIRONMENT,
    build_checked=(_CHECK,),
    execute_build=(_TRANSPILE,),
    execute_build_checked=(_CHECK, _TRANSPILE),
    death_signs=NODE_DEATHS,
    memory_floor_bytes=128 * _MIB,
    processes_floor=16,
)
