"""When code appeared: what the ingester says, against a second reader that looks into every release.

    python tests/bench/first_seen.py [--draw NAME] [--without DRAW:N ...] [--packages N] [--each N]
        [--window DAYS] [--list FILE]

For candidates of packages drawn at random (needs the package index). The second reader shares nothing with the first:
it compares `ast` dumps without docstrings and annotations, names of the function's own numbered, and reads every
release of the window and the last one before it. `later` counts dates that are later than the second reader's, which
would pass old code for recent; `near` those where the first reader took an edited copy for the same code,
which the second one does not know: they are earlier and checked by the share of equal text. `edited` counts dates that
the second reader gives too, though the release before held nine tenths of the text: both number a function's names, so
that they might miss the same edits. Prints JSON lines.
"""

from __future__ import annotations

import argparse
import ast
import asyncio
import difflib
import hashlib
import json
import tempfile
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from drawn import add_without, drawn

from ingester.adapters.analysis_pool import AnalysisPool
from ingester.adapters.archives import UnpackLimits
from ingester.adapters.git_repository import GitRepository
from ingester.adapters.package_index import PackageIndex
from ingester.adapters.reader import Reader
from ingester.domain.analysis import analyse_file
from ingester.domain.filters import Limits, judge_place
from ingester.domain.identity import function_id, source_id
from ingester.errors import SourceRefusedError
from ingester.ports import Extracted, Source, SourceVersion
from ingester.usecases.dating import Dater
from ingester.usecases.ingestion import own_names

MOST_RELEASES = 40
# The second reader takes its time.
MOST_FUNCTIONS = 2500


class Plain(ast.NodeTransformer):
    """Numbers names that a function binds, takes docstring and annotations away."""

    def __init__(self, bound: set[str]) -> None:
        self.names: dict[str, str] = {}
        self.bound = bound

    def number(self, name: str) -> str:
        return self.names.setdefault(name, f"n{len(self.names)}") if name in self.bound else name

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.copy_location(ast.Name(self.number(node.id), node.ctx), node)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        return ast.arg(self.number(node.arg), None)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        body = node.body[1:] if ast.get_docstring(node) is not None and len(node.body) > 1 else node.body
        args = self.visit(node.args)
        return ast.FunctionDef(self.number(node.name), args, [self.visit(each) for each in body], [], None)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if node.value is None:
            return ast.Pass()
        return ast.Assign([self.visit(node.target)], self.visit(node.value), lineno=1)


def dump(function: ast.FunctionDef) -> str:
    bound = {each.arg for each in ast.walk(function) if isinstance(each, ast.arg)} | {function.name}
    bound |= {e.id for e in ast.walk(function) if isinstance(e, ast.Name) and not isinstance(e.ctx, ast.Load)}
    bound |= {e.name for e in ast.walk(function) if isinstance(e, ast.FunctionDef)}
    return ast.dump(Plain(bound).visit(function))


def functions_in(text: bytes) -> list[tuple[str, str]]:
    """Dump and text of every function of a file."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return []
    found = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    texts = [ast.unparse(node) for node in found]
    return [(dump(ast.parse(each).body[0]), each) for each in texts]  # pyright: ignore[reportArgumentType]


async def measure(name: str, each: int, window: int, reader: Reader, pool: AnalysisPool) -> list[dict[str, Any]]:
    """Candidates of one package, each with both answers."""
    source = Source(source_id("package", name, ""), "package", name)
    version = reader.find(source)
    since = datetime.now(UTC) - timedelta(days=window)
    if version.released_at is None or version.released_at < since:
        return []
    with reader.open(source, version) as tree:
        limits = Limits(own_names=own_names(source))
        items = [
            Extracted(function_id(version.version, file.path, found), file.path, found, "", "", None)
            for file in tree.files()
            if file.path.endswith(".py") and judge_place(file.path) is None
            for found in analyse_file(file.content, file.path, limits=limits, sketch=False).functions
            if not found.rejected_by
        ]
        if sum(len(functions_in(file.content)) for file in tree.files() if file.path.endswith(".py")) > MOST_FUNCTIONS:
            raise SourceRefusedError(f"has more than {MOST_FUNCTIONS} functions", thing=name)
        items.sort(key=lambda item: hashlib.sha256(item.found.code.encode()).hexdigest())
        dated = await Dater(reader, pool, datetime.now(UTC)).date(source, version, tree, since, items[:each])
    released = [each for each in [*reader.earlier(source, version), version] if each.released_at]
    gate = max((i for i, one in enumerate(released) if one.released_at and one.released_at < since), default=0)
    walk = released[gate:][:MOST_RELEASES]
    held = {one.version: held_by(reader, source, one) for one in walk}
    rows: list[dict[str, Any]] = []
    for item in dated:
        mine = functions_in(item.found.code.encode())[0]
        # A package without a release in the window was left out: every one of the walk has a date.
        first = next((one for one in walk if mine[0] in {d for d, _ in held[one.version]}), version)
        seen = item.dating.first_seen
        assert seen is not None
        old = seen < since
        if old:
            # Too old is right when the release that shows it holds the code.
            shown = held.get(item.dating.version) or held_by(reader, source, _named(released, item.dating.version))
            held[item.dating.version] = shown
            verdict = "right" if mine[0] in {d for d, _ in shown} else "earlier"
        else:
            verdict = (
                "right" if seen == first.released_at else "later" if seen > (first.released_at or seen) else "earlier"
            )
        likeness = 0.0
        if verdict == "earlier":
            others = [text for _, text in held.get(item.dating.version, [])]
            likeness = max((alike(mine[1], other) for other in others), default=0.0)
            verdict = "near" if likeness >= 0.7 else "open" if item.dating.at_latest else "earlier"
        if verdict == "right" and not old:
            before = walk[: next((place for place, one in enumerate(walk) if one is first), 0)][-1:]
            others = [text for one in before for _, text in held[one.version]]
            likeness = max((alike(mine[1], other) for other in others), default=0.0)
            verdict = "edited" if likeness >= 0.9 else "right"
        rows.append({
            "package": name, "qualname": item.found.qualname, "ours": item.dating.version,
            "second": first.version, "verdict": verdict, "likeness": round(likeness, 2),
            "old": old, "looked_at": item.dating.looked_at,
        })  # fmt: skip
    return rows


def _named(released: list[SourceVersion], version: str) -> SourceVersion:
    return next(one for one in released if one.version == version)


def alike(left: str, right: str) -> float:
    matcher = difflib.SequenceMatcher(None, left, right, autojunk=False)
    return matcher.ratio() if matcher.real_quick_ratio() > 0.7 and matcher.quick_ratio() > 0.7 else 0.0


def held_by(reader: Reader, source: Source, version: SourceVersion) -> list[tuple[str, str]]:
    try:
        with reader.open(source, version) as tree:
            return [each for file in tree.files() if file.path.endswith(".py") for each in functions_in(file.content)]
    except SourceRefusedError:
        return []


async def run(asked: argparse.Namespace) -> None:
    rows: list[dict[str, Any]] = []
    pool = AnalysisPool(1)
    with tempfile.TemporaryDirectory() as made:
        reader = Reader(PackageIndex(), GitRepository(), Path(made), UnpackLimits())
        for name in drawn(asked.draw, 4 * asked.packages, asked.without):
            if len({row["package"] for row in rows}) >= asked.packages:
                break
            try:
                found = await measure(name, asked.each, asked.window, reader, pool)
            except SourceRefusedError as error:
                print(json.dumps({"bench": "first_seen", "package": name, "left_out": str(error)[:100]}), flush=True)
                continue
            rows += found
            counts = Counter(row["verdict"] for row in found)
            print(json.dumps({"bench": "first_seen", "package": name, **counts}), flush=True)
            if asked.list:
                with asked.list.open("a") as stream:
                    stream.writelines(json.dumps(row) + "\n" for row in found)
    await pool.close()
    counts = Counter(row["verdict"] for row in rows)
    good = counts["right"] + counts["near"]
    line = {
        "bench": "first_seen", "draw": asked.draw, "functions": len(rows), **counts,
        "share_right": round(good / max(1, len(rows)), 4), "aim": 0.95,
        "old_in_a_new_release": sum(row["old"] for row in rows),
    }  # fmt: skip
    print(json.dumps(line))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draw", default="first")
    add_without(parser)
    parser.add_argument("--packages", type=int, default=16)
    parser.add_argument("--each", type=int, default=16)
    parser.add_argument("--window", type=int, default=365)
    parser.add_argument("--list", type=Path)
    asyncio.run(run(parser.parse_args()))


if __name__ == "__main__":
    main()
