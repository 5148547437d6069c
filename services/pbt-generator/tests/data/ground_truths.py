"""Ground truths of the tests: read as text, never imported. Each function stands alone with the imports above it."""

import datetime
import math
import re
from collections import Counter, defaultdict
from typing import Any


def shorten(text: str, width: int, marker: str = "...") -> str:
    """Cut a text to a width, ending in a marker where something was cut."""
    if width <= 0:
        return ""
    if len(text) <= width:
        return text
    if len(marker) >= width:
        return text[:width]
    return text[: width - len(marker)] + marker


def human_size(count: int) -> str:
    if count < 1024:
        return f"{count} B"
    size = float(count)
    for unit in ("KiB", "MiB", "GiB"):
        size /= 1024
        if size < 1024:
            return f"{size:.1f} {unit}"
    return f"{size / 1024:.1f} TiB"


def parse_duration(text):
    """Read a duration.

    Examples:
        >>> parse_duration("1h 30m")
        5400
    """
    total = 0
    for part in text.split():
        unit = part[-1:]
        number = part[:-1]
        if not number.isdigit():
            raise ValueError(f"bad part: {part}")
        if unit == "h":
            total += int(number) * 3600
        elif unit == "m":
            total += int(number) * 60
        elif unit == "s":
            total += int(number)
        else:
            raise ValueError(f"bad unit: {unit}")
    return total


def merge_intervals(intervals):
    merged = []
    for start, end in sorted(intervals):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged


def group_by_status(records: list[dict[str, Any]]) -> dict[str, list[str]]:
    groups = {}
    for record in records:
        status = record.get("status", "unknown")
        name = record["name"].strip()
        if not name:
            continue
        groups.setdefault(status, []).append(name)
    return groups


def balanced(text: str) -> bool:
    pairs = {")": "(", "]": "[", "}": "{"}
    stack = []
    for char in text:
        if char in "([{":
            stack.append(char)
        elif char in pairs:
            if not stack or stack.pop() != pairs[char]:
                return False
    return not stack


def run_lengths(items):
    result = []
    previous = None
    count = 0
    for item in items:
        if count and item == previous:
            count += 1
        else:
            if count:
                result.append([previous, count])
            previous, count = item, 1
    if count:
        result.append([previous, count])
    return result


def snake_case(name: str) -> str:
    parts = []
    for index, char in enumerate(name):
        if char.isupper() and index and not name[index - 1].isupper():
            parts.append("_")
        parts.append(char.lower())
    return "".join(parts)


def median_of(values: list[float]) -> float | None:
    if not values:
        return None
    ordered = sorted(values)
    middle = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[middle]
    return (ordered[middle - 1] + ordered[middle]) / 2


def parse_pairs(line: str, separator: str = "=") -> dict[str, str]:
    pairs = {}
    for piece in line.split(","):
        if separator not in piece:
            continue
        key, value = piece.split(separator, 1)
        key = key.strip()
        if key and not key.startswith("#"):
            pairs[key] = value.strip()
    return pairs


def flatten(value):
    if isinstance(value, list):
        flat = []
        for item in value:
            flat.extend(flatten(item))
        return flat
    return [value]


def grade(score: int) -> str:
    if score < 0 or score > 100:
        raise ValueError("score out of range")
    if score >= 90:
        return "A"
    if score >= 75:
        return "B"
    if score >= 50:
        return "C"
    return "F"


def compare_versions(first: str, second: str) -> int:
    left = [int(part) for part in first.split(".")]
    right = [int(part) for part in second.split(".")]
    while len(left) < len(right):
        left.append(0)
    while len(right) < len(left):
        right.append(0)
    if left == right:
        return 0
    return 1 if left > right else -1


def digit_sum(number: int, base: int = 10) -> int:
    number = abs(number)
    total = 0
    while number:
        number, digit = divmod(number, base)
        total += digit
    return total


def rotate(items: list, steps: int) -> list:
    if not items:
        return []
    steps %= len(items)
    return items[-steps:] + items[:-steps] if steps else list(items)


def classify_triangle(a: float, b: float, c: float) -> str:
    if a <= 0 or b <= 0 or c <= 0:
        return "impossible"
    if a + b <= c or a + c <= b or b + c <= a:
        return "impossible"
    if a == b == c:
        return "equilateral"
    if a == b or b == c or a == c:
        return "isosceles"
    return "scalene"


def diff_maps(old: dict, new: dict) -> dict:
    changes = {"added": [], "removed": [], "changed": []}
    for key in new:
        if key not in old:
            changes["added"].append(key)
        elif old[key] != new[key]:
            changes["changed"].append(key)
    for key in old:
        if key not in new:
            changes["removed"].append(key)
    return changes


def safe_number(text, default=None):
    """Read a number, or give the default.

    Args:
        text (str): What to read.
        default (int, optional): Given when nothing can be read.
    """
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return default


def normalise_command(command: str) -> str:
    match command.strip().lower().split():
        case []:
            return "nothing"
        case ["go", direction] if direction in ("north", "south"):
            return f"move {direction}"
        case ["take", thing, *rest]:
            return f"take {thing}" + (f" and {len(rest)} more" if rest else "")
        case ["quit" | "exit"]:
            return "end"
        case _:
            return "unknown"


def longest_common_prefix(words: list[str]) -> str:
    if not words:
        return ""
    shortest = min(words, key=len)
    for index, char in enumerate(shortest):
        for other in words:
            if other[index] != char:
                return shortest[:index]
    return shortest


def transpose(table: list[list[int]]) -> list[list[int]]:
    if not table:
        return []
    width = min(len(row) for row in table)
    return [[row[column] for row in table] for column in range(width)]


def clamp_all(values: list[int], low: int, high: int) -> list[int]:
    if low > high:
        low, high = high, low
    return [low if value < low else high if value > high else value for value in values]


def roman(number: int) -> str:
    if not 0 < number < 4000:
        raise ValueError("out of range")
    table = [
        (1000, "M"),
        (900, "CM"),
        (500, "D"),
        (400, "CD"),
        (100, "C"),
        (90, "XC"),
        (50, "L"),
        (40, "XL"),
        (10, "X"),
        (9, "IX"),
        (5, "V"),
        (4, "IV"),
        (1, "I"),
    ]
    text = ""
    for value, letters in table:
        while number >= value:
            text += letters
            number -= value
    return text


def strip_comments(source: str) -> str:
    kept = []
    for line in source.splitlines():
        bare = line.split("#", 1)[0].rstrip()
        if bare:
            kept.append(bare)
    return "\n".join(kept)


def leap_days(first: int, last: int) -> int:
    count = 0
    for year in range(first, last + 1):
        if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0):
            count += 1
    return count


def weekday_name(day: datetime.date) -> str:
    if day.weekday() >= 5:
        return "weekend"
    return day.strftime("%A")


def age_in_years(born: str, today: str) -> int:
    start = datetime.datetime.strptime(born, "%Y-%m-%d").date()
    end = datetime.datetime.strptime(today, "%Y-%m-%d").date()
    years = end.year - start.year
    if (end.month, end.day) < (start.month, start.day):
        years -= 1
    return years


def extract_versions(text: str) -> list[str]:
    found = []
    for match in re.finditer(r"v(\d+)\.(\d+)(?:\.(\d+))?", text):
        major, minor, patch = match.groups()
        found.append(".".join([major, minor, patch or "0"]))
    return found


def top_words(text: str, count: int) -> list:
    words = Counter(word.lower().strip(".,!?") for word in text.split())
    words.pop("", None)
    return [word for word, _ in sorted(words.items(), key=lambda item: (-item[1], item[0]))[:count]]


def index_by_letter(words: list[str]) -> dict:
    index = defaultdict(list)
    for word in words:
        if word:
            index[word[0].upper()].append(word)
    return dict(index)


def distance(a, b):
    return math.sqrt((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2)


def mask_email(address: str) -> str:
    if not re.fullmatch(r"[\w.]+@[\w.]+\.\w+", address):
        return "invalid"
    name, _, domain = address.partition("@")
    hidden = name[0] + "*" * (len(name) - 2) + name[-1] if len(name) > 2 else "*" * len(name)
    return f"{hidden}@{domain}"


def hash_order(words: list[str]) -> list[str]:
    return [word for word in {word.lower() for word in words}]


def always_the_same(value: int) -> str:
    if value > 10:
        return "ok"
    return "ok"


def takes_a_function(function, items):
    return [function(item) for item in items]


def gives_a_lambda(step: int):
    return lambda value: value + step


def unreachable_arm(text: str) -> int:
    doubled = text + text
    if len(doubled) % 2 == 1:
        return -1
    return len(doubled)
