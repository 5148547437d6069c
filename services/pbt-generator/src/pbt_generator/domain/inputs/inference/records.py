"""Objects of which a program reads nothing but attributes, as maps: data that needs no class.

`problem.line` becomes `problem['line']` in the ground truth, `getattr(problem, 'rule', None)` becomes
`problem.get('rule', None)`; the task is about such maps, and its certificate names the parameters. Objects may be
members of a list that the program goes over, attributes of such objects, or go to a helper that reads them in the same
way. Left alone is every program in which the two could differ: where the object itself goes anywhere else, a method is
called, an attribute is written, or an error could be caught.
"""

from __future__ import annotations

import ast
from collections.abc import Collection
from dataclasses import dataclass, field, replace

from pbt_generator.domain.inputs.inference.demands import known_values
from pbt_generator.domain.inputs.inference.signature import Program
from pbt_generator.domain.oracle.syntax import CATCHING, FunctionNode, named_parameters, parameter_names

_ASKING = {"getattr", "hasattr"}


def with_maps_for_objects(program: Program, *, portable: bool = True) -> tuple[Program, tuple[str, ...]]:
    """The program with maps where it reads attributes of parameters, and the names of these parameters.

    Args:
        program: A function that stands alone.
        portable: Arguments are what five languages share, without library values.
    """
    known = known_values(program.modules, portable=portable)
    if known is None:
        return program, ()
    module, place = _parsed(program.source, program.entry_point)
    entry = module.body[place]
    assert isinstance(entry, FunctionNode)
    objects = _Objects(module, entry, known)
    if not objects.names:
        return program, ()
    for function in objects.functions.values():
        held = objects.held[function.name]
        for argument in named_parameters(function.args):
            if argument.arg in held.parameters:
                argument.annotation = None
        function.body = [_Entries(held.names, known).visit(statement) for statement in function.body]
    source = ast.unparse(ast.fix_missing_locations(module)) + "\n"
    written, _ = _parsed(source, program.entry_point)
    tree = written.body[place]
    assert isinstance(tree, FunctionNode)
    helpers = tuple(node for node in written.body if isinstance(node, FunctionNode) and node.name != tree.name)
    types = {name: words for name, words in program.docstring.types.items() if name not in objects.names}
    docstring = replace(program.docstring, types=types)
    return replace(program, source=source, tree=tree, helpers=helpers, docstring=docstring), objects.names


def _parsed(source: str, entry_point: str) -> tuple[ast.Module, int]:
    """A program, and the place of its entry: the last function of that name."""
    module = ast.parse(source)
    places = [at for at, node in enumerate(module.body) if isinstance(node, FunctionNode) and node.name == entry_point]
    return module, places[-1]


@dataclass
class _Held:
    """What of a function becomes a map: parameters that are such objects or hold some, and all names of one."""

    parameters: set[str] = field(default_factory=set[str])
    names: set[str] = field(default_factory=set[str])


class _Objects:
    """Which names of a program stand for objects that are only read.

    Args:
        module: The program.
        entry: The function that is called from outside.
        known: Attributes that values made from data have.

    Attributes:
        functions: The functions of the module that an object of the entry's comes to, by their names.
        held: What of each is an object.
        names: The entry's parameters that are such objects, or lists of them.
    """

    def __init__(self, module: ast.Module, entry: FunctionNode, known: frozenset[str]) -> None:
        self.entry = entry
        self.known = known
        functions = [node for node in module.body if isinstance(node, FunctionNode)]
        names = [node.name for node in functions]
        self.every = {node.name: node for node in functions if names.count(node.name) == 1 or node is entry}
        self.calls = [node for node in ast.walk(module) if isinstance(node, ast.Call)]
        self.mentions = [node for node in ast.walk(module) if isinstance(node, ast.Name)]
        self.functions: dict[str, FunctionNode] = {entry.name: entry}
        self.held: dict[str, _Held] = {entry.name: _Held()}
        self.names: tuple[str, ...] = ()
        found = [name for name in parameter_names(entry) if self._parameter(entry, name)]
        self.names = tuple(found)

    def _parameter(self, function: FunctionNode, name: str) -> bool:
        """Take in a parameter that is such an object, or a list of some; gives whether it is one."""
        if self._object(function, name):
            self.held[function.name].parameters.add(name)
            return True
        parents = _parents(function)
        uses = _named(function, name)
        members = {_member_of(node, parents) for node in uses} - {"", None}
        if len(members) != 1 or any(_member_of(node, parents) is None for node in uses):
            return False
        (member,) = members
        assert member is not None
        if not self._object(function, member, name):
            return False
        self.held[function.name].parameters.add(name)
        return True

    def _object(self, function: FunctionNode, name: str, members_of: str = "") -> bool:
        """Whether a name stands for objects that are only read, here and wherever they go; takes them in if so."""
        taken: dict[str, set[str]] = {}
        read: set[str] = set()
        if not self._only_read(function, name, taken, read, members_of) or not any(
            each not in self.known for each in read
        ):
            return False
        for owner, held in taken.items():
            self.functions[owner] = self.every[owner]
            own = self.held.setdefault(owner, _Held())
            own.names |= held
            own.parameters |= held & set(parameter_names(self.every[owner]))
        return True

    def _only_read(
        self, function: FunctionNode, name: str, taken: dict[str, set[str]], read: set[str], members_of: str = ""
    ) -> bool:
        if name in taken.get(function.name, ()):
            return True
        taken.setdefault(function.name, set()).add(name)
        nodes = [node for statement in function.body for node in ast.walk(statement)]
        if any(isinstance(node, CATCHING) or (isinstance(node, ast.arg) and node.arg == name) for node in nodes):
            return False
        parents = _parents(function)
        for node in _named(function, name):
            if not isinstance(node.ctx, ast.Load):
                if not _goes_over(node, parents, members_of):
                    return False
            elif not self._reads(node, parents, taken, read):
                return False
        return True

    def _reads(self, node: ast.Name, parents: dict[int, ast.AST], taken: dict[str, set[str]], read: set[str]) -> bool:
        """Whether an object is only read where its name stands."""
        match parents.get(id(node)):
            case ast.Attribute(attr=attr, ctx=ast.Load()) as attribute:
                called = parents.get(id(attribute))
                read.add(attr)
                return not attr.startswith("_") and not (isinstance(called, ast.Call) and called.func is attribute)
            case ast.Call(func=ast.Name(id="getattr" | "hasattr"), args=[first, ast.Constant(value=str(attr)), *_]) if (
                first is node
            ):
                read.add(attr)
                return attr.isidentifier() and not attr.startswith("_") and not self._shadowed()
            case ast.Compare(ops=[ast.Is() | ast.IsNot()], comparators=[ast.Constant(value=None)]):
                return True
            case ast.Call(func=ast.Name(id=called), args=args, keywords=[]) if called in self.every:
                helper = self.every[called]
                return helper is not self.entry and self._goes_to(helper, args, node, taken, read)
            case _:
                return False

    def _goes_to(
        self, helper: FunctionNode, args: list[ast.expr], node: ast.Name, taken: dict[str, set[str]], read: set[str]
    ) -> bool:
        """Whether a helper only reads what it is given at a place, and nobody gives it anything else there."""
        parameters = [each.arg for each in (*helper.args.posonlyargs, *helper.args.args)]
        if helper.decorator_list or node not in args or any(isinstance(each, ast.Starred) for each in args):
            return False
        place = args.index(node)
        calls = [each for each in self.calls if isinstance(each.func, ast.Name) and each.func.id == helper.name]
        mentions = [each for each in self.mentions if each.id == helper.name]
        # One caller is known; what others give it need not be an object.
        return (
            place < len(parameters)
            and len(mentions) == len(calls) == 1
            and self._only_read(helper, parameters[place], taken, read)
        )

    def _shadowed(self) -> bool:
        stored = (each for each in self.mentions if isinstance(each.ctx, ast.Store))
        return bool(_ASKING & self.every.keys()) or any(each.id in _ASKING for each in stored)


def _parents(function: FunctionNode) -> dict[int, ast.AST]:
    return {id(child): node for node in ast.walk(function) for child in ast.iter_child_nodes(node)}


def _named(function: FunctionNode, name: str) -> list[ast.Name]:
    nodes = (node for statement in function.body for node in ast.walk(statement))
    return [node for node in nodes if isinstance(node, ast.Name) and node.id == name]


def _member_of(node: ast.Name, parents: dict[int, ast.AST]) -> str | None:
    """The name that members of a list get where the list is gone over; empty where its size is asked, else None."""
    match parents.get(id(node)):
        case ast.For(target=ast.Name(id=name), iter=over) | ast.comprehension(target=ast.Name(id=name), iter=over):
            return name if over is node else None
        case ast.Call(func=ast.Name(id="len"), args=[_], keywords=[]):
            return ""
        case ast.Compare(ops=[ast.Is() | ast.IsNot()], comparators=[ast.Constant(value=None)]):
            return ""
        case _:
            return None


def _goes_over(node: ast.Name, parents: dict[int, ast.AST], source: str) -> bool:
    """Whether a name is bound to the members of a list."""
    match parents.get(id(node)):
        case ast.For(target=target, iter=ast.Name(id=over)) | ast.comprehension(target=target, iter=ast.Name(id=over)):
            return target is node and over == source
        case _:
            return False


class _Entries(ast.NodeTransformer):
    """Writes entries of maps where attributes of objects are read, those of their attributes among them."""

    def __init__(self, names: Collection[str], known: frozenset[str]) -> None:
        self.names = names
        self.known = known
        self.called: set[int] = set()

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.called.add(id(node.func))
        match node:
            case ast.Call(
                func=ast.Name(id="getattr" | "hasattr" as asked),
                args=[ast.Name(id=name) as owner, ast.Constant() as attr, *rest],
            ) if name in self.names:
                # What is not there is None by itself.
                none = len(rest) == 1 and isinstance(rest[0], ast.Constant) and rest[0].value is None
                default = [] if none else [self.visit(each) for each in rest]
                if asked == "hasattr":
                    return ast.Compare(attr, [ast.In()], [owner])
                if rest:
                    return ast.Call(ast.Attribute(owner, "get", ast.Load()), [attr, *default], [])
                return ast.Subscript(owner, attr, ast.Load())
            case _:
                self.generic_visit(node)
                return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        if isinstance(node.ctx, ast.Load) and id(node) not in self.called and self._read(node.value, node.attr):
            value: ast.expr = self.visit(node.value)
            return ast.Subscript(value, ast.Constant(node.attr), ast.Load())
        self.generic_visit(node)
        return node

    def _read(self, owner: ast.expr, attr: str) -> bool:
        """Whether an attribute is read of such an object, or of an attribute of one that is no value made from data."""
        match owner:
            case ast.Name(id=name):
                return name in self.names
            case ast.Attribute(value=value, attr=inner):
                return attr not in self.known and not attr.startswith("_") and self._read(value, inner)
            case _:
                return False


__all__ = ["with_maps_for_objects"]
