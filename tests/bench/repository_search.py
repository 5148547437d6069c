"""Search inside repositories as RepoRift measures it, as JSON lines on standard output.

The repositories are packages of this environment. Queries are the first paragraphs of docstrings, drawn by hash; the
docstrings are stripped from all that is indexed. A query is asked in its own repository, and a hit on the class around
the function counts. Success@1 and @10 come with intervals over the queries. Each retriever and each step of the
augmented search is switched on and off. Without TOUCHSTONE_LLM_BASE_URL only what needs no language model is measured,
which is said. Functions that mostly call are also embedded with the bodies of their callees behind them, as
TOUCHSTONE_EMBEDDING_CALLEES=true has it, and without, and both are compared over all queries and over those about such
functions.

Run: python tests/bench/repository_search.py [--packages A,B] [--queries N] [--model M] [--llm-queries N] [--workers N]
         [--callees]
"""

from __future__ import annotations

import argparse
import ast
import asyncio
import hashlib
import importlib.util
import json
import textwrap
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from retrieval_cosqa import InProcess

from embedder.domain.calls import wanted_callees
from embedder.domain.texts import embedding_text
from embedder.domain.units import CodeUnit
from embedder.settings import EmbedderSettings
from evaluator.domain.clustered import Interval
from evaluator.domain.retrieval import gain, mean_of
from retriever.adapters.agent import NoAgent, agent_of
from retriever.adapters.memory_index import MemoryIndex
from retriever.adapters.query_set_codes import code_of_row
from retriever.adapters.weights import load_weights
from retriever.domain.code import ALL_FORMS, IndexedCode, IndexEntry, SearchFilter
from retriever.domain.streams import CLASS, CODE, COMPONENT, ENRICH, LOOK_UP, QUERY, RERANK, STEPS
from retriever.settings import RetrieverSettings
from retriever.usecases.augmented import AugmentedSearch
from retriever.usecases.plain import PlainSearch
from touchstone_local.settings import folders
from touchstone_runtime.llm import MemoryLedger

PACKAGES = "rich,click,jinja2,typer,httpx"
LEAST_WORDS = 4
# With a language model: all, each step taken away, each stream alone.
WITH_MODEL: dict[str, tuple[str, ...]] = {
    "augmented": STEPS,
    "without look_up": tuple(step for step in STEPS if step != LOOK_UP),
    "without enrich": tuple(step for step in STEPS if step not in (LOOK_UP, ENRICH)),
    "without rerank": tuple(step for step in STEPS if step != RERANK),
    "query stream, enriched": (LOOK_UP, ENRICH, QUERY),
    "code stream": (LOOK_UP, ENRICH, CODE),
    "class stream": (LOOK_UP, ENRICH, CLASS),
    "component stream": (LOOK_UP, ENRICH, COMPONENT),
}

Answer = Callable[["Asked"], Awaitable[tuple[list[str], int]]]


@dataclass(frozen=True)
class Asked:
    """A query, its repository, and what answers it: the function, and the class around it."""

    text: str
    repository: str
    right: frozenset[str]


def definitions(tree: ast.Module, path: str) -> Iterator[tuple[ast.stmt, str, str]]:
    """Functions and classes of a module with their qualified names and those of the class around."""
    pending = [(node, "", "") for node in tree.body]
    while pending:
        node, prefix, around = pending.pop(0)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            name = f"{prefix}{node.name}"
            yield node, name, around
            if isinstance(node, ast.ClassDef):
                pending += [(child, f"{name}.", f"{path}:{name}") for child in node.body]


def stripped(source: str, node: ast.stmt) -> str:
    """The code of a definition without any docstring in it."""
    lines: list[str | None] = list(source.split("\n"))
    for inner in ast.walk(node):
        if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and ast.get_docstring(inner):
            docstring = inner.body[0]
            for number in range(docstring.lineno - 1, docstring.end_lineno or docstring.lineno):
                lines[number] = None
    return "\n".join(line for line in lines[node.lineno - 1 : node.end_lineno] if line is not None)


def read(package: str) -> tuple[list[IndexedCode], list[Asked]]:
    """All functions and classes of a package without docstrings, and queries from the docstrings of its functions."""
    found = importlib.util.find_spec(package)
    if found is None or not found.submodule_search_locations:
        raise SystemExit(f"{package}: is not installed here")
    root = Path(found.submodule_search_locations[0])
    codes: list[IndexedCode] = []
    # Several functions may say the same of themselves, as those that wait and those that do not.
    right: dict[str, set[str]] = {}
    for file in sorted(root.rglob("*.py")):
        path = f"{package}/{file.relative_to(root)}"
        source = file.read_text("utf-8").replace("\r\n", "\n")
        for node, name, around in definitions(ast.parse(source), path):
            if node.lineno == getattr(node, "end_lineno", None):
                continue
            function_id = f"{path}:{name}"
            form = "class" if isinstance(node, ast.ClassDef) else "method" if around else "function"
            told = {"repository": package, "path": path, "qualname": name, "form": form}
            code = code_of_row(function_id, {"text": stripped(source, node), "meta_information": told})
            codes.append(replace(code, docstring=""))
            words = (ast.get_docstring(node) or "").strip().split("\n\n")[0]
            if form != "class" and len(words.split()) >= LEAST_WORDS:
                right.setdefault(" ".join(words.split()), set()).update({function_id, around} - {""})
    return codes, [Asked(text, package, frozenset(ids)) for text, ids in right.items()]


def drawn(asked: Sequence[Asked], most: int) -> list[Asked]:
    """Queries by hash: the same ones on every machine."""
    return sorted(asked, key=lambda one: hashlib.sha256(f"{one.repository} {one.text}".encode()).hexdigest())[:most]


async def line(
    name: str, answer: Answer, asked: Sequence[Asked], baseline: list[float], workers: int = 1
) -> list[float]:
    """Ask all queries, so many side by side, and print a line; gives Success@10 of each."""
    slots = asyncio.Semaphore(workers)

    async def timed(one: Asked) -> tuple[list[str], int, float]:
        async with slots:
            started = time.monotonic()
            return *await answer(one), time.monotonic() - started

    answered = list(zip(await asyncio.gather(*map(timed, asked)), asked, strict=True))
    first = [float(bool(set(found[:1]) & one.right)) for (found, _, _), one in answered]
    ten = [float(bool(set(found[:10]) & one.right)) for (found, _, _), one in answered]
    tokens = sum(took for (_, took, _), _ in answered)
    seconds = sum(took for (_, _, took), _ in answered)

    def told(found: Interval) -> list[float]:
        return [round(value, 4) for value in (found.value, found.low, found.high)]

    scores = {"success_at_1": told(mean_of(first)), "success_at_10": told(mean_of(ten))}
    if baseline:
        scores["success_at_10_gain"] = told(gain(ten, baseline[: len(ten)]))
    cost = {"seconds_per_query": round(seconds / len(asked), 4), "tokens_per_query": round(tokens / len(asked))}
    print(
        json.dumps({"bench": "repository_search", "search": name, "queries": len(asked), **scores, **cost}), flush=True
    )
    return ten


def plainly(search: PlainSearch, parts: tuple[str, ...], forms: frozenset[str]) -> Answer:
    """A plain search by some parts."""

    async def answer(one: Asked) -> tuple[list[str], int]:
        chosen = SearchFilter(repositories=(one.repository,), forms=forms)
        return [found.function_id for found in await search(one.text, chosen, parts=parts)], 0

    return answer


def augmented(search: AugmentedSearch, steps: tuple[str, ...]) -> Answer:
    """An augmented search by some steps."""

    async def answer(one: Asked) -> tuple[list[str], int]:
        chosen = SearchFilter(repositories=(one.repository,), forms=ALL_FORMS)
        outcome = await search(one.text, chosen, steps)
        if outcome.note:
            print(json.dumps({"bench": "repository_search", "note": outcome.note[:200]}))
        tokens = sum(use.tokens_in + use.tokens_out for use in outcome.used)
        return [found.hit.code.function_id for found in outcome.found], tokens

    return answer


def with_callees(codes: Sequence[IndexedCode]) -> list[str]:
    """Texts of a package as the embedder makes them: what mostly calls has the bodies of its callees behind it."""
    settings = EmbedderSettings()
    units = [
        CodeUnit(
            one.function_id, one.repository, one.language, one.path.partition("#")[0], one.qualname, one.form, one.code,
            "", one.qualname.rpartition(".")[0], "",
        )
        for one in codes
    ]  # fmt: skip
    at = {(one.path, one.qualname): one.code for one in units}
    return [
        embedding_text(
            # The other side has classes whole.
            replace(one, form="method" if one.form == "class" else one.form),
            [at[one.path, name] for name in wanted_callees(one) if (one.path, name) in at],
            settings.embedding_characters,
        )
        for one in units
    ]


async def callees_inlined(
    read_in: Mapping[str, tuple[Sequence[IndexedCode], Sequence[Asked]]],
    embedder: InProcess,
    asked: Sequence[Asked],
    model: str,
) -> None:
    """What the bodies of callees behind functions that mostly call are worth, against the same without them."""
    codes = [code for of_package, _asked in read_in.values() for code in of_package]
    texts = [text for of_package, _asked in read_in.values() for text in with_callees(of_package)]
    embedder.prepare([one.text for one in asked], "query")
    sides: dict[str, PlainSearch] = {}
    bare = [textwrap.dedent(code.code).strip() for code in codes]
    for name, of_side in (("own words", bare), ("callees inlined", texts)):
        index = MemoryIndex()
        vectors = await embedder.embed(list(of_side), "code")
        await index.upsert([IndexEntry(code, of_code) for code, of_code in zip(codes, vectors, strict=True)])
        sides[name] = PlainSearch(index, embedder, load_weights(RetrieverSettings().search_weights_file))
    # Others differ too, where they are longer than what is embedded.
    longer = {code.function_id for code, own, text in zip(codes, bare, texts, strict=True) if len(text) > len(own)}
    about = [one for one in asked if one.right & longer]
    print(json.dumps({"bench": "repository_search", "with_callees": len(longer), "queries_about_them": len(about)}))
    functions = SearchFilter().forms
    for what, parts in ((f"{model} alone", (model,)), ("plain", ())):
        for said, some in (("", asked), (", queries about functions that mostly call", about)):
            base = await line(f"{what}, own words{said}", plainly(sides["own words"], parts, functions), some, [])
            name = f"{what}, callees inlined{said}"
            await line(name, plainly(sides["callees inlined"], parts, functions), some, base)


async def bench(chosen: argparse.Namespace) -> None:
    read_in = {package: read(package) for package in chosen.packages.split(",")}
    share = -(-chosen.queries // len(read_in))
    asked = [one for _codes, of_package in read_in.values() for one in drawn(of_package, share)]
    codes = [code for of_package, _asked in read_in.values() for code in of_package]
    embedder = InProcess([chosen.model], chosen.cache)
    if chosen.callees:
        await callees_inlined(read_in, embedder, asked, chosen.model)
        return
    vectors = await embedder.embed([code.code for code in codes], "code")
    embedder.prepare([one.text for one in asked], "query")
    index = MemoryIndex()
    await index.upsert([IndexEntry(code, of_code) for code, of_code in zip(codes, vectors, strict=True)])
    counts: Mapping[str, int] = {name: len(of_package) for name, (of_package, _asked) in read_in.items()}
    print(json.dumps({"bench": "repository_search", "indexed": counts, "model": chosen.model, "queries": len(asked)}))

    settings = RetrieverSettings()
    plain = PlainSearch(index, embedder, load_weights(settings.search_weights_file))
    functions = SearchFilter().forms
    baseline = await line(f"{chosen.model} alone", plainly(plain, (chosen.model,), functions), asked, [])
    for name, answer in (
        ("bm25", plainly(plain, ("text",), functions)),
        ("plain", plainly(plain, (), functions)),
        ("plain, classes too", plainly(plain, (), ALL_FORMS)),
        ("query stream, not enriched", augmented(AugmentedSearch(index, embedder, NoAgent(""), {}), (QUERY,))),
    ):
        await line(name, answer, asked, baseline)
    agent, close = agent_of(settings, MemoryLedger())
    if isinstance(agent, NoAgent):
        said = f"no stream of written code and no re-ranking was measured: {agent.reason}"
        print(json.dumps({"bench": "repository_search", "skipped": said}))
    else:
        few = drawn(asked, chosen.llm_queries)
        by_asked = dict(zip(asked, baseline, strict=True))
        try:
            for name, steps in WITH_MODEL.items():
                search = AugmentedSearch(index, embedder, agent, {})
                await line(name, augmented(search, steps), few, [by_asked[one] for one in few], chosen.workers)
        finally:
            await close()
    await callees_inlined(read_in, embedder, asked, chosen.model)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--packages", default=PACKAGES, help="installed packages, each a repository")
    parser.add_argument("--queries", type=int, default=400, help="of all repositories together")
    parser.add_argument("--model", default="all-MiniLM-L6-v2", help="embedding model")
    parser.add_argument("--llm-queries", type=int, default=300, help="queries that the language model is asked about")
    parser.add_argument("--workers", type=int, default=1, help="queries that the language model has at a time")
    parser.add_argument("--callees", action="store_true", help="only what the bodies of callees are worth")
    parser.add_argument("--cache", type=Path, default=folders().cache / "bench")
    asyncio.run(bench(parser.parse_args()))


if __name__ == "__main__":
    main()
