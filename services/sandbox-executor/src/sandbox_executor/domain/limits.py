"""What a job may use."""

from __future__ import annotations

from dataclasses import dataclass, fields

_MIB = 1024 * 1024


@dataclass(frozen=True)
class Limits:
    """Upper bounds of one job.

    Attributes:
        case_timeout_s: Wall-clock seconds of one case, and of loading the candidate at least ten.
        total_timeout_s: Wall-clock seconds of the whole job, compilation and start included.
        memory_bytes: Memory of all processes together, files in memory included.
        output_bytes: What one case, the loading before them, or one program may print.
        processes: Processes and threads alive at a time.
    """

    case_timeout_s: float
    total_timeout_s: float
    memory_bytes: int
    output_bytes: int
    processes: int


DEFAULT = Limits(5.0, 120.0, 512 * _MIB, 4 * _MIB, 64)
MAXIMUM = Limits(120.0, 1800.0, 4096 * _MIB, 64 * _MIB, 512)
# Below these a runtime cannot even start, so that a smaller limit could only mislead.
MINIMUM = Limits(0.01, 0.05, 32 * _MIB, 1024, 1)


class LimitError(ValueError):
    """A limit lies outside of what the service offers."""


def resolve(asked: dict[str, float | int], default: Limits = DEFAULT, maximum: Limits = MAXIMUM) -> Limits:
    """Fill in defaults for what is zero.

    Args:
        asked: By field name; zero or absent means the default.
        default: What is used instead of zero.
        maximum: Largest values that are granted.

    Raises:
        LimitError: a value is negative, not a number, or above the maximum.
    """
    chosen: dict[str, float | int] = {}
    for field in fields(Limits):
        value = asked.get(field.name, 0)
        most, least = getattr(maximum, field.name), getattr(MINIMUM, field.name)
        if value == 0:
            chosen[field.name] = min(getattr(default, field.name), most)
        elif least <= value <= most:
            chosen[field.name] = value
        else:
            raise LimitError(f"{field.name} is {value}; it must lie between {least} and {most}")
    if not asked.get("total_timeout_s", 0):
        chosen["total_timeout_s"] = max(chosen["total_timeout_s"], chosen["case_timeout_s"])
    return Limits(**chosen)  # type: ignore[arg-type]
