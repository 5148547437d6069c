"""Reads expressions: each gives the node of its value, and adds what its use says about the nodes of its parts."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from pbt_generator.domain.inputs.inference import usage_calls, usage_patterns
from pbt_generator.domain.inputs.inference.facts import STRONG, WEAK, Var, derived, unify
from pbt_generator.domain.inputs.inference.usage_literals import constant_of, kind_of, members_of, scalar
from pbt_generator.domain.inputs.inference.usage_tables import (
    ARRAY_ATTRIBUTES,
    AWARE_ATTRIBUTES,
    CLASS_KINDS,
    DATE_ATTRIBUTES,
    FRAME_ATTRIBUTES,
)
from pbt_generator.domain.inputs.shapes import Scalar
from pbt_generator.domain.oracle.syntax import class_names

Env = dict[str, Var]


class ExpressionReader:
    """Reads expressions under a binding of names.

    Args:
        modules: names bound by imports, to the dotted name of what they stand for.
    """

    def __init__(self, modules: dict[str, str]) -> None:
        self.modules = modules
        # Texts of the program that read like regular expressions.
        self.regexes: tuple[str, ...] = ()
        # Whether something catches what a wrong number of parts raises.
        self.caught = False

    def truth(self, test: ast.expr, env: Env) -> Var:
        """Read a test; a bare name in it may well be a truth value."""
        result = self.expression(test, env)
        bare = test.operand if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) else test
        if isinstance(bare, ast.Name) and bare.id in env:
            env[bare.id].add("truth", WEAK)
        return result

    def bind(self, target: ast.expr, value: Var, env: Env) -> None:
        """Assign a node to a target."""
        match target:
            case ast.Name(id=name):
                env[name] = value
            case ast.Tuple(elts=targets) | ast.List(elts=targets):
                self.unpack(targets, value, env)
            case ast.Starred(value=inner):
                self.bind(inner, value, env)
            case ast.Subscript():
                self.expression(target, env)
            case ast.Attribute(value=inner):
                self.expression(inner, env)
            case _:
                pass

    def unpack(self, targets: Sequence[ast.expr], value: Var, env: Env) -> None:
        """Assign the parts of a sequence."""
        node = value.find()
        if any(isinstance(target, ast.Starred) for target in targets):
            node.add("iterable", WEAK)
            node.sizes.append(len(targets))
            for target in targets:
                self.bind(target, Var("list") if isinstance(target, ast.Starred) else node.elements(), env)
            return
        node.unpack.add(len(targets))
        node.unpack_caught = node.unpack_caught or self.caught
        for index, target in enumerate(targets):
            self.bind(target, node.item(index), env)

    def narrow(self, test: ast.expr, env: Env) -> None:
        """Apply `isinstance(name, T)` and its like to the names of an arm."""
        match test:
            case ast.BoolOp(op=ast.And(), values=values):
                for value in values:
                    self.narrow(value, env)
            case (
                ast.Call(func=ast.Name(id="isinstance"), args=[ast.Name(id=name), classes])
                | ast.Compare(
                    left=ast.Call(func=ast.Name(id="type"), args=[ast.Name(id=name)]),
                    ops=[ast.Is() | ast.Eq() | ast.In()],
                    comparators=[classes],
                )
            ) if name in env:
                kinds = [CLASS_KINDS[cls] for cls in class_names(classes) if cls in CLASS_KINDS]
                subject = env[name].find()
                if len(kinds) == 1:
                    for kind, alternative in subject.alternatives:
                        if kind == kinds[0]:
                            env[name] = alternative
                            return
                alternative = Var(kinds[0] if len(kinds) == 1 else "")
                for kind in kinds:
                    subject.alternatives.append((kind, alternative))
                env[name] = alternative
            case _:
                pass

    def iterate(self, iterable: Var) -> Var:
        """The node of what iterating over a value gives."""
        node = iterable.find()
        node.add("iterable", WEAK)
        return node.elements()

    def expression(self, node: ast.expr | None, env: Env) -> Var:
        """Read one expression and give the node of its value."""
        match node:
            case None:
                return Var()
            case ast.Name(id=name):
                return env[name].find() if name in env else Var()
            case ast.Constant(value=value):
                return self.constant(value)
            case ast.Call():
                return usage_calls.call(self, node, env)
            case ast.Attribute():
                return self.attribute(node, env)
            case ast.Subscript(value=value, slice=index):
                return self.subscript(self.expression(value, env), index, env)
            case ast.BinOp(left=left, op=op, right=right):
                return self.binary(self.expression(left, env), op, self.expression(right, env))
            case ast.BoolOp(values=values):
                return self.boolean(node, values, env)
            case ast.UnaryOp(op=op, operand=operand):
                inner = self.expression(operand, env)
                if isinstance(op, ast.Not):
                    return Var("bool")
                inner.add("int" if isinstance(op, ast.Invert) else "number", WEAK)
                return derived(inner, "number", "number")
            case ast.Compare(left=left, ops=ops, comparators=comparators):
                self.compare(left, ops, comparators, env)
                return Var("bool")
            case ast.IfExp(test=test, body=body, orelse=orelse):
                self.truth(test, env)
                narrowed = dict(env)
                self.narrow(test, narrowed)
                return Var().draw(self.expression(body, narrowed), self.expression(orelse, env))
            case ast.ListComp(elt=elt, generators=generators) | ast.GeneratorExp(elt=elt, generators=generators):
                return self.comprehension("list", elt, generators, env)
            case ast.SetComp(elt=elt, generators=generators):
                return self.comprehension("set", elt, generators, env)
            case ast.DictComp(key=key, value=value, generators=generators):
                scope = self.generators(generators, env)
                result = Var("map")
                result.key, result.value = self.expression(key, scope), self.expression(value, scope)
                return result
            case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items):
                return self.display(node, items, env)
            case ast.Dict(keys=keys, values=values):
                return self.dictionary(keys, values, env)
            case ast.JoinedStr(values=values):
                for value in values:
                    self.expression(value, env)
                joined = Var("text")
                joined.templates.append(node)
                return joined
            case ast.FormattedValue(value=value, format_spec=spec):
                self.formatted(self.expression(value, env), spec)
                return Var("text")
            case ast.NamedExpr(target=target, value=value):
                result = self.expression(value, env)
                env[target.id] = result
                return result
            case ast.Lambda():
                return self.function_value(node, env)
            case ast.Starred(value=value):
                return self.expression(value, env)
            case ast.Slice(lower=lower, upper=upper, step=step):
                for part in (lower, upper, step):
                    if part is not None:
                        self.expression(part, env).add("int", WEAK)
                return Var()
            case _:
                return Var()

    def constant(self, value: object) -> Var:
        """The node of a literal."""
        node = Var(kind_of(value))
        node.nullable = value is None
        node.constants = [scalar(value)] if value is not None and value is not ... else []
        return node

    def attribute(self, node: ast.Attribute, env: Env) -> Var:
        """Read `x.name`."""
        value, name = self.expression(node.value, env), node.attr
        if isinstance(node.value, ast.Name) and node.value.id not in env:
            return Var()
        if name in DATE_ATTRIBUTES:
            value.add(DATE_ATTRIBUTES[name], WEAK + 1)
            if name in AWARE_ATTRIBUTES:
                value.add("datetime.aware", WEAK)
            return derived(value, "int", "number")
        if name == "shape":
            value.add("ndarray")
            value.add("array.own", WEAK)
            return derived(value, "", "shape")
        if name in ARRAY_ATTRIBUTES:
            value.add("ndarray", WEAK)
            value.add("array.own", WEAK)
            return value if name == "T" else Var()
        if name in FRAME_ATTRIBUTES:
            value.add("frame", WEAK)
            return Var()
        value.add(f"object.{name}", WEAK)
        return Var()

    def subscript(self, value: Var, index: ast.expr, env: Env) -> Var:
        """Read `value[index]`."""
        match index:
            case ast.Constant(value=str(name)):
                value.add("map", WEAK + 1)
                value.find().columns_read.add(name)
                return value.entry(name, required=True)
            case ast.Constant(value=int(place)) if not isinstance(index.value, bool):
                return self.item(value, place)
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(place))):
                return self.item(value, -place)
            case ast.Slice():
                self.expression(index, env)
                value.add("sliceable", WEAK)
                for bound in (index.lower, index.upper):
                    if isinstance(bound, ast.Constant) and isinstance(bound.value, int):
                        value.note("sizes", [bound.value])
                return derived(value, "", "slice")
            case ast.Tuple(elts=parts):
                return self.array_index(value, parts, env)
            case _:
                key = self.expression(index, env)
                value.add("indexable", WEAK)
                if "int" in key.find().kinds:
                    value.add("sequence", WEAK)
                    return value.elements()
                if "text" in key.find().kinds:
                    value.add("map", WEAK)
                node = value.find()
                if node.kinds.get("sequence") or node.kinds.get("list"):
                    key.add("int", WEAK)
                    return node.elements()
                if node.element is not None and key.find() is node.element.find():
                    # What iteration gives is a key of the same value: a map.
                    value.add("map", STRONG)
                    node.key = key
                    return node.values()
                node.key = unify(node.key, key) if node.key is not None else key
                return Var().draw(node.values(), node.elements())

    def item(self, value: Var, place: int) -> Var:
        """Read `value[constant]`."""
        value.add("sequence", WEAK)
        node = value.find()
        if node.origin is not None and node.origin_mode == "shape":
            node.origin.find().dims.add(max(place + 1, 1) if place >= 0 else -place)
            return Var("int")
        if place < 0:
            node.note("sizes", [-place])
            return node.elements()
        return node.item(place)

    def array_index(self, value: Var, parts: Sequence[ast.expr], env: Env) -> Var:
        """Read `value[a, b]`: an array with at least so many axes, or a map with tuple keys."""
        node = value.find()
        keys = [self.expression(part, env) for part in parts]
        if any(isinstance(part, (ast.Slice, ast.Constant)) for part in parts):
            node.add("ndarray", WEAK + 1)
            node.add("array.own", WEAK)
            real = [part for part in parts if not (isinstance(part, ast.Constant) and part.value in {None, ...})]
            node.dims.add(len(real))
            for axis, part in enumerate(real):
                if isinstance(part, ast.Constant) and isinstance(part.value, int):
                    node.axes[axis] = max(node.axes.get(axis, 0), part.value + 1)
                elif (
                    isinstance(part, ast.Slice)
                    and isinstance(part.upper, ast.Constant)
                    and isinstance(part.upper.value, int)
                ):
                    node.axes[axis] = max(node.axes.get(axis, 0), part.upper.value)
        else:
            node.add("indexable", WEAK)
            for key in keys:
                key.add("int", WEAK)
        return derived(node, "", "slice")

    def binary(self, left: Var, op: ast.operator, right: Var) -> Var:
        """Read `left op right`."""
        kinds = {kind for side in (left, right) for kind in side.find().kinds}
        if isinstance(op, ast.Mod) and "text" in left.find().kinds:
            return Var("text")
        if isinstance(op, ast.Add):
            for kind in ("text", "list", "tuple", "bytes"):
                if kind in kinds:
                    for side in (left, right):
                        side.add(kind, WEAK + 1)
                    # The literal is the smaller part: what is asked of the whole is asked of the other one.
                    fixed = left.find().constants and not left.find().sources and not right.find().constants
                    result = derived(right if fixed else left, kind, "part")
                    if kind == "list":
                        # What is asked of the members of the whole is asked of those of its longer part.
                        result.element = left.find().element or right.find().element
                    return result
        if isinstance(op, ast.Mult) and kinds & {"text", "list"}:
            other = right if left.find().kinds.keys() & {"text", "list"} else left
            other.add("int", WEAK)
            return Var("text" if "text" in kinds else "list")
        if isinstance(op, (ast.BitOr, ast.BitAnd, ast.BitXor, ast.Sub)) and kinds & {"set", "map", "datetime", "date"}:
            for kind in ("set", "map", "datetime", "date"):
                if kind in kinds:
                    for side in (left, right):
                        side.add(kind, WEAK)
                    return Var("timedelta" if kind in {"datetime", "date"} else kind)
        if isinstance(op, ast.MatMult):
            for side in (left, right):
                side.add("ndarray")
                side.find().dims.add(2)
            return Var("ndarray")
        wanted = "int" if isinstance(op, (ast.LShift, ast.RShift, ast.BitAnd, ast.BitOr, ast.BitXor)) else "number"
        if isinstance(op, (ast.FloorDiv, ast.Mod)):
            wanted = "int" if "float" not in kinds else "number"
        for side in (left, right):
            side.add(wanted, WEAK + (0 if isinstance(op, (ast.Add, ast.Mult)) else 1))
        return derived(left, "float" if isinstance(op, ast.Div) else "int" if kinds == {"int"} else "number", "number")

    def boolean(self, node: ast.BoolOp, values: Sequence[ast.expr], env: Env) -> Var:
        """Read `a and b`, `a or b`; `x or []` says what x is and that it may be missing."""
        scope = dict(env)
        nodes: list[Var] = []
        for value in values:
            nodes.append(self.truth(value, scope))
            # What comes after an `or` sees the value as it was; that the test asks for a kind is known all the same.
            self.narrow(value, scope if isinstance(node.op, ast.And) else dict(scope))
        for name in scope.keys() - env.keys():
            env[name] = scope[name]
        if isinstance(node.op, ast.Or) and isinstance(values[-1], (ast.Constant, ast.List, ast.Dict, ast.Tuple)):
            for other in nodes[:-1]:
                other.find().nullable = True
                for kind in nodes[-1].find().kinds:
                    if kind != "none":
                        other.add(kind, WEAK + 1)
        return Var().draw(*nodes)

    def compare(self, left: ast.expr, ops: Sequence[ast.cmpop], comparators: Sequence[ast.expr], env: Env) -> None:
        """Read a comparison: constants are worth trying, order asks for numbers or texts, `in` for containers."""
        nodes = [self.expression(left, env), *(self.expression(item, env) for item in comparators)]
        trees = [left, *comparators]
        for place, op in enumerate(ops):
            first, second = nodes[place], nodes[place + 1]
            if isinstance(op, (ast.In, ast.NotIn)):
                self.membership(first, second, trees[place], trees[place + 1])
                continue
            weight = WEAK if isinstance(op, (ast.Eq, ast.NotEq, ast.Is, ast.IsNot)) else WEAK + 1
            for mine, other in ((first, trees[place + 1]), (second, trees[place])):
                found = constant_of(other)
                if found is not None:
                    self.compare_constant(mine, found[0], weight)
            if not any(constant_of(tree) for tree in (trees[place], trees[place + 1])):
                share_kinds(first, second)

    def compare_constant(self, node: Var, value: Scalar, weight: int) -> None:
        """Note that a value is compared with a constant."""
        if value is None:
            node.find().nullable = True
            return
        node.constant(value)
        kind = kind_of(value)
        node.add("number" if kind in {"int", "float"} else kind, weight)

    def membership(self, item: Var, container: Var, item_tree: ast.expr, container_tree: ast.expr) -> None:
        """Read `item in container`."""
        options = members_of(container_tree)
        if options:
            for option in options:
                self.compare_constant(item, option, WEAK)
            return
        found = constant_of(item_tree)
        if found is not None and isinstance(found[0], str):
            container.add("contains.text", WEAK)
            container.note("tokens", [found[0]])
            container.find().optional_fields.add(found[0])
        elif found is not None and found[0] is not None:
            container.add("list", WEAK)
            container.elements().constant(found[0])
        known = usage_patterns.known_texts(item) if found is None and not container.find().kinds.get("map") else []
        container.note("tokens", known)
        if not container.find().kinds.get("text"):
            container.find().optional_fields.update(known)
        container.note("patterns", usage_patterns.token_patterns(item_tree, item))
        if isinstance(container_tree, ast.Constant) and isinstance(container_tree.value, str):
            item.add("text", WEAK + 1)
            item.note("tokens", list(container_tree.value)[:20])
        else:
            container.add("container", WEAK)
            if "map" not in container.find().kinds:
                share_kinds(item, container.elements())

    def comprehension(self, kind: str, elt: ast.expr, generators: Sequence[ast.comprehension], env: Env) -> Var:
        """Read a list or set comprehension or a generator expression."""
        result = Var(kind)
        result.element = self.expression(elt, self.generators(generators, env))
        return result

    def generators(self, generators: Sequence[ast.comprehension], env: Env) -> Env:
        """Bind the targets of a comprehension in a scope of their own."""
        scope = dict(env)
        for generator in generators:
            self.bind(generator.target, self.iterate(self.expression(generator.iter, scope)), scope)
            for condition in generator.ifs:
                self.expression(condition, scope)
                self.narrow(condition, scope)
        return scope

    def display(self, node: ast.expr, items: Sequence[ast.expr], env: Env) -> Var:
        """Read a list, tuple or set display."""
        kind = "list" if isinstance(node, ast.List) else "tuple" if isinstance(node, ast.Tuple) else "set"
        result = Var(kind)
        for index, item in enumerate(items):
            inner = self.expression(item, env)
            if kind == "tuple":
                result.items[index] = inner
            else:
                result.elements().draw(inner)
                if kind == "list" and len(items) <= 6:
                    result.items[index] = inner
        return result

    def dictionary(self, keys: Sequence[ast.expr | None], values: Sequence[ast.expr], env: Env) -> Var:
        """Read a dict display."""
        result = Var("map")
        for key, value in zip(keys, values, strict=True):
            inner = self.expression(value, env)
            if key is None:
                inner.add("map")
                continue
            name = self.expression(key, env)
            result.keys().draw(name)
            if isinstance(key, ast.Constant):
                result.fields[scalar(key.value)] = inner
            result.values().draw(inner)
        return result

    def formatted(self, value: Var, spec: ast.expr | None) -> None:
        """Read the format of an f-string's value."""
        text = ast.unparse(spec) if spec is not None else ""
        if any(text.rstrip("'\"").endswith(letter) for letter in "fegE%") and "%Y" not in text and len(text) < 14:
            value.add("number", WEAK + 1)
        elif any(text.rstrip("'\"").endswith(letter) for letter in "dxXob") and len(text) < 14:
            value.add("int", WEAK + 1)
        elif "%Y" in text or "%m" in text or "%H" in text:
            value.add("datetime", WEAK + 1)

    def function_value(self, node: ast.Lambda, env: Env) -> Var:
        """Read a lambda: its parameters are nodes that a caller binds."""
        names = [argument.arg for argument in node.args.args]
        parameters = [Var() for _ in names]
        result = self.expression(node.body, {**env, **dict(zip(names, parameters, strict=True))})
        own = Var("callable")
        own.function = (names, parameters, result)
        return own


def share_kinds(first: Var, second: Var) -> None:
    """Two values that are compared are likely of one kind."""
    a, b = first.find(), second.find()
    for mine, other in ((a, b), (b, a)):
        for kind in ("text", "int", "float", "number", "date", "datetime", "decimal"):
            if other.kinds.get(kind, 0) > WEAK and kind not in mine.kinds:
                mine.add(kind, WEAK)
