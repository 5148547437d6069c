"""Texts that a program can read: matches of its patterns, literals, addresses, dates, characters."""

from __future__ import annotations

import ast
import datetime
import ipaddress
import random
import re
import textwrap
import unicodedata
import uuid

import pytest

import touchstone_values as values
from pbt_generator.domain.inputs.drawing.formats import FormatSampler
from pbt_generator.domain.inputs.drawing.matching import looks_like_pattern, matching_texts
from pbt_generator.domain.inputs.drawing.sampling import Sampler
from pbt_generator.domain.inputs.drawing.texts import TextSampler
from pbt_generator.domain.inputs.inference.signature import input_shape, read_program
from pbt_generator.domain.inputs.portable import tree_of
from pbt_generator.domain.inputs.shapes import (
    InputShape,
    IntShape,
    LibraryShape,
    ListShape,
    ParameterShape,
    Shape,
    TextShape,
    options_of,
)


def shapes_of(code: str, *imports: str) -> list[Shape]:
    """The shapes of the parameters of the one function of a text."""
    code = textwrap.dedent(code)
    name = re.findall(r"def (\w+)", code)[0]
    return [parameter.shape for parameter in input_shape(read_program(code, imports, name)).parameters]


def text_of(shape: Shape) -> TextShape:
    """The text among the options of a shape."""
    return next(option for option in options_of(shape) if isinstance(option, TextShape))


def sample(shape: TextShape, count: int = 300, *pieces: str) -> list[str]:
    """Texts of a shape, of a program with some constants."""
    sampler = TextSampler(random.Random(5), pieces)
    return [sampler.text(shape) for _ in range(count)]


@pytest.mark.parametrize(
    "pattern",
    [
        r"v(\d+)\.(\d+)", r"(?s)<b>(.*?)</b>", r"[{(]([\s\S]*?)[)}]", r"(['\"])(.*?)\1", r"(?<!\w)<(?!\w)",
        r"(?i)\b(?:in\s+the\s+)?(?:last|next)\s+days?\b", r"^(?P<a>.*?)(?P<b>[+-]\d{4})?$", r"(a)?(?(1)b|c)",
        r"[^a-z]+", r"(?<=x)y(?=z)", r"[à-ü]{2}",
    ],
)  # fmt: skip
def test_texts_drawn_for_a_pattern_match_it(pattern: str) -> None:
    texts = matching_texts(pattern)
    assert texts and all(re.search(pattern, text) for text in texts)


def test_which_constants_read_like_patterns() -> None:
    assert all(map(looks_like_pattern, (r"\d+", r"^abc$", "<p>(.*?)</p>", r"[^:]+:", r"(?:a|b)", r"a\.b")))
    plain = ("Hello (world).", "%Y-%m-%d", "a.b", "error: x?", "{}+{}={}", "**bold**", "[ok]", "$100", "(broken.*")
    assert not any(map(looks_like_pattern, plain))


def test_patterns_of_tables_variables_and_compiled_ones_are_those_of_the_text() -> None:
    table = """
        def f(line):
            rules = [{"rx": r"^due (\\d+)$", "kind": "due"}, {"rx": r"^paid (\\w+)$", "kind": "paid"}]
            for rule in rules:
                found = re.search(rule["rx"], line)
                if found:
                    return rule["kind"], found.group(1)
            return None
    """
    assert set(text_of(shapes_of(table, "import re")[0]).patterns) >= {r"^due (\d+)$", r"^paid (\w+)$"}
    compiled = """
        def f(line):
            for rx in [re.compile(r"a(\\d+)", re.IGNORECASE), re.compile(r"b(\\d+)")]:
                if rx.match(line):
                    return True
            return False
    """
    assert set(text_of(shapes_of(compiled, "import re")[0]).patterns) == {r"(?i)a(\d+)", r"b(\d+)"}
    joined = """
        def f(text, key):
            return re.findall(rf"{key}=(\\d+)", text, flags=re.DOTALL)
    """
    (pattern,) = text_of(shapes_of(joined, "import re")[0]).patterns
    assert pattern.startswith("(?s)") and re.search(pattern, "abc=12")


def test_what_is_cut_out_of_a_match_is_read_on() -> None:
    code = """
        def f(reply):
            found = re.findall(r"<out>(.*?)</out>", reply, re.DOTALL)
            if not found:
                return None
            parts = re.split(r"Name:|Body:", found[0])
            if len(parts) < 3:
                return None
            return json.loads(parts[2])["size"]
    """
    shape = text_of(shapes_of(code, "import re", "import json")[0])
    assert shape.patterns == (r"(?s)<out>(.*?)</out>", "Name:|Body:") and shape.content is not None


def test_several_matches_stand_in_one_text() -> None:
    texts = sample(TextShape(patterns=(r"#\d+",)), 600)
    counts = [len(re.findall(r"#\d+", text)) for text in texts]
    assert counts.count(1) > 20 and sum(count > 1 for count in counts) > 20
    assert sum(bool(re.search(r"\w #\d+|#\d+ \w", text)) for text in texts) > 10


def test_literals_are_mostly_literals_and_hold_padded_texts() -> None:
    sampler = FormatSampler(random.Random(2))
    found: list[object] = []
    for _ in range(300):
        try:
            found.append(ast.literal_eval(sampler.text("literal").strip()))
        except (ValueError, SyntaxError, TypeError):
            continue
    assert 200 < len(found) < 300
    assert {type(value) for value in found} >= {list, dict, tuple, str, int, float, bool, type(None)}
    # The order of a set is the interpreter's.
    assert not any(isinstance(value, set) for value in found)
    assert any(
        isinstance(item, str) and item != item.strip() for value in found if isinstance(value, list) for item in value
    )


def test_addresses_have_all_their_parts_at_times() -> None:
    from urllib.parse import urlsplit

    web = FormatSampler(random.Random(2), ("ftp://", "host.example.net", "/download", "odd piece"))
    seen: set[str] = set()
    for _ in range(600):
        try:
            parts = urlsplit(web.text("url"))
            seen |= {
                name for name in ("scheme", "username", "password", "port", "query", "fragment") if getattr(parts, name)
            }
            seen |= {":"} & set(parts.hostname or "")
            seen |= {
                piece for piece in ("host.example.net", "download", "%23", ";v=1") if piece in parts.netloc + parts.path
            }
        except ValueError:
            seen.add("broken")
    assert seen >= {"scheme", "username", "password", "port", "query", "fragment", ":", "broken", "download", "%23",
                    "host.example.net", ";v=1"}  # fmt: skip


def test_identifiers_have_several_versions() -> None:
    web = FormatSampler(random.Random(2))
    versions: set[int | None] = set()
    for _ in range(200):
        text = web.text("uuid")
        if len(text) >= 32 and text[-1] != text[-2:-1] * 2:
            try:
                versions.add(uuid.UUID(text).version)
            except ValueError:
                versions.add(None)
    assert versions >= {1, 3, 4, 5, None}
    kinds = {ipaddress.ip_address(text).version for text in (web.text("ip") for _ in range(200)) if text.count(".") != 2
             and "256" not in text}  # fmt: skip
    assert kinds == {4, 6}


def test_characters_of_many_categories_and_neighbours_of_those_asked_for() -> None:
    drawn = "".join(sample(TextShape(formats=("unicode",)), 600))
    categories = {unicodedata.category(char)[0] for char in drawn}
    assert categories >= set("LMNPSZC")
    assert "\u3001" in "".join(sample(TextShape(tokens=("\u3000", "\u3002"), formats=("char",)), 600))
    texts = "".join(sample(TextShape(tokens=("\ud7ff", "\ue000", "\uffff"), formats=("char",)), 900))
    assert not any(0xD800 <= ord(char) < 0xE000 or ord(char) > 0xFFFF for char in texts)


def test_numbers_carry_what_the_program_strips() -> None:
    shape = TextShape(tokens=(",", "$", "%"), formats=("float",))
    texts = sample(shape, 600)
    assert any(re.fullmatch(r"[+-]?\d+,\d{3}(\.\d+)?", text) for text in texts)
    assert any(re.fullmatch(r"\$\d+(\.\d+)?", text) for text in texts)
    assert any(re.fullmatch(r"\d+(\.\d+)?%", text) for text in texts)


def test_lists_of_pairs_have_two_separators() -> None:
    texts = sample(TextShape(tokens=(";", "=")), 300)
    assert sum(bool(re.fullmatch(r"(\s*\w+=[^=;]*;?)+", text)) and text.count("=") > 1 for text in texts) > 5


def test_moments_with_and_without_a_zone_where_the_program_asks() -> None:
    code = """
        def f(moment):
            if moment.tzinfo is None:
                moment = moment.replace(tzinfo=timezone.utc)
            return moment.astimezone(timezone.utc).isoformat()
    """
    (shape,) = shapes_of(code, "from datetime import timezone")
    assert isinstance(shape, LibraryShape) and shape.kind == "datetime" and shape.aware
    sampler = Sampler(InputShape((ParameterShape("moment", shape),)), 2, portable=False)
    drawn = [sampler.input()[0] for _ in range(80)]
    zones = {moment.tzinfo for moment in drawn if isinstance(moment, datetime.datetime)}
    assert None in zones and datetime.UTC in zones and len(zones) == 4
    for moment in drawn:
        assert values.decode(values.dump(tree_of(moment))) == moment
    assert any(isinstance(moment, datetime.datetime) and moment.day > 28 for moment in drawn)


def test_a_date_stands_inside_what_a_pattern_cuts() -> None:
    code = """
        def f(stamp):
            found = re.match(r"^(?P<day>.*?)(?P<rest> at \\d\\d)?$", stamp)
            day = datetime.strptime(found.group("day"), "%d.%m.%Y")
            return (day.year, found.group("rest"))
    """
    shape = text_of(shapes_of(code, "import re", "from datetime import datetime")[0])
    texts = sample(shape, 600)
    assert any(re.fullmatch(r"\d\d\.\d\d\.\d{4} at \d\d", text) for text in texts)


def test_names_of_encodings_and_of_ways_to_treat_errors() -> None:
    code = """
        def f(text, encoding, errors):
            codecs.lookup_error(errors)
            return text.encode(encoding, errors)
    """
    _, encoding, errors = map(text_of, shapes_of(code, "import codecs"))
    assert "encoding" in encoding.formats and "errors" in errors.formats
    assert {"utf-8", "ascii"} <= set(sample(encoding)) and {"strict", "ignore"} <= set(sample(errors))


def test_a_text_that_was_unquoted_is_read_on() -> None:
    code = """
        def f(token):
            return base64.b64decode(unquote(token))
    """
    shape = text_of(shapes_of(code, "import base64", "from urllib.parse import unquote")[0])
    assert {"percent", "base64"} <= set(shape.formats)


def test_pieces_at_known_places_of_a_split_text_are_pieces_of_it() -> None:
    code = """
        def f(line):
            parts = line.split("/")
            return int(parts[1]) + int(parts[2])
    """
    shape = text_of(shapes_of(code)[0])
    assert "integer" in shape.formats and "/" in shape.tokens
    assert any(re.fullmatch(r"[^/]*/\d+/\d+", text) for text in sample(shape, 400))


def test_drawing_texts_is_repeatable() -> None:
    shape = TextShape(tokens=("a:", ";"), patterns=(r"\d+-\w+", "x|y"), formats=("literal", "url", "unicode"))
    inputs = InputShape((ParameterShape("t", shape), ParameterShape("n", ListShape(IntShape()))), (r"k=(\d+)", "main"))
    first, second = Sampler(inputs, 8), Sampler(inputs, 8)
    assert [first.input() for _ in range(300)] == [second.input() for _ in range(300)]


def test_a_pattern_is_put_together_from_another_argument() -> None:
    code = """
        def f(text, tag):
            found = re.search(rf"<{tag}>(.*?)</{tag}>", text)
            if found:
                return found.group(1)
            marker = f"[{tag}]="
            return text[text.find(marker):] if marker in text else ""
    """
    shape = text_of(shapes_of(code, "import re")[0])
    assert len(shape.patterns) == 2
    assert re.search(shape.patterns[0], "<a>x</a>") and not re.search(shape.patterns[0], "<a>x</b>")
    assert re.search(shape.patterns[1], "see [key]=1")


def test_as_many_words_as_the_program_counts() -> None:
    code = """
        def f(text):
            return len(text.split()) > 40
    """
    shape = text_of(shapes_of(code)[0])
    sampler = Sampler(InputShape((ParameterShape("text", shape),), (40,)), 3)
    counts = {len(str(sampler.input()[0]).split()) for _ in range(600)}
    assert counts >= {39, 40, 41}


def test_imports_inside_a_function_count() -> None:
    code = """
        def f(source):
            import ast as syntax
            from json import loads
            return syntax.literal_eval(source)
    """
    assert text_of(shapes_of(code)[0]).formats == ("literal",)


def test_json_that_is_read_from_one_of_two_texts_is_of_both() -> None:
    code = """
        def f(text):
            found = re.search(r"<j>(.*)</j>", text)
            raw = found.group(1) if found else text
            return json.loads(raw)["size"]
    """
    shape = text_of(shapes_of(code, "import re", "import json")[0])
    assert shape.content is not None
    texts = [str(Sampler(InputShape((ParameterShape("t", shape),)), seed).input()[0]) for seed in range(200)]
    assert any(re.search(r'<j>.*"size"', text) for text in texts)
    assert any(text.startswith('{"size"') for text in texts)


def test_what_a_format_is_introduced_with() -> None:
    texts = sample(TextShape(tokens=("basic",), formats=("base64",)), 300)
    assert any(re.fullmatch(r"basic [\w+/]+=*", text) for text in texts)
