"""Go: compiled and linked in the sandbox by the bare tools, offline, against packages that are compiled already."""

from __future__ import annotations

from sandbox_executor.domain.languages.definition import COMMON_ENVIRONMENT, DeathSign, Language

_MIB = 1024 * 1024
_BUILD = "{toolchain}/gobuild"
_BINARY = "/tmp/program"

LANGUAGE = Language(
    name="go",
    source_file="candidate.go",
    runtime="go",
    run=(_BINARY,),
    execute=(_BINARY,),
    environment={**COMMON_ENVIRONMENT, "GOMEMLIMIT": "{heap_mib}MiB"},
    build=((_BUILD, "cases", "{toolchain}", "{root}", "{source}", "{entry}", _BINARY),),
    execute_build=((_BUILD, "program", "{toolchain}", "{root}", "/work", _BINARY),),
    death_signs=(
        DeathSign(r"goroutine stack exceeds \d+-byte limit", "raised", "StackOverflow"),
        DeathSign(r"fatal error: (runtime: )?(out of memory|cannot allocate memory)", "memory", "runtime.Error"),
        DeathSign(r"(?m)^panic: .*", "raised", "panic"),
        DeathSign(r"(?m)^fatal error: .*", "raised", "runtime.Error"),
    ),
    # The compiler and the linker need more than most candidates.
    memory_floor_bytes=192 * _MIB,
    processes_floor=24,
    heap_share=0.8,
)
