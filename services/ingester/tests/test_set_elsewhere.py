"""What is set by way of a class or a module, under whatever name that goes, is not cut out as it was before."""

from __future__ import annotations

import pytest

LIMIT = "LIMIT = 1\ndef f(x):\n    return LIMIT if x > 1 else 0\n"
SETS_NAME = {
    "a loop": "for main.LIMIT in (1, 5):\n    pass",
    "with": "import contextlib\nwith contextlib.nullcontext(5) as main.LIMIT:\n    pass",
    "a list of targets": "[main.LIMIT, other] = 5, 6",
    "the rest": "(other, *main.LIMIT) = 5, 6",
    "a comprehension": "[0 for main.LIMIT in (5,)]",
    "deleting several": "other = 1\ndel other, main.LIMIT",
    "an alias": "m = main\nm.LIMIT = 5",
    "an alias of a part": "import pkg\nm = pkg.main\nm.LIMIT = 5",
    "an alias in a function": "def start():\n    from . import main as m\n    n = m\n    n.LIMIT += 5",
    "a parameter": "def configure(m):\n    m.LIMIT = 5\nconfigure(main)",
    "a parameter, by name": "def configure(module):\n    setattr(module, 'LIMIT', 5)\nconfigure(module=main)",
    "any name of a parameter": "def configure(m, **values):\n    for k, v in values.items():\n"
    "        setattr(m, k, v)\nconfigure(main, LIMIT=5)",
    "one of several": "for m in (main,):\n    m.LIMIT = 5",
    "a field": "class Settings:\n    def __init__(self, m):\n        self.m = m\n    def put(self):\n"
    "        self.m.LIMIT = 5\nSettings(main).put()",
    "what imports it": "__import__('pkg.main').main.LIMIT = 5",
    "its names": "names = main.__dict__\nnames.update(LIMIT=5)",
    "vars": "vars(main)['LIMIT'] = 5",
    "what gives it": "def here():\n    return main\nhere().LIMIT = 5",
}
KEEPS_NAME = {
    "another attribute": "m = main\nm.OTHER = 5",
    "a parameter": "def configure(m):\n    m.OTHER = m.LIMIT\nconfigure(main)",
    "another name": "def configure(m):\n    setattr(m, 'OTHER', 5)\nconfigure(main)",
    "reading by name": "value = getattr(main, 'LIMIT') + vars(main)['LIMIT'] + main.__dict__['LIMIT']",
    "a table of modules": "MODULES = {'main': main}\ndef g(x):\n    return MODULES['main'].f(x)",
    "a list of modules": "MODULES = []\nMODULES.append(main)\ndef g(x):\n    return [m.f(x) for m in MODULES]",
    "a loop": "for LIMIT in (main.LIMIT,):\n    pass",
    "help": "import inspect\ninspect.getmembers(main)",
}


@pytest.mark.parametrize("change", SETS_NAME)
def test_a_name_that_is_set_by_way_of_its_module_is_not_taken_along(candidates, change):
    assert candidates(LIMIT, other="from . import main\n" + SETS_NAME[change] + "\n") == {}


@pytest.mark.parametrize("change", KEEPS_NAME)
def test_a_name_of_a_module_that_goes_somewhere_is_taken_along_where_nothing_sets_it(candidates, change):
    assert "slice" in candidates(LIMIT, other="from . import main\n" + KEEPS_NAME[change] + "\n")


@pytest.mark.parametrize("own", ["sys.modules[__name__].LIMIT = 5", "setattr(sys.modules[__name__], 'LIMIT', 5)"])
def test_a_file_that_sets_its_own_names_as_a_module_s_is_not_taken_along(candidates, own):
    assert candidates(f"import sys\n{own}\n{LIMIT}") == {}


RECT = """class Rect:
    LIMIT = 3
    def __init__(self, width):
        self.width = width
    def cut(self, x):
        return x + self.width if x else 1
    def f(self, x):
        return self.cut(x) if x > self.LIMIT else self.LIMIT
"""
USED = RECT.replace("def f(", "def g(") + "def f(width, x):\n    return Rect(width).g(x) if x else 0\n"
SETS_CLASS = {
    "its name": "Rect.cut = lambda self, x: 7",
    "an alias": "R = Rect\nR.cut = lambda self, x: 7",
    "a parameter": "def patch(cls):\n    cls.cut = lambda self, x: 7\npatch(Rect)",
    "a parameter of a parameter": "def patch(cls):\n    cls.cut = 7\ndef more(c, *rest):\n    patch(c)\nmore(Rect)",
    "any of its names": "def patch(cls):\n    for name in ('cut',):\n        setattr(cls, name, 7)\npatch(Rect)",
    "a value of it": "def configure(cls, limit):\n    cls.LIMIT = limit\nconfigure(Rect, 5)",
    "a loop": "for each in (Rect,):\n    each.cut = lambda self, x: 7",
    "a list": "ALL = [Rect]\nfor each in ALL:\n    each.LIMIT = 5",
    "a registry": "ALL = {}\nALL['rect'] = Rect\nALL['rect'].LIMIT = 5",
    "a registry that methods fill": "ALL = []\nALL.append(Rect)\nfor each in ALL:\n    each.LIMIT = 5",
    "type": "type.__setattr__(Rect, 'cut', 7)",
    "a decorator": "def extend(cls):\n    def keep(g):\n        setattr(cls, g.__name__, g)\n        return g\n"
    "    return keep\n@extend(Rect)\ndef cut(self, x):\n    return 7",
    "a class method": "class More(Rect):\n    pass\ndef patch(c=Rect):\n    c.cut = 7\npatch()",
    "its method": "def patch(cls):\n    cls.cut.__defaults__ = (7,)\npatch(Rect)",
    "what gives it": "def made(name):\n    return Rect\nmade('r').LIMIT = 5",
    "the type of an object": "type(Rect(3)).LIMIT = 5",
    "the type of any object": "def patch(r):\n    type(r).LIMIT += 5\n    r.__class__.LIMIT = 6",
    "what is not known": "def patch(cls, by):\n    by(cls)\npatch(Rect, print)",
}
KEEPS_CLASS = {
    "an object of it": "def patch(r):\n    r.width = 4\npatch(Rect(3))",
    "what it is": "def is_one(r):\n    return isinstance(r, Rect) or type(r) is Rect or r.__class__ in (Rect,)",
    "what is caught": "def g(x, kinds):\n    try:\n        return x\n    except (Rect, kinds) as error:\n"
    "        error.width = 3\n    except Rect as error:\n        raise ValueError from error",
    "a table": "ALL = {'rect': Rect}\ndef g(name, width):\n    made = ALL[name](width)\n    made.width = 2",
    "a registry": "ALL = {}\ndef keep(cls):\n    ALL[cls.__name__] = cls\n    return cls\nkeep(Rect)",
    "a parameter": "def make(cls, *given):\n    made = cls(*given)\n    made.width = 2\n    return made\nmake(Rect, 3)",
    "a type": "from typing import cast\ndef g(x):\n    x = cast(Rect, x)\n    x.width = 3\n    return x",
    "a library's": "def g(connection):\n    connection.create_aggregate('rect', 1, Rect)",
    "a base": "class More(Rect):\n    def more(self):\n        self.height = 3",
    "a pattern": "def g(x):\n    match x:\n        case Rect(width=3) as r:\n            return r\n    return 0",
    "names of a map": "def make(**given):\n    return given\nmake(**{'cls': Rect})",
}


@pytest.mark.parametrize("text", [RECT, USED], ids=["record", "slice"])
@pytest.mark.parametrize("change", SETS_CLASS)
def test_a_class_of_which_attributes_are_set_is_not_taken_along(candidates, change, text):
    assert candidates(text + SETS_CLASS[change] + "\n") == {}
    assert candidates(text, other="from .main import Rect\n" + SETS_CLASS[change] + "\n") == {}


@pytest.mark.parametrize("text", [RECT, USED], ids=["record", "slice"])
@pytest.mark.parametrize("change", KEEPS_CLASS)
def test_a_class_that_goes_where_nothing_sets_its_attributes_is_taken_along(candidates, change, text):
    assert candidates(text, other="from .main import Rect\n" + KEEPS_CLASS[change] + "\n") != {}


NAMES = {
    "another attribute": ("Rect.OTHER = 5", True),
    "another one by its name": ("setattr(Rect, 'OTHER', 5)", True),
    "a method": ("Rect.cut = len", False),
    "a method by its name": ("setattr(Rect, 'cut', len)", False),
    "a constant": ("Rect.LIMIT += 1", False),
    "a field": ("Rect.width = property(len)", False),
    "what reads": ("Rect.__getattribute__ = lambda self, name: 3", False),
    "bases": ("Rect.__bases__ = (dict,)", False),
    "any attribute": ("def put(name):\n    setattr(Rect, name, 5)", False),
    "its name": ("def start():\n    global Rect\n    Rect = object", False),
    "no name": ("del Rect", False),
}


@pytest.mark.parametrize("change", NAMES)
def test_of_a_class_what_a_record_reads_may_not_be_set(candidates, change):
    line, kept = NAMES[change]
    assert ("record" in candidates(f"{RECT}{line}\n")) is kept
    if "global" not in line and "del" not in line:
        assert ("record" in candidates(RECT, other=f"from .main import Rect\n{line}\n")) is kept
        assert (
            "record" in candidates(RECT, other=f"from . import main\n{line.replace('Rect', 'main.Rect')}\n")
        ) is kept


def test_a_class_that_another_file_puts_in_the_place_of_a_base_is_another_one(candidates):
    text = "from .base import Base\nclass Rect(Base):\n" + RECT.partition("\n")[2]
    assert "record" in candidates(text, base="class Base:\n    pass\n", other="from . import base\nbase.Base.odd = 1\n")
    assert candidates(text, base="class Base:\n    pass\n", other="from . import base\nbase.Base = dict\n") == {}


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ("cls.other = 5", True),
        ("setattr(cls, 'other', 5)", True),
        ("cls.cut = 5", False),
        ("setattr(cls, 'cut', 5)", False),
        ("setattr(cls, name, 5)", False),
        ("cls.__dict__[name]", True),
        ("put(cls, name)", False),
    ],
)
@pytest.mark.parametrize("base", [True, False])
def test_what_class_methods_set_is_not_known(candidates, line, kept, base):
    text = f"    @classmethod\n    def extend(cls, name):\n        {line}\n"
    put = "def put(cls, name):\n    setattr(cls, name, 5)\n"
    whole = f"class Base:\n{text}{RECT.replace('Rect', 'Rect(Base)')}" if base else f"{RECT}{text}"
    assert ("record" in candidates(put + whole)) is kept


@pytest.mark.parametrize(
    "line",
    [
        "if __name__ == '__main__':\n    Rect(3).f(2)",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    Rects = list[Rect]",
        "Rect(3).f(2)",
        "ALL = {}\ndef register(name, cls):\n    ALL[name] = cls\nfor each in 'ab':\n    register(each, Rect)",
        "ALL = []\ndef register(one):\n    ALL.append(one)\nregister(Rect(3))",
    ],
)
def test_a_class_is_not_changed_by_being_named_while_its_file_is_imported(candidates, line):
    assert "record" in candidates(f"{RECT}{line}\n")
    assert "slice" in candidates(f"{USED}{line}\n")


@pytest.mark.parametrize("line", ["ALL = []\nALL.append(helper)", "for each in (helper,):\n    print(each(3))"])
def test_a_helper_that_goes_somewhere_is_the_same_where_its_attributes_are_not_read(candidates, line):
    text = "def helper(x):\n    return {} if x else 1\ndef f(x):\n    return helper(x) if x else 0\n"
    assert "slice" in candidates(f"{text.format('x')}{line}\n")
    assert candidates(f"{text.format('helper.seen')}{line}\n") == {}
    assert candidates(f"{text.format('x')}{line}\ndel helper\n") == {}


@pytest.mark.parametrize(
    ("line", "sets"),
    [
        ("for held.LIMIT in (5, 6): pass", True),
        ("for i, held.LIMIT in enumerate((5,)): pass", True),
        ("with held as held.LIMIT: pass", True),
        ("held.LIMIT, other = 5, 6", True),
        ("(other, *held.LIMIT) = 5, 6", True),
        ("[0 for held.LIMIT in (5,)]", True),
        ("del other, held.LIMIT", True),
        ("held.LIMIT |= 4", True),
        ("other = held.LIMIT, 5", False),
        ("g(held.LIMIT, held=5)", False),
        ("for i in held.LIMIT: pass", False),
        ("with held.LIMIT as held: pass", False),
        ("other[held.LIMIT] = 5", False),
        ("assert held.LIMIT, other == 5", False),
    ],
)
def test_an_object_that_gets_a_value_of_its_own_counts_wherever_the_target_stands(candidates, line, sets):
    assert "record" in candidates(RECT)
    found = candidates(RECT, other=f"def g(held, other):\n    {line}\n")
    assert ("record" in found) is not sets


@pytest.mark.parametrize(
    ("text", "sets"), [("'LIMIT = 5'", True), ("'OTHER = 5'", False), ("TEXT", True), ("'LIMIT = 5', {}", False)]
)
def test_a_program_that_a_file_runs_may_bind_its_names(candidates, text, sets):
    assert ("slice" in candidates(f"TEXT = 'LIMIT = 5'\nexec({text})\n{LIMIT}")) is not sets


@pytest.mark.parametrize(
    "line",
    [
        "globals()['len'] = lambda x: 77",
        "globals().update(len=lambda x: 77)",
        "globals().update({'len': lambda x: 77})",
        "sys.modules[__name__].len = lambda x: 77",
        "setattr(sys.modules[__name__], 'len', lambda x: 77)",
    ],
)
def test_a_built_in_that_a_file_hides_by_its_own_module_is_none(candidates, line):
    text = "import sys\n{}\ndef g(x):\n    return len(x) if x else 0\ndef f(x):\n    return {} if x else 0\n"
    assert candidates(text.format(line, "len(x)")) == candidates(text.format(line, "g(x)")) == {}
    assert "function" in candidates(text.format(line.replace("len", "more"), "len(x)"))


CHANGED_AT_IMPORT = [
    "def g(a):\n    a.clear()\ng(*T)",
    "def g(a):\n    a.clear()\nlist(map(g, T))",
    "def g(a):\n    a.clear()\nsorted(T, key=g)",
    "def g(a):\n    a.clear()\nimport atexit\natexit.register(g, T)",
    "def g(a):\n    a.clear()\nimport threading\nthreading.Thread(target=g, args=(T,)).start()",
    "list(map(lambda a: a.clear(), T))",
    "list(map(dict.clear, T))",
    "getattr(T, 'append')(1)",
    "T.__imul__(2)",
    "class Held:\n    t = T\n    t.append(1)",
    "import contextlib\nwith contextlib.nullcontext(T) as t:\n    t.clear()",
    "import types\ntypes.SimpleNamespace(t=T).t.clear()",
    "import random\nrandom.choice(T).clear()",
    "for each in sum([T], []):\n    each.clear()",
    "import itertools\nfor each, other in itertools.product(T, T):\n    each.clear()",
]


@pytest.mark.parametrize("line", CHANGED_AT_IMPORT)
def test_a_table_that_a_call_changes_while_its_file_is_imported_is_not_taken_along(candidates, line):
    assert candidates(f"T = [{{'k': [1]}}]\ndef f(x):\n    return [T, x] if x else 0\n{line}\n") == {}


@pytest.mark.parametrize(
    "line",
    [
        "def g(a):\n    return len(a)\nprint(g(*T), list(map(g, T)), sorted(T, key=g))",
        "print(sorted(T, key=lambda a: a['k']), max(T, key=len))",
        "print(*T, sum(map(len, T)))",
        "class Held:\n    t = T\n    size = len(t)",
        "getattr(T, 'copy')",
    ],
)
def test_a_table_that_calls_read_while_its_file_is_imported_is_taken_along(candidates, line):
    assert "slice" in candidates(f"T = [{{'k': [1]}}]\ndef f(x):\n    return [T, x] if x else 0\n{line}\n")
