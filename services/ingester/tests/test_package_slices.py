"""Functions cut out with what they need of other files of their package."""

from __future__ import annotations

import importlib
import random
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from ingester.domain.analysis import FoundFunction, analyse_file, fingerprint_of
from ingester.domain.identity import function_id
from ingester.domain.libraries import default_libraries
from ingester.domain.packages import Package
from ingester.domain.reading import parse

Cut = Callable[..., FoundFunction | None]


@dataclass(frozen=True, eq=False)
class Texts:
    """Files in memory."""

    files: Mapping[str, str]

    def paths(self) -> list[str]:
        return sorted(self.files)

    def read(self, path: str) -> bytes | None:
        return self.files[path].encode() if path in self.files else None


def analysed(files: Mapping[str, str], path: str) -> dict[str, FoundFunction]:
    package = Package(Texts(files), default_libraries())
    found = analyse_file(files[path].encode(), path, package=package)
    assert not found.problem
    return {each.qualname: each for each in found.functions if each.form == "slice"}


@pytest.fixture
def cut() -> Cut:
    """The slice of `f` in `pkg/main.py`; other files by name, dots for folders."""

    def run(main: str, **others: str) -> FoundFunction | None:
        files = {f"pkg/{name.replace('__in__', '/')}.py": textwrap.dedent(text) for name, text in others.items()}
        files = {"pkg/__init__.py": "", **files, "pkg/main.py": textwrap.dedent(main)}
        return analysed(files, "pkg/main.py").get("f")

    return run


def ran(found: FoundFunction) -> dict[str, Any]:
    """The slice in an empty module."""
    space: dict[str, Any] = {"__name__": "alone"}
    exec(compile("\n".join((*found.imports, found.code)), "alone", "exec", dont_inherit=True), space)
    return space


CONST = """
    BASE = 10
    LIMIT = BASE * 3
    TABLE = {"a": 1}
"""
USES = "def f(x):\n    return {0} if x > 1 else 0\n"


@pytest.mark.parametrize(
    "main",
    [
        "from .const import LIMIT\n" + USES.format("LIMIT"),
        "from .const import LIMIT as L\n" + USES.format("L"),
        "from . import const\n" + USES.format("const.LIMIT"),
        "from . import const as c\n" + USES.format("c . LIMIT"),
        "from pkg.const import LIMIT\n" + USES.format("LIMIT"),
        "import pkg.const\n" + USES.format("pkg.const.LIMIT"),
        "import pkg.const as c\n" + USES.format("c.LIMIT"),
        "from .const import *\n" + USES.format("LIMIT"),
        "from .const import LIMIT\n" + USES.format('f"{LIMIT}"'),
        "from . import const\n" + USES.format('f"{const.LIMIT:>5}"'),
        "from .const import LIMIT\ndef f(x, y=LIMIT):\n    return y if x > 1 else 0\n",
    ],
)
def test_every_way_to_import_a_constant_leads_to_it_and_to_what_it_is_computed_from(cut, main):
    found = cut(main, const=CONST)
    assert [(part.path, part.name) for part in found.parts] == [("pkg/const.py", "BASE"), ("pkg/const.py", "LIMIT")]
    assert [(part.line_start, part.line_end) for part in found.parts] == [(2, 2), (3, 3)]
    assert str(ran(found)["f"](2)).strip() == "30"
    assert found.classification == "SC"


def test_re_exports_are_followed_through_init_and_other_files(cut):
    found = cut(
        "from pkg import clean\ndef f(x):\n    return clean(x) if x else ''\n",
        __init__="from .api import clean\n",
        api="from .deep.text import tidy as clean\n",
        deep__in____init__="",
        deep__in__text="from ..const import BLANK\ndef tidy(t):\n    return t.strip(BLANK)\n",
        const="BLANK = ' -'\n",
    )
    assert [part.path for part in found.parts] == ["pkg/const.py", "pkg/deep/text.py"]
    assert ran(found)["f"](" a- ") == "a"


def test_a_submodule_and_its_function_of_one_name_are_told_apart(cut):
    main = "from . import clean\ndef f(x):\n    return clean(x) if x else ''\n"
    text = "def clean(t):\n    return t.strip()\n"
    assert ran(cut(main, __init__="from .clean import clean\n", clean=text))["f"](" a ") == "a"
    # Which of the two it is depends on who imports what first.
    assert cut(main, __init__="from .other import clean\n", other=text, clean="x = 1\n") is None


def test_classes_enums_and_dataclasses_of_other_files_keep_what_they_are(cut):
    found = cut(
        """
        from .kinds import Kind, Point
        def f(x, kind):
            p = Point(x, 2)
            if not isinstance(p, Point):
                return None
            return repr(p.moved(1)) + (Kind.NEW.value if kind == "n" else repr(Kind.OLD))
        """,
        kinds="""
        import enum
        from dataclasses import dataclass
        from .const import STEP
        class Kind(enum.Enum):
            NEW = "new"
            OLD = "old"
        @dataclass(frozen=True)
        class Point:
            x: int
            y: int
            def moved(self, by):
                return Point(self.x + by * STEP, self.y)
        """,
        const="STEP = 5\n",
    )
    assert [part.name for part in found.parts] == ["STEP", "Kind", "Point"]
    assert found.imports == ("from dataclasses import dataclass", "import enum")
    assert ran(found)["f"](1, "o") == "Point(x=6, y=2)<Kind.OLD: 'old'>"


def test_definitions_of_one_name_in_several_files_get_names_of_their_own(cut):
    found = cut(
        """
        from . import left, right
        from .left import scale as lscale
        SIZE = 3
        def scale(x):
            return x * SIZE
        def f(x):
            return [scale(x), lscale(x), right.scale(x), max(x, 1)] if x else []
        """,
        left="SIZE = 5\ndef scale(x):\n    return x * SIZE if x < 99 else scale(x - 1)\n",
        right="def max(a, b):\n    return 'own'\ndef scale(x):\n    return [x, max(x, 2)]\n",
    )
    assert ran(found)["f"](2) == [6, 10, [2, "own"], 2]
    assert {part.name for part in found.parts} == {"SIZE", "scale", "max"}
    # Two classes of one name are no slice: what they are called shows in results.
    assert (
        cut(
            "from .a import K\nfrom .b import g\ndef f(x):\n    return [K(), g()] if x else 0\n",
            a="class K:\n    pass\n",
            b="class K:\n    pass\ndef g():\n    return K()\n",
        )
        is None
    )


def test_a_local_name_that_would_hide_the_definition_refuses(cut):
    assert cut("from . import const\ndef f(LIMIT):\n    return const.LIMIT if LIMIT else 0\n", const=CONST) is None


def test_what_another_file_imports_from_a_library_is_imported_from_there(cut):
    found = cut(
        "from .compat import maths as m, floor\ndef f(x):\n    return floor(m.sqrt(x)) if x > 0 else 0\n",
        compat="import math as maths\nfrom math import floor\n",
    )
    assert (found.parts, found.imports) == ((), ("from math import floor", "import math as m"))
    assert ran(found)["f"](17) == 4
    chance = "import random as r\n"
    assert cut("from .compat import r\ndef f(x):\n    return r.random() if x else 0\n", compat=chance) is None


G = "def g(x):\n    return x + T\n"
CALLS = "from .other import g\ndef f(x):\n    return g(x) if x else 0\n"


@pytest.mark.parametrize(
    ("main", "other", "third"),
    [
        # Bound more than once, under a condition, or nowhere.
        (CALLS, "T = 1\nif T:\n    T = 2\n" + G, ""),
        ("try:\n    from .other import g\nexcept ImportError:\n    g = None\n" + CALLS[21:], "T = 1\n" + G, ""),
        (CALLS, "try:\n    from .third import g\nexcept ImportError:\n    pass\n", "T = 1\n" + G),
        (CALLS, "T = 1\n", ""),
        (CALLS, "T = 1\ndef __getattr__(name):\n    return 3\n", ""),
        (CALLS, "def __getattr__(name):\n    return 3\ndef g(x):\n    return x + T\n", ""),
        ("from . import other\ndef f(x):\n    return other.S if x else 0\n",
         "def __getattr__(name):\n    return 3\n", ""),
        # Filled or changed: in its file, by another, by name.
        (CALLS, "T = []\nT.append(1)\ndef g(x):\n    return T[0] + x\n", ""),
        (CALLS, "T = 1\n" + G, "from . import other\nother.T = 5\n"),
        (CALLS, "T = {}\ndef g(x):\n    return T.get(x, x)\n", "from .other import T as U\nU[3] = 4\n"),
        (CALLS, "T = {}\ndef g(x):\n    return T.get(x, x)\n", "from .other import *\nT.update(a=4)\n"),
        (CALLS, "T = 1\n" + G, "from . import other\nsetattr(other, 'T', 2)\n"),
        (CALLS, "T = 1\n" + G, "import pkg.other\ndef patch():\n    pkg.other.g = abs\n"),
        # More than its own names is changed when a file is imported.
        (CALLS, "import decimal\ndecimal.getcontext().prec = 3\nT = 1\n" + G, ""),
        (CALLS, "import json\njson.dumps = str\nT = 1\n" + G, ""),
        (CALLS, "import locale\nlocale.setlocale(0, 'C')\nT = 1\n" + G, ""),
        (CALLS, "T = 1\n" + G + "globals()['T'] = 3\n", ""),
        # Star imports that do not say what they bring.
        ("from .other import *\n" + CALLS[21:], "from nobody_knows import *\nT = 1\n" + G, ""),
        ("from .other import *\nfrom .third import *\n" + CALLS[21:], "T = 1\n" + G,
         "import sys\n__all__ = sys.argv\n"),
        ("from .other import g\nfrom .third import *\n" + CALLS[21:], "T = 1\n" + G, "def g(x):\n    return x\n"),
        # Circles, decorators, modules as values, what runs when classes are made.
        (CALLS, "from .third import h\ndef g(x):\n    return h(x)\ndef k(x):\n    return x\n",
         "from .other import k\ndef h(x):\n    return k(x)\n"),
        ("from .other import g\n@g\ndef f(x):\n    return x if x else 0\n", "def g(x):\n    return x\n", ""),
        ("from . import other\ndef f(x):\n    return getattr(other, x) if x else 0\n", "T = 1\n", ""),
        (CALLS, "class B:\n    def __init_subclass__(cls):\n        print()\nclass T(B):\n    pass\n"
         "def g(x):\n    return T if x else 0\n", ""),
        (CALLS, "class M(type):\n    pass\nclass T(metaclass=M):\n    a = 1\ndef g(x):\n    return T.a + x\n", ""),
        # What it computes with is not only its arguments.
        (CALLS, "import time\nT = time.time()\n" + G, ""),
        (CALLS, "T = __name__\n" + G, ""),
        # The text itself is shown.
        ("from . import other\ndef f(x):\n    return f'{other.T=}' if x else 0\n", "T = 1\n", ""),
        ("from . import other\ndef f(x):\n    match x:\n        case other.T:\n            return x\n    return 0\n",
         "T = 1\n", ""),
    ],
)  # fmt: skip
def test_what_is_not_certain_is_no_slice(cut, main, other, third):
    assert cut(main, other=other, third=third) is None


def test_a_module_that_answers_for_names_is_asked_for_those_alone_that_it_lacks(cut):
    answers = "def __getattr__(name):\n    return 3\n"
    assert ran(cut(CALLS, other="T = 1\n" + G + answers))["f"](1) == 2
    own = "def f(x):\n    return g(x) if x else len('ab')\n"
    assert ran(cut("from .other import *\nT = 1\n" + G + own + answers, other="import sys\nS = 4\n"))["f"](0) == 2


def test_star_imports_bring_what_is_listed_and_nothing_else(cut):
    main = "from .other import *\n" + CALLS[21:]
    assert ran(cut(main, other="__all__ = ['g']\nT = 4\n" + G))["f"](1) == 5
    assert cut(main, other="__all__ = ['T']\nT = 4\n" + G) is None
    assert cut(main, other="__all__ = ['T']\n__all__ += ['g']\nT = 4\n" + G) is None


def test_copies_of_other_projects_and_tests_are_no_parts(cut):
    for folder in ("_vendor", "tests"):
        main = f"from .{folder}.other import g\n" + CALLS[21:]
        assert cut(main, **{f"{folder}__in____init__": "", f"{folder}__in__other": "T = 1\n" + G}) is None


def test_annotations_of_other_files_are_not_evaluated_where_theirs_are_not(cut):
    found = cut(
        "from .other import g\ndef f(x: int) -> int:\n    return g(x) if x else 0\n",
        other="from __future__ import annotations\nimport nobody\ndef g(x: nobody.Thing) -> int:\n    return x + 1\n",
    )
    assert found.imports == ("from __future__ import annotations",)
    assert found.annotation_only
    assert ran(found)["f"](1) == 2


def test_a_part_of_a_namespace_is_not_taken_for_a_package_of_its_short_name():
    main = "from other.const import T\ndef f(x):\n    return T if x else 0\n"
    files = {"other/__init__.py": "", "other/const.py": "T = 1\n", "other/main.py": main}
    for folder, own in (("", True), ("proj-1.0/src/", True), ("space/", False), ("proj-1.0/space/", False)):
        placed = {folder + path: text for path, text in files.items()}
        assert ("f" in analysed(placed, f"{folder}other/main.py")) == own
    named = {path.replace("other", "json"): text.replace("other", "json") for path, text in files.items()}
    assert "f" not in analysed(named, "json/main.py")


def test_a_file_that_cannot_be_read_hides_nothing(cut):
    long = "T = 1\n" + G + "# " + "x" * (1 << 20) + "\n"
    assert cut(CALLS, other=long) is None
    assert cut("from .third import *\n" + CALLS, other="T = 1\n" + G, third=long) is None
    assert cut(CALLS, other="T = 1\n" + G, third=long + "from . import other\nother.T = 2\n") is None


def test_where_modules_are_found_matters_to_slices_of_several_files_alone(cut):
    finder = "import sys\nsys.meta_path += [print]\nsys.path.insert(0, 'x')\n"
    assert cut(CALLS, __init__=finder, other="T = 1\n" + G) is None
    found = cut("T = 1\n" + G + CALLS[21:], __init__=finder)
    assert [part.name for part in found.parts] == ["T", "g"]


def test_size_is_bounded(cut):
    long = "\n".join(f"def g{n}(x):\n    return x + {n}" for n in range(30))
    calls = " + ".join(f"other.g{n}(x)" for n in range(30))
    assert cut(f"from . import other\ndef f(x):\n    return {calls} if x else 0\n", other=long) is None
    names = [f"m{n}" for n in range(7)]
    main = (
        f"from . import {', '.join(names)}\ndef f(x):\n    return {' + '.join(f'{n}.A' for n in names)} if x else 0\n"
    )
    assert cut(main, **dict.fromkeys(names, "A = 1\n")) is None


def test_licence_and_identity_of_a_slice_are_those_of_its_parts(cut):
    header = "# SPDX-License-Identifier: GPL-3.0-only\n"
    one, other = cut(CALLS, other=header + "T = 1\n" + G), cut(CALLS, other="T = 2\n" + G)
    assert {part.licence for part in one.parts} == {"GPL-3.0-only"}
    assert {part.licence for part in other.parts} == {""}
    assert one.tree_key != other.tree_key
    assert function_id("v", "pkg/main.py", one) != function_id("v", "pkg/main.py", other)
    assert fingerprint_of(one) == fingerprint_of(other)


async def test_a_part_under_a_licence_that_is_not_allowed_refuses_the_slice(world):
    header = "# SPDX-License-Identifier: GPL-3.0-only\n"
    world.policy = type(world.policy)(licences=("MIT",))
    world.shelf.files = {"pkg/__init__.py": "", "pkg/main.py": CALLS, "pkg/other.py": header + "T = 1\n" + G}
    source = await world.ingestion.add("package", "shelf")
    await world.ingestion.ingest(source.source_id)
    (told,) = [item for item in world.heard.functions if item.found.form == "slice" and item.found.name == "f"]
    assert (told.rejected_by, told.rejection) == (
        "licence", "licence GPL-3.0-only of pkg/other.py is not on the allow-list",
    )  # fmt: skip


# Packages made at random: the function that is imported from the package and that of the slice agree.

_NAMES = ["size", "scale", "part", "LIMIT", "max"]


def made(rng: random.Random) -> dict[str, str]:
    """A package of four files that import from those before them in every way there is."""
    files: dict[str, str] = {}
    known: list[tuple[str, str, bool]] = []
    for number in range(4):
        module = f"m{number}"
        imports, lines, calls = [], [], []
        for count in range(rng.randint(0, 3) if known else 0):
            origin, name, is_function = rng.choice(known)
            alias = f"{name}_{count}" if rng.random() < 0.6 else ""
            way = rng.randint(0, 4)
            bound = alias or name
            if way == 0:
                imports.append(f"from .{origin} import {name}" + (f" as {alias}" if alias else ""))
            elif way == 1:
                imports.append(f"from . import {origin}")
                bound = f"{origin}.{name}"
            elif way == 2:
                imports.append(f"import PKG.{origin} as q{count}")
                bound = f"q{count}.{name}"
            elif way == 3:
                imports.append(f"import PKG.{origin}")
                bound = f"PKG.{origin}.{name}"
            else:
                imports.append(f"from PKG.{origin} import *")
                bound = name
            calls.append(f"{bound}(x + {count})" if is_function else f"{bound} * {count + 2}")
        for name in rng.sample(_NAMES, 3):
            term = rng.choice(calls) if calls else "7"
            if name == "LIMIT":
                lines.append(f"LIMIT = {rng.randint(1, 99)}")
                known.append((module, name, False))
                continue
            own = "LIMIT" if any(line.startswith("LIMIT") for line in lines) else "1"
            lines.append(f"def {name}(x):\n    return ['{module}.{name}', {term}, {own}] if x % 2 else min(x, {own})")
            known.append((module, name, True))
        listed = f"__all__ = {[n for m, n, _ in known if m == module]}" if rng.random() < 0.4 else ""
        files[f"PKG/{module}.py"] = "\n".join([*dict.fromkeys(imports), listed, *lines, ""])
    files["PKG/__init__.py"] = ""
    return files


@contextmanager
def imported(folder: Path, files: Mapping[str, str]) -> Iterator[None]:
    for path, text in files.items():
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_text(text)
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        for name in [name for name in sys.modules if name.startswith("pkg_made_")]:
            del sys.modules[name]


def outcome(call: Callable[..., Any], value: int) -> Any:
    try:
        return call(value)
    except (TypeError, ValueError, RecursionError) as error:
        return type(error).__name__


def test_the_function_of_the_package_and_that_of_the_slice_agree(tmp_path_factory):
    over_files = 0
    for seed in range(120):
        package = f"pkg_made_{seed}"
        files = {path.replace("PKG", package): text.replace("PKG", package)
                 for path, text in made(random.Random(seed)).items()}  # fmt: skip
        with imported(tmp_path_factory.mktemp("made"), files):
            importlib.invalidate_caches()
            for path in sorted(files):
                module = importlib.import_module(path.removesuffix(".py").replace("/", "."))
                for name, found in analysed(files, path).items():
                    alone = ran(found)
                    over_files += any(part.path != path for part in found.parts)
                    for value in (0, 1, 2, 3, 8):
                        assert outcome(alone[name], value) == outcome(getattr(module, name), value), (path, name)
    assert over_files > 100


def test_a_large_package_is_read_once_for_all_its_classes(monkeypatch: pytest.MonkeyPatch) -> None:
    files = {
        "pkg/__init__.py": "",
        "pkg/base.py": "class Base:\n    LIMIT = 3\n\n    def __init__(self, name: str):\n        self.name = name\n",
    }
    for number in range(70):
        files[f"pkg/part{number}.py"] = (
            "from pkg.base import Base\n\n\n"
            f"class Part{number}(Base):\n    MOST = {number}\n\n"
            "    def cut(self, size: int) -> str:\n"
            f"        return self.name[: min(size, self.MOST + Base.LIMIT)]\n"
        )
    parsed: list[bytes] = []
    texts = Texts(files)
    monkeypatch.setattr(
        "ingester.domain.packages.parse", lambda parser, text: parsed.append(text) or parse(parser, text)
    )
    package = Package(texts, default_libraries())
    for path, text in texts.files.items():
        analyse_file(text.encode(), path, package=package)
    # Every file asks whether some other one changes its base.
    assert len(parsed) <= 3 * len(files)


def kinds(files: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """Class and verdict of `f` in `pkg/main.py` as a function and as a slice, where it is one."""
    package = Package(Texts({"pkg/__init__.py": "", **files}), default_libraries())
    found = analyse_file(files["pkg/main.py"].encode(), "pkg/main.py", package=package).functions
    return {each.form: (each.classification, each.rejected_by) for each in found if each.name == "f"}


ROUNDS = "def f(x):\n    if x < 0:\n        return 0\n    return round(x, 0)\n"
HALF_UP = "import math\ndef round(x, digits=0):\n    return math.floor(x + 0.5) if x else 0\n"


@pytest.mark.parametrize("star", ["from ._compat import *\n", "from pkg._compat import *\n", "from .again import *\n"])
def test_a_star_import_of_the_package_that_hides_a_built_in_makes_a_slice_with_what_it_brings(star):
    files = {"pkg/main.py": star + ROUNDS, "pkg/_compat.py": HALF_UP, "pkg/again.py": "from ._compat import *\n"}
    assert kinds(files) == {"function": ("DISCARDED", "dependencies"), "slice": ("WSC", "")}
    assert ran(analysed({"pkg/__init__.py": "", **files}, "pkg/main.py")["f"])["f"](2.5) == 3


def test_a_star_import_that_brings_other_names_leaves_built_ins_what_they_are():
    files = {"pkg/main.py": "from ._compat import *\n" + ROUNDS, "pkg/_compat.py": "def _round(x):\n    return x\n"}
    assert kinds(files) == {"function": ("SC", "")}
    # Nobody knows what a module brings that cannot be read, or that computes what it brings.
    for text in ("def broken(:\n", "__all__ = ['a'] + others()\n", "from elsewhere import *\n"):
        assert kinds(files | {"pkg/_compat.py": text})["function"] == ("DISCARDED", "dependencies"), text
