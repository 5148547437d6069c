"""What is read off a function: text, header, docstring, place."""

from __future__ import annotations

from collections.abc import Callable

from ingester.domain.analysis import FoundFunction, analyse_file

Analyse = Callable[[str], dict[str, FoundFunction]]


def test_parameters_with_kinds_annotations_and_defaults(analyse: Analyse) -> None:
    found = analyse("def f(a, b: int = 1, /, c='x', *d: str, e, g: list[int] = [], **h) -> dict[str, int]: pass\n")["f"]
    assert [tuple(each) for each in found.parameters] == [
        ("a", "positional_only", "", None),
        ("b", "positional_only", "int", "1"),
        ("c", "positional", "", "'x'"),
        ("d", "var_positional", "str", None),
        ("e", "keyword_only", "", None),
        ("g", "keyword_only", "list[int]", "[]"),
        ("h", "var_keyword", "", None),
    ]
    assert found.returns == "dict[str, int]"
    bare = analyse("def f(a, *, b): pass\n")["f"]
    assert [each.kind for each in bare.parameters] == ["positional", "keyword_only"]


def test_names_forms_lines_and_decorators(analyse: Analyse) -> None:
    text = """
        import a.b as c
        from . import d

        class Outer:
            @staticmethod
            @dec(1)
            def method(x):
                def inner(y):
                    return y
                return inner(x)

            class Nested:
                async def late(self): pass
    """
    found = analyse(text)
    assert {name: each.form for name, each in found.items()} == {
        "Outer": "class",
        "Outer.method": "method",
        "Outer.method.<locals>.inner": "nested",
        "Outer.Nested": "class",
        "Outer.Nested.late": "method",
    }
    method = found["Outer.method"]
    assert (method.line_start, method.line_end) == (6, 11)
    assert method.decorators == ("staticmethod", "dec(1)")
    assert method.enclosing_class == "Outer"
    assert method.file_imports == ("import a.b as c", "from . import d")
    assert method.code.startswith("@staticmethod\n@dec(1)\ndef method(x):\n    def inner(y):\n")
    assert found["Outer.Nested.late"].enclosing_class == "Outer.Nested"


def test_text_inside_long_strings_keeps_its_indentation(analyse: Analyse) -> None:
    doc = '        """Doc.\n\n        More.\n        """\n'
    text = f'class A:\n    def f(self):\n{doc}        return """one\n        two\n    three"""\n'
    found = analyse(text)["A.f"]
    assert found.code == 'def f(self):\n    """Doc.\n\n    More.\n    """\n    return """one\n        two\n    three"""'
    assert found.docstring == "Doc.\n\nMore."


def test_less_indented_continuations_still_parse(analyse: Analyse) -> None:
    text = "class A:\n    def f(self):\n        x = [\n  1,\n2]\n# note\n        return x\n"
    code = analyse(text)["A.f"].code
    compile(code, "f", "exec")
    assert "1,\n2]" in code


def test_docstrings_in_every_quoting(analyse: Analyse) -> None:
    quoted = {
        "'one'": "one",
        '"""two\\tx"""': "two\tx",
        "r'''th\\ree'''": "th\\ree",
        "'fo' 'ur'": "four",
        "f'five'": "",
        "b'six'": "",
        "seven": "",
    }
    for text, expected in quoted.items():
        assert analyse(f"def f(x):\n    {text}\n")["f"].docstring == expected


def test_a_file_that_does_not_parse_is_an_answer() -> None:
    broken = analyse_file(b"def f(:\n    return 1\n", "m.py")
    assert broken.functions == ()
    assert "line 1" in broken.problem
    assert "null bytes" in analyse_file(b"x = '\0'\n", "m.py").problem
    assert "coding" in analyse_file(b"# -*- coding: nonsense -*-\n", "m.py").problem
    deep = b"x = " + b"(lambda: " * 3000 + b"1" + b")" * 3000 + b"\n"
    assert analyse_file(deep, "m.py").problem


def test_codings_newlines_and_marks() -> None:
    latin = "# -*- coding: latin-1 -*-\ndef f(x):\n    'é'\n    return x\n".encode("latin-1")
    assert analyse_file(latin, "m.py").functions[0].docstring == "é"
    for newline in ("\r\n", "\r"):
        text = newline.join(["def f(x):", "    y = 1", "    return x", ""]).encode()
        (found,) = analyse_file(b"\xef\xbb\xbf" + text, "m.py").functions
        assert found.code == "def f(x):\n    y = 1\n    return x"
        assert found.line_end == 3


def test_identifiers_are_compared_as_the_language_compares_them(analyse: Analyse) -> None:
    assert analyse("def f(ﬁ):\n    return fi\n")["f"].classification == "SC"
