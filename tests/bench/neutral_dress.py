"""How many documented functions could wear the neutral dress, and why others could not, by what their authors wrote.

Takes functions of the packages that are installed here, drawn by a seed; instructions are composed of their docstrings
without cases, so that reasons which hang on cases do not show.
"""

from __future__ import annotations

import argparse
import ast
import json
import random
import sysconfig
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from pbt_generator.domain.exercises.dress import Wearer, dressed
from pbt_generator.domain.task.naming import public
from pbt_generator.domain.task.wording.heads import signatures
from pbt_generator.domain.task.wording.instruction import compose
from pbt_generator.domain.task.wording.observed import Observed
from pbt_generator.domain.task.wording.prose import read_prose
from pbt_generator.domain.task.wording.told import Told

ANY = Observed("any")
# A package has so many files read and functions drawn.
FILES, EACH, PACKAGES = 20, 12, 80


def functions(folder: Path) -> Iterator[tuple[str, ast.FunctionDef]]:
    """Documented functions of a package's modules, its tests left out, with their code."""
    for path in sorted(folder.rglob("*.py"))[:FILES]:
        if "test" in path.relative_to(folder).as_posix():
            continue
        try:
            text = path.read_text("utf-8")
            tree = ast.parse(text)
        except (SyntaxError, ValueError):
            continue
        for node in tree.body:
            if isinstance(node, ast.FunctionDef) and len(ast.get_docstring(node) or "") > 20:
                yield ast.get_source_segment(text, node) or "", node


def wearer(code: str, node: ast.FunctionDef, package: str) -> Wearer | None:
    """A function as a task would tell of it; None where its docstring says nothing in words."""
    prose = read_prose(ast.get_docstring(node) or "")
    entry, source = public(node.name, code)
    parameters = [(each.arg, ANY) for each in (*node.args.posonlyargs, *node.args.args)]
    if not prose.text or not parameters:
        return None
    told = [Told(name, seen, prose.parameters.get(name, "")) for name, seen in parameters]
    written = compose(entry, "SC", prose, told, ANY, ())
    return Wearer(entry, written, signatures(entry, told, ANY), source, (), node.name, (package,))


def main() -> None:
    """Print one JSON line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    draw = random.Random(parser.parse_args().seed)
    asked, left_out, packages = Counter[bool](), Counter[tuple[bool, str]](), 0
    installed = sorted(
        each for each in Path(sysconfig.get_path("purelib")).iterdir() if (each / "__init__.py").is_file()
    )
    for folder in draw.sample(installed, min(PACKAGES, len(installed))):
        found = list(functions(folder))
        packages += bool(found)
        for code, node in draw.sample(found, min(EACH, len(found))):
            given = wearer(code, node, folder.name)
            if given is None:
                continue
            several = "_" in given.entry_point
            asked[several] += 1
            worn = dressed(given)
            if isinstance(worn, str):
                left_out[several, worn] += 1
    reasons = {
        kind: {reason: count for (several, reason), count in left_out.most_common() if several == flag}
        for kind, flag in (("one_word", False), ("several_words", True))
    }
    counts = {"functions": asked.total(), "one_word": asked[False], "several_words": asked[True]}
    print(json.dumps({"packages": packages, **counts, "left_out": reasons}))


if __name__ == "__main__":
    main()
