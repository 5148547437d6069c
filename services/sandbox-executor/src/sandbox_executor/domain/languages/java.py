"""Java: compiled in memory by the harness itself, in the sandbox, before the candidate's first line runs."""

from __future__ import annotations

from sandbox_executor.domain.languages.definition import COMMON_ENVIRONMENT, DeathSign, Language

_MIB = 1024 * 1024
_JVM = ("{runtime}", "-Xmx{heap_mib}m", "@{toolchain}/jvm.options")
_PROGRAM = "touchstone.Program"

LANGUAGE = Language(
    name="java",
    source_file="candidate.java",
    runtime="java",
    run=(*_JVM, "-jar", "{toolchain}/harness.jar"),
    execute=(*_JVM, "-cp", "{toolchain}/harness.jar", _PROGRAM, "run", "/work/.build"),
    environment=COMMON_ENVIRONMENT,
    execute_build=((*_JVM, "-cp", "{toolchain}/harness.jar", _PROGRAM, "build", "{source}", "/work/.build"),),
    memory_error_types=frozenset({"java.lang.OutOfMemoryError"}),
    death_signs=(
        DeathSign(r"java\.lang\.OutOfMemoryError", "memory", "java.lang.OutOfMemoryError"),
        DeathSign(r"There is insufficient memory for the Java Runtime", "memory", "JavaVirtualMachine"),
    ),
    memory_floor_bytes=192 * _MIB,
    processes_floor=32,
    # Classes, code and the collector live beside the heap.
    heap_share=0.6,
)
