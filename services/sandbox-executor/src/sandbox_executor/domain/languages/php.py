"""PHP: our own, fetched once, or the one that settings name."""

from __future__ import annotations

from sandbox_executor.domain.languages.definition import COMMON_ENVIRONMENT, DeathSign, Language

_MIB = 1024 * 1024
_PHP = (
    "{runtime}",
    "-d", "memory_limit={heap_mib}M",
    "-d", "display_errors=stderr",
    "-d", "log_errors=0",
    "-d", "html_errors=0",
    "-d", "serialize_precision=-1",
    "-d", "opcache.enable_cli=0",
    "-d", "date.timezone=UTC",
)  # fmt: skip

LANGUAGE = Language(
    name="php",
    source_file="candidate.php",
    runtime="php",
    run=(*_PHP, "{harness}/php/main.php"),
    execute=(*_PHP, "{source}"),
    environment={**COMMON_ENVIRONMENT, "LD_LIBRARY_PATH": "{root}/lib"},
    execute_build=(("{runtime}", "-d", "display_errors=stderr", "-d", "log_errors=0", "-l", "{source}"),),
    death_signs=(
        DeathSign(r"Allowed memory size of \d+ bytes exhausted", "memory", "MemoryLimit"),
        DeathSign(r"(PHP )?Fatal error:\s+Uncaught .*", "raised", "Error"),
        DeathSign(r"(PHP )?(Fatal|Parse) error: .*", "exited", "FatalError", while_loading="compile_error"),
    ),
    memory_floor_bytes=32 * _MIB,
    processes_floor=1,
    heap_share=0.8,
)
