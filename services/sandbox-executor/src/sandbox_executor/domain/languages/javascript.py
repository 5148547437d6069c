"""JavaScript on Node."""

from __future__ import annotations

from sandbox_executor.domain.languages.definition import COMMON_ENVIRONMENT, DeathSign, Language

_MIB = 1024 * 1024

NODE = ("{runtime}", "--max-old-space-size={heap_mib}", "--disable-warning=ExperimentalWarning")
PRELOADED = ("--require", "{harness}/javascript/blocking.js", "--require", "{harness}/javascript/parsing.js")
NODE_DEATHS = (DeathSign(r"FATAL ERROR: [^\n]{0,200}?(heap out of memory|Allocation failed)", "memory", "HeapLimit"),)

LANGUAGE = Language(
    name="javascript",
    source_file="candidate.js",
    runtime="node",
    run=(*NODE, "{harness}/javascript/main.js"),
    execute=(*NODE, *PRELOADED, "{source}"),
    environment=COMMON_ENVIRONMENT,
    death_signs=NODE_DEATHS,
    memory_floor_bytes=96 * _MIB,
    processes_floor=16,
    # The engine needs room beside the heap: code, stacks, buffers.
    heap_share=0.75,
)
