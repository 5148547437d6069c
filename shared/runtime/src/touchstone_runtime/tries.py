"""How often the messages of a partition were begun, in a few characters that lie beside the committed offset."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, cast

_MOST_CHARACTERS = 2000
# Of a range in a mark that something else wrote.
_MOST_OFFSETS = 100_000


@dataclass
class Tries:
    """Counts of begun and unfinished messages; read from the mark of an earlier process, written for a later one.

    Every message that was taken counts as begun once: most are done within milliseconds, and one mark for all of them
    costs nothing. After a crash they are begun a few at a time, each counted by itself.

    Attributes:
        process: Which process counts; another one each time it starts.
    """

    process: str = ""
    # Counts that stand for themselves; all else up to `until` was begun once.
    _before: dict[int, int] = field(default_factory=dict[int, int])
    _before_until: int = -1
    _counted: dict[int, int] = field(default_factory=dict[int, int])
    _until: int = -1

    @classmethod
    def read(cls, mark: str, process: str = "", own: Tries | None = None) -> Tries:
        """The counts that a mark holds; none for a mark that is not of this form.

        Args:
            mark: Beside the committed offset.
            process: Which process counts from now on.
            own: What this process counted when it had the partition last. Where the mark is of then, nobody ended
                since: what this process began itself says nothing against a message.
        """
        try:
            content: Any = json.loads(mark) if mark else {}
        except ValueError:
            return cls(process)
        if not isinstance(content, dict):
            return cls(process)
        fields = cast("dict[str, Any]", content)
        if own is not None and fields.get("by") == process:
            return cls(process, dict(own._before), own._before_until)
        try:
            # As marks were written before they had ranges.
            counts = {int(offset): int(count) for offset, count in fields.get("n", {}).items()}
            for count, ranges in fields.get("r", {}).items():
                counts |= dict.fromkeys(_offsets(ranges), int(count))
            return cls(process, counts, int(fields.get("to", -1)))
        except (AttributeError, TypeError, ValueError):
            return cls(process)

    def before(self, offset: int) -> int:
        """How often a message was begun and not ended by processes before."""
        return self._before.get(offset, 1 if offset <= self._before_until else 0)

    def begin_all(self, until: int) -> None:
        """Count everything up to an offset as begun once."""
        self._until = max(self._until, until)

    def begin(self, offset: int) -> None:
        """Count one message that was begun before."""
        self._counted[offset] = self.before(offset) + 1

    def end(self, offset: int) -> None:
        """Forget a message that is done."""
        self._counted.pop(offset, None)
        self._before.pop(offset, None)

    def forget(self, offset: int | None = None) -> None:
        """Take back what was counted, for one message or for all."""
        if offset is None:
            self._counted.clear()
            self._before.clear()
            self._until = self._before_until = -1
        else:
            self._counted.pop(offset, None)
            self._before[offset] = 0

    def mark(self, low: int) -> str:
        """The mark that belongs beside a committed offset; empty where nothing is begun."""
        counts = {offset: count for offset, count in {**self._before, **self._counted}.items() if offset >= low}
        until = max(self._until, self._before_until)
        content: dict[str, Any] = {"to": until} if until >= low else {}
        if not counts and not content:
            return ""
        content["by"] = self.process
        # What was begun most often ends processes most likely: where not all fits, it keeps its count.
        for count in sorted(set(counts.values()), reverse=True):
            told = content.get("r", {}) | {
                str(count): _ranges(sorted(each for each in counts if counts[each] == count))
            }
            if len(_written(content | {"r": told})) > _MOST_CHARACTERS:
                break
            content["r"] = told
        return _written(content)


def _ranges(offsets: list[int]) -> str:
    """Ascending offsets in few characters.

    Example:
        >>> _ranges([3, 4, 5, 9]), _offsets("3-5,9")
        ('3-5,9', [3, 4, 5, 9])
    """
    parts: list[list[int]] = []
    for offset in offsets:
        if parts and parts[-1][1] == offset - 1:
            parts[-1][1] = offset
        else:
            parts.append([offset, offset])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in parts)


def _offsets(ranges: str) -> list[int]:
    found: list[int] = []
    for part in filter(None, ranges.split(",")):
        first, _, last = part.partition("-")
        found += range(int(first), min(int(last or first), int(first) + _MOST_OFFSETS) + 1)
    return found


def _written(content: dict[str, Any]) -> str:
    return json.dumps(content, separators=(",", ":"))
