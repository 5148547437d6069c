"""What calls say about receivers and arguments; the part of the usage reader that knows methods and libraries."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, cast

from pbt_generator.domain.inputs.inference.facts import STRONG, WEAK, Var, derived, unify
from pbt_generator.domain.inputs.inference.usage_literals import flags_of, pattern_of
from pbt_generator.domain.inputs.inference.usage_patterns import (
    codec,
    compiled_method,
    is_compiled,
    known_texts,
    regex_call,
    token_patterns,
)
from pbt_generator.domain.inputs.inference.usage_tables import (
    ARRAY_ATTRIBUTES,
    AWARE_ATTRIBUTES,
    BYTES_METHODS,
    CLASS_KINDS,
    DATE_ATTRIBUTES,
    DATE_PARTS,
    FRAME_ATTRIBUTES,
    FUNCTIONS,
    LIST_METHODS,
    MAP_METHODS,
    PREDICATE_FORMATS,
    REGEX_FUNCTIONS,
    SAME_FUNCTIONS,
    SAME_TEXT,
    SERIES_ATTRIBUTES,
    SET_METHODS,
    TEXT_METHODS,
    TOKEN_METHODS,
)
from pbt_generator.domain.oracle.syntax import class_names

if TYPE_CHECKING:
    from pbt_generator.domain.inputs.inference.usage_expressions import Env, ExpressionReader

_HIGHER_ORDER = {"sorted", "min", "max", "map", "filter", "any", "all", "sum", "enumerate", "zip", "next", "reduce"}
_ELEMENT_RESULTS = {"max", "min", "next", "sum"}
_SEQUENCE_RESULTS = {"sorted", "list", "tuple", "set", "frozenset", "reversed", "filter", "iter"}


def call(reader: ExpressionReader, node: ast.Call, env: Env) -> Var:
    """Read a call and give the node of its result."""
    match node.func:
        case ast.Name(id=name):
            return _function(reader, name, node, env)
        case ast.Attribute(value=value, attr=attr):
            dotted = _dotted(node.func, reader, env)
            if dotted:
                return _function(reader, dotted, node, env)
            return _method(reader, reader.expression(value, env), attr, node, env)
        case _:
            reader.expression(node.func, env)
            for argument in node.args:
                reader.expression(argument, env)
            return Var()


def _dotted(node: ast.expr, reader: ExpressionReader, env: Env) -> str:
    """The last two parts of a dotted name that begins at an import or a class, as the tables have them."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name) or node.id in env:
        return ""
    base = reader.modules.get(node.id, node.id)
    known = node.id in reader.modules or node.id in {"str", "dict", "int", "bytes", "bytearray", "float"}
    if not known:
        return ""
    parts.extend(reversed(base.split(".")))
    full = list(reversed(parts))
    aliases = {"numpy": "np", "pandas": "pd"}
    full[0] = aliases.get(full[0], full[0])
    return ".".join(full[-2:])


def _function(reader: ExpressionReader, name: str, node: ast.Call, env: Env) -> Var:
    local = env.get(name)
    arguments = [reader.expression(argument, env) for argument in node.args]
    keywords = {keyword.arg: reader.expression(keyword.value, env) for keyword in node.keywords if keyword.arg}
    for keyword in node.keywords:
        if keyword.arg is None:
            reader.expression(keyword.value, env).add("map", WEAK)
    if local is not None:
        return _local_call(local, arguments)
    if "." not in name and name in reader.modules:
        name = ".".join(reader.modules[name].replace("numpy", "np").replace("pandas", "pd").split(".")[-2:])
    head, _, tail = name.rpartition(".")
    if head in {"re", "regex"} and tail in REGEX_FUNCTIONS:
        return regex_call(reader, tail, node, arguments)
    if (head == "functools" and tail == "reduce") or name == "reduce":
        return _higher_order(reader, "reduce", node, arguments)
    short = tail or name
    if short == "isinstance" and len(node.args) == 2:
        return _isinstance(node, arguments)
    if not head and short in _HIGHER_ORDER | _SEQUENCE_RESULTS:
        return _higher_order(reader, short, node, arguments, keywords)
    if short == "print":
        return Var()
    if short in {"getattr", "hasattr", "setattr"} and len(node.args) > 1 and isinstance(node.args[1], ast.Constant):
        arguments[0].add(f"object.{node.args[1].value}", WEAK)
        return Var()
    signature = FUNCTIONS.get(name) or FUNCTIONS.get(short)
    if signature is None:
        if head in {"math", "cmath"}:
            signature = (("number", "number"), "number")
        elif name.startswith("np.") or head.startswith("np"):
            return _numpy(node, arguments)
    if signature is None:
        return Var()
    kinds, result = signature
    for place, (kind, argument) in enumerate(zip(kinds, arguments, strict=False)):
        ask(argument, kind)
        if kind == "text~date" and len(node.args) > place + 1:
            fmt = node.args[place + 1]
            known = [fmt.value] if isinstance(fmt, ast.Constant) else known_texts(arguments[place + 1])
            argument.note("formats", [f"date:{pattern}" for pattern in known if isinstance(pattern, str)])
    if short in {"int", "float"} and arguments:
        base = [*node.args[1:], *(keyword.value for keyword in node.keywords if keyword.arg == "base")]
        if base:
            # Only a text has a base.
            forms: dict[object, str] = {16: "text~hex", 2: "text~bits", 10: "text~integer"}
            value = base[0].value if isinstance(base[0], ast.Constant) else None
            ask(arguments[0], forms.get(value, "text~digits"))
        return derived(arguments[0], short, "number")
    if name == "re.compile" and arguments:
        compiled = Var("regex")
        flags = flags_of((*node.args[1:], *(keyword.value for keyword in node.keywords)))
        written = pattern_of(node.args[0])
        found = [written] if written else known_texts(arguments[0])
        compiled.constants = [flags + text for text in found]
        return compiled
    if short == "len" and arguments:
        return derived(arguments[0], "int", "length")
    if name == "json.loads" and arguments:
        content = derived(arguments[0], "", "json")
        arguments[0].find().content = content
        return content
    if short == "ord" and arguments:
        return derived(arguments[0], "int", "codepoint")
    if short == "str" and len(arguments) == 1:
        return derived(arguments[0], "text", "read")
    if short in {"abs", "round"} and arguments:
        return derived(arguments[0], "number", "number")
    if result.startswith("@"):
        place = int(result[1:])
        return (
            arguments[place]
            if place < len(arguments)
            else Var(short if short in {"list", "set", "dict", "tuple"} else "")
        )
    if result == "text":
        # What is asked of a text that was unquoted, normalised or cut is asked of what it was made from.
        made_of = [argument for kind, argument in zip(kinds, arguments, strict=False) if kind.startswith("text")]
        if made_of:
            return derived(made_of[0], "text", "same" if short in SAME_FUNCTIONS else "part")
    return of_kind(result)


def ask(node: Var, kind: str, weight: int = STRONG) -> None:
    """Note that a value must be of a kind as the tables write it: `text~json`, `list:number`, `int~year`."""
    if not kind:
        return
    head, _, rest = kind.partition(":") if not kind.startswith("text~") else (kind, "", "")
    alternatives = head.split("|")
    base, _, detail = alternatives[0].partition("~")
    light = weight if base not in {"iterable", "sized"} else WEAK
    if len(alternatives) > 1:
        light = WEAK
        for other in alternatives[1:]:
            node.add(other, WEAK)
    if base == "array2" or base == "square":
        node.add("ndarray", WEAK + 1)
        node.find().dims.add(2)
        if base == "square":
            node.find().axes[-1] = -1
        return
    if base == "array":
        node.add("ndarray", WEAK + 1)
        node.add("list:number", WEAK)
        return
    node.add(base, light)
    if detail:
        node.note("formats", [detail])
    if rest:
        ask(node.elements(), rest, weight)


def of_kind(kind: str) -> Var:
    """A fresh node of a kind as the tables write it."""
    base, _, rest = kind.partition(":")
    node = Var(base.split("~")[0])
    if rest:
        node.element = of_kind(rest)
    return node


def _local_call(target: Var, arguments: list[Var]) -> Var:
    function = target.find().function
    if function is None:
        target.add("callable")
        return Var()
    _, parameters, result = cast("tuple[list[str], list[Var], Var]", function)
    for parameter, argument in zip(parameters, arguments, strict=False):
        unify(argument, parameter)
    return result


def _isinstance(node: ast.Call, arguments: list[Var]) -> Var:
    subject = arguments[0].find()
    for name in class_names(node.args[1]):
        kind = CLASS_KINDS.get(name)
        if kind and not any(known == kind for known, _ in subject.alternatives):
            subject.alternatives.append((kind, Var(kind)))
    return Var("bool")


def _higher_order(
    reader: ExpressionReader, name: str, node: ast.Call, arguments: list[Var], keywords: dict[str, Var] | None = None
) -> Var:
    key = (keywords or {}).get("key")
    if name in {"map", "filter", "reduce"} and len(arguments) >= 2:
        element = reader.iterate(arguments[1])
        result = _apply(arguments[0], [element, element] if name == "reduce" else [element], node.args[0])
        if name == "filter":
            return arguments[1]
        mapped = Var("list")
        mapped.element = result
        return result if name == "reduce" else mapped
    if not arguments:
        return Var({"list": "list", "set": "set", "frozenset": "set", "tuple": "tuple"}.get(name, ""))
    if name == "zip":
        result = Var("list")
        for place, argument in enumerate(arguments):
            result.elements().items[place] = reader.iterate(argument)
        return result
    if name in {"min", "max"} and len(arguments) > 1:
        for argument in arguments:
            argument.add("number", WEAK)
        return Var().draw(*arguments)
    element = reader.iterate(arguments[0])
    if key is not None:
        _apply(key, [element], None)
    if name == "enumerate":
        result = Var("list")
        result.elements().items[0] = Var("int")
        result.elements().items[1] = element
        return result
    if name == "sum":
        element.add("number", WEAK + 1)
        return Var("number")
    if name in {"any", "all"}:
        return Var("bool")
    if name in {"sorted", "min", "max"} and key is None:
        element.add("ordered", WEAK)
    if name in _ELEMENT_RESULTS:
        return element
    if name in {"set", "frozenset"}:
        element.add("hashable", WEAK)
    result = Var("set" if name in {"set", "frozenset"} else "tuple*" if name == "tuple" else "list")
    result.element = element
    return result


def _apply(function: Var, arguments: list[Var], tree: ast.expr | None) -> Var:
    """Call a function value: a lambda or an inner function binds, a builtin by name asks."""
    found = function.find().function
    if found is not None:
        return _local_call(function, arguments)
    if isinstance(tree, ast.Name) and tree.id in FUNCTIONS:
        kinds, result = FUNCTIONS[tree.id]
        for kind, argument in zip(kinds, arguments, strict=False):
            ask(argument, kind)
        return of_kind(result) if not result.startswith("@") else arguments[0]
    if isinstance(tree, ast.Attribute) and isinstance(tree.value, ast.Name) and tree.value.id == "str":
        arguments[0].add("text")
        return of_kind(TEXT_METHODS.get(tree.attr, ""))
    return Var()


def _numpy(node: ast.Call, arguments: list[Var]) -> Var:
    first = node.args[0] if node.args else None
    if isinstance(first, ast.Constant) and isinstance(first.value, str) and len(arguments) > 1:
        # einsum: one group of letters per operand, one letter per axis.
        for group, argument in zip(first.value.split("->")[0].split(","), arguments[1:], strict=False):
            argument.add("ndarray", WEAK + 1)
            argument.find().dims.add(len(group.strip()))
        return Var("ndarray")
    for argument in arguments[:1]:
        argument.add("ndarray", WEAK + 1)
        argument.add("list:number", WEAK)
        for keyword in node.keywords:
            if (
                keyword.arg == "axis"
                and isinstance(keyword.value, ast.Constant)
                and isinstance(keyword.value.value, int)
            ):
                argument.find().dims.add(abs(keyword.value.value) + 1)
    for argument in arguments[1:]:
        argument.add("number", WEAK)
    return Var("ndarray")


def _method(reader: ExpressionReader, receiver: Var, name: str, node: ast.Call, env: Env) -> Var:
    arguments = [reader.expression(argument, env) for argument in node.args]
    for keyword in node.keywords:
        value = reader.expression(keyword.value, env)
        if keyword.arg == "key" and name == "sort":
            _apply(value, [receiver.elements()], None)
    first = node.args[0] if node.args else None
    kinds = receiver.find().kinds
    if "regex" in kinds or is_compiled(reader, receiver, name, arguments):
        return compiled_method(reader, receiver, name, arguments)
    if name == "replace" and not node.args and {keyword.arg for keyword in node.keywords} & DATE_PARTS.keys():
        for part in node.keywords:
            receiver.add(DATE_PARTS.get(part.arg or "", "date"), WEAK + 1)
        if any(part.arg == "tzinfo" for part in node.keywords):
            receiver.add("datetime.aware", WEAK)
        return receiver
    if name == "join" and arguments:
        receiver.add("text")
        reader.iterate(arguments[0]).add("text", WEAK + 1)
        return Var("text")
    if name in TEXT_METHODS and not kinds.keys() & {"frame", "series"}:
        return _text_method(receiver, name, node, arguments)
    if name in {"count", "index"} and arguments:
        receiver.add("sequence", WEAK)
        if isinstance(first, ast.Constant) and isinstance(first.value, str):
            receiver.add("text", WEAK)
            receiver.note("tokens", [first.value])
        return Var("int")
    if name in LIST_METHODS:
        receiver.add("list", WEAK + 2)
        if name in {"append", "remove"} and arguments:
            receiver.elements().draw(arguments[0])
        elif name == "extend" and arguments:
            receiver.elements().draw(reader.iterate(arguments[0]))
        return Var()
    if name in SET_METHODS:
        receiver.add("set", WEAK + 1)
        if name == "add" and arguments:
            receiver.elements().draw(arguments[0])
        elif arguments:
            reader.iterate(arguments[0])
        return Var("bool") if name.startswith("is") else receiver
    if name in MAP_METHODS:
        return _map_method(receiver, name, node, arguments)
    if name in {"pop", "update", "clear", "copy"}:
        return _shared_method(receiver, name, first, arguments)
    if name in BYTES_METHODS:
        receiver.add("bytes", WEAK + 1)
        codec(receiver, name, node, arguments)
        return Var("text")
    if name in DATE_ATTRIBUTES:
        receiver.add(DATE_ATTRIBUTES[name], WEAK + 2)
        if name in AWARE_ATTRIBUTES:
            receiver.add("datetime.aware", WEAK)
        return Var("text" if name in {"strftime", "isoformat"} else "")
    if name in FRAME_ATTRIBUTES:
        receiver.add("frame", WEAK + 1)
        return receiver
    if name in ARRAY_ATTRIBUTES:
        receiver.add("ndarray", WEAK + 1)
        receiver.add("array.own", WEAK)
        if name == "transpose" and len(node.args) > 1:
            receiver.find().dims.add(len(node.args))
        for keyword in node.keywords:
            if (
                keyword.arg == "axis"
                and isinstance(keyword.value, ast.Constant)
                and isinstance(keyword.value.value, int)
            ):
                receiver.find().dims.add(abs(keyword.value.value) + 1)
        return receiver if name in {"astype", "copy", "clip"} else Var()
    if name == "read_string" and arguments:
        ask(arguments[0], "text")
        return Var()
    if name in SERIES_ATTRIBUTES:
        receiver.add("series", WEAK + 1)
        return receiver
    receiver.add(f"object.{name}", WEAK + 1)
    return Var()


def _text_method(receiver: Var, name: str, node: ast.Call, arguments: list[Var]) -> Var:
    receiver.add("text")
    if name in PREDICATE_FORMATS:
        receiver.note("formats", [PREDICATE_FORMATS[name]])
    if name in TOKEN_METHODS:
        for argument, value in list(zip(node.args, arguments, strict=True))[:1]:
            receiver.note("tokens", [*_texts(argument), *known_texts(value)])
            receiver.note("patterns", token_patterns(argument, value))
        if arguments and not _texts(node.args[0]):
            arguments[0].add("text", WEAK + 1)
    if name == "encode":
        codec(receiver, name, node, arguments)
    if name == "split" and not node.args:
        receiver.note("formats", ["words"])
    if name == "replace":
        for argument in arguments[:2]:
            argument.add("text", WEAK + 1)
    kind = TEXT_METHODS[name]
    if kind.startswith(("list:", "tuple:")):
        result = Var("list" if kind.startswith("list:") else "tuple")
        result.element = derived(receiver, "text", "part")
        if kind.startswith("tuple:"):
            result.items = {place: derived(receiver, "text", "part") for place in range(3)}
        return result
    if kind == "text":
        return derived(receiver, "text", "same" if name in SAME_TEXT else "part")
    return Var(kind)


def _texts(node: ast.expr) -> list[str]:
    match node:
        case ast.Constant(value=str(text)):
            return [text]
        case ast.Tuple(elts=items) | ast.List(elts=items):
            return [text for item in items for text in _texts(item)]
        case _:
            return []


def _map_method(receiver: Var, name: str, node: ast.Call, arguments: list[Var]) -> Var:
    receiver.add("map", WEAK + 2)
    if name in {"get", "setdefault"} and arguments:
        first = node.args[0]
        if isinstance(first, ast.Constant):
            value = receiver.entry(cast("str", first.value), required=False)
        else:
            key = receiver.keys()
            unify(key, arguments[0])
            value = receiver.values()
        if len(arguments) > 1:
            for kind in arguments[1].find().kinds:
                value.add(kind, WEAK)
            if isinstance(node.args[1], ast.Constant) and node.args[1].value is None:
                value.find().nullable = True
        return value
    if name == "items":
        result = Var("list")
        result.elements().items[0] = receiver.keys()
        result.elements().items[1] = receiver.values()
        return result
    if name in {"keys", "values"}:
        result = Var("list")
        result.element = receiver.keys() if name == "keys" else receiver.values()
        return result
    return Var()


def _shared_method(receiver: Var, name: str, first: ast.expr | None, arguments: list[Var]) -> Var:
    if name == "copy":
        return receiver
    if name == "pop":
        if isinstance(first, ast.Constant) and isinstance(first.value, str):
            receiver.add("map", WEAK + 1)
            return receiver.entry(first.value, required=len(arguments) < 2)
        receiver.add("list" if len(arguments) < 2 else "map", WEAK)
        return receiver.elements()
    if name == "update":
        receiver.add("map", WEAK)
        for argument in arguments:
            argument.add("map", WEAK)
    return Var()
