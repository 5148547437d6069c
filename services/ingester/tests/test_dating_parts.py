"""What is made of several functions is as old as most of its code."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from touchstone_runtime.forms import MADE_FORMS


def days(world, number):
    return world.now - timedelta(days=number)


async def made(world, qualname):
    """What was made of a function or method, as it was told."""
    source = await world.ingestion.add("package", "shelf")
    await world.ingestion.ingest(source.source_id)
    told = [each for each in world.heard.functions if each.found.form in MADE_FORMS and each.found.qualname == qualname]
    assert len(told) == 1
    return told[0]


OLD_BODY = """
    words = text.strip().split(",")
    total = 0
    for position, word in enumerate(words):
        if not word:
            continue
        if word.startswith("-"):
            total -= int(word[1:]) * (position + 1)
        else:
            total += int(word) * (position + 1)
    return total
"""
MOVED = (
    f"def _total(text):{OLD_BODY}\n\ndef total(text, empty=0):\n    return empty if text is None else _total(text)\n"
)
METHODS = f"""
class Text:
    def __init__(self, text):
        self.text = text

    def _total(self, text):{OLD_BODY.replace(chr(10), chr(10) + "    ")}
    def total(self, empty=0):
        return empty if self.text is None else self._total(self.text)
"""


async def test_code_that_moved_into_a_helper_is_as_old_as_it_was(world):
    world.shelf.files = {"a.py": MOVED}
    world.shelf.past = {"0.8": (days(world, 900), {"b.py": f"def total(text):{OLD_BODY}"})}
    item = await made(world, "total")
    assert (item.rejected_by, item.dating.version) == ("outside_window", "0.8")


async def test_code_that_moved_into_a_helper_of_another_file_is_as_old_as_it_was(world):
    main = "from .helpers import _total\nfrom . import names\n" + MOVED.partition("\n\n\n")[2]
    helper = MOVED.partition("\n\n\n")[0].replace("return total", "return total + names.BASE")
    world.shelf.files = {
        "pkg/__init__.py": "", "pkg/names.py": "BASE = 1\n", "pkg/main.py": main,
        "pkg/helpers.py": "from . import names\n" + helper,
    }  # fmt: skip
    world.shelf.past = {"0.8": (days(world, 900), {"a.py": helper.replace("_total", "total")})}
    assert (await made(world, "total")).rejected_by == "outside_window"


async def test_a_method_s_code_that_moved_into_another_one_is_as_old_as_it_was(world):
    world.shelf.files = {"a.py": METHODS}
    world.shelf.past = {"0.8": (days(world, 900), {"a.py": METHODS.partition("    def total")[0]})}
    item = await made(world, "Text.total")
    assert (item.rejected_by, item.dating.version) == ("outside_window", "0.8")


async def test_a_new_function_that_calls_a_small_old_one_is_new(world):
    small = "def _half(x):\n    return x / 2\n"
    world.shelf.files = {"a.py": small + f"def total(text):{OLD_BODY.replace('total = 0', 'total = _half(0)')}"}
    world.shelf.past = {"0.8": (days(world, 900), {"a.py": small})}
    item = await made(world, "total")
    assert (item.rejected_by, item.dating.version, item.dating.absent_from) == ("", "1.0", "0.8")


async def test_a_repository_s_code_that_moved_into_a_helper_is_as_old_as_it_was(world):
    world.shelf.files = {"a.py": MOVED}
    world.shelf.dates = {"a.py": [days(world, 2)] * MOVED.count("\n")}
    world.shelf.history = {"other.py": f"def total(text):{OLD_BODY}"}
    world.shelf.version = replace(world.shelf.version, released_at=None)
    repository = await world.ingestion.add("git", "https://example.org/r.git")
    await world.ingestion.ingest(repository.source_id)
    told = {(each.found.form, each.found.name): each.rejected_by for each in world.heard.functions}
    assert told["slice", "total"] == "outside_window"


async def test_a_form_feed_before_a_slice_moves_none_of_its_lines(world):
    helper, entry = MOVED.split("\n\n\n")
    text = f"{helper}\n\f\n\f\n{entry}"
    world.shelf.files = {"a.py": text}
    old, new = days(world, 900), days(world, 2)
    world.shelf.dates = {"a.py": [old] * text.count("\n")}
    world.shelf.dates["a.py"][-1] = new
    world.shelf.version = replace(world.shelf.version, released_at=None)
    source = await world.ingestion.add("git", "https://example.org/r.git")
    await world.ingestion.ingest(source.source_id)
    told = {item.found.form: item.changed_at for item in world.heard.functions if item.found.name == "total"}
    assert told["slice"] == new


STACK = """class Stack:
    def __init__(self):
        self.items = []
        self.low = None

    def push(self, x):
        self.items.append(x)
        if self.low is None or x < self.low:
            self.low = x
        return len(self.items)

    def pop(self):
        if not self.items:
            return None
        x = self.items.pop()
        self.low = min(self.items) if self.items else None
        return x
"""
PRIVATE = """
    @staticmethod
    def _to_html(items, title, css):
        lines = ["<html>", "<head><title>%s</title>" % title, "<style>%s</style>" % css, "</head>", "<body><ul>"]
        for number, item in enumerate(items):
            lines.append("<li id='item-%d'>%s</li>" % (number, item))
        lines.append("</ul></body></html>")
        if css and not title:
            lines.insert(0, css.strip().lower())
        return "\\n".join(lines)
"""
PUBLIC = (
    PRIVATE.replace("    @staticmethod\n", "")
    .replace("_to_html(items", "to_html(self")
    .replace("enumerate(items)", "enumerate(self.items)")
)


async def test_a_method_that_a_sequence_leaves_out_makes_it_no_newer(world):
    world.shelf.files = {"a.py": STACK + PRIVATE}
    world.shelf.past = {"0.8": (days(world, 900), {"b.py": STACK})}
    item = await made(world, "Stack")
    assert "_to_html" not in item.found.code
    assert (item.rejected_by, item.dating.version) == ("outside_window", "0.8")


async def test_a_sequence_that_is_new_for_the_most_part_is_new(world):
    world.shelf.files = {"a.py": STACK + PUBLIC}
    world.shelf.past = {"0.8": (days(world, 900), {"b.py": STACK})}
    item = await made(world, "Stack")
    assert (item.rejected_by, item.dating.version, item.dating.absent_from) == ("", "1.0", "0.8")


async def test_a_repository_s_sequence_is_not_as_new_as_a_method_that_it_leaves_out(world):
    world.shelf.files = {"a.py": STACK + PRIVATE}
    old, new = days(world, 900), days(world, 2)
    world.shelf.dates = {"a.py": [old] * STACK.count("\n") + [new] * PRIVATE.count("\n")}
    world.shelf.version = replace(world.shelf.version, released_at=None)
    source = await world.ingestion.add("git", "https://example.org/r.git")
    await world.ingestion.ingest(source.source_id)
    (item,) = [each for each in world.heard.functions if each.found.form == "sequence"]
    assert (item.changed_at, item.rejected_by) == (old, "outside_window")


REWRITTEN = {
    "total": "def total(x):\n    return names.LIMIT if x > names.LIMIT else x\n",
    "total_of": "def total_of(x):\n    for each in x:\n        if each > names.LIMIT:\n            return names.LIMIT\n"
    "    return 0\n",
}
COUNTER = """
class Counter:
    def __init__(self):
        self.count = 0

    def add(self, number):
        if number > names.LIMIT:
            self.count = names.LIMIT
        return self.count

    def get(self):
        return min(names.LIMIT, self.count)
"""


async def test_a_slice_whose_names_were_rewritten_is_as_old_as_what_its_file_has(world):
    text = "from . import names\n\n\n" + "\n\n".join(REWRITTEN.values())
    world.shelf.files = {"pkg/__init__.py": "", "pkg/names.py": "LIMIT = 3\n", "pkg/a.py": text}
    world.shelf.past = {"0.8": (days(world, 900), {"pkg/b.py": text})}
    for name in REWRITTEN:
        item = await made(world, name)
        assert "names" not in item.found.code
        assert (item.rejected_by, item.dating.version) == ("outside_window", "0.8")
        world.heard.functions.clear()
        world.shelf.version = replace(world.shelf.version, version="1.1")


async def test_a_sequence_whose_names_were_rewritten_is_as_old_as_what_its_file_has(world):
    text = "from . import names\n\n" + COUNTER
    world.shelf.files = {"pkg/__init__.py": "", "pkg/names.py": "LIMIT = 3\n", "pkg/a.py": text}
    world.shelf.past = {"0.8": (days(world, 900), {"pkg/b.py": text})}
    item = await made(world, "Counter")
    assert "names" not in item.found.code
    assert (item.rejected_by, item.dating.version) == ("outside_window", "0.8")
