"""The VS Code extension, the MCP server and the examples, against the retriever's own code behind a real server.

There is no VS Code here: `vscode` is jest-mock-vscode with a window of our own (clients/vscode/test/host.mts).
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import sys
from pathlib import Path

import pytest
from mcp import Client, StdioServerParameters

from retriever.adapters.agent import NoAgent
from retriever.rpc import RetrieverServicer
from retriever.usecases.augmented import AugmentedSearch
from retriever.usecases.search import PlainSearch, Search
from touchstone.retriever.v1 import retriever_pb2_grpc
from touchstone_local import node, vscode
from touchstone_local.settings import folders
from touchstone_runtime.gate import Gate
from touchstone_runtime.grpc_server import GrpcServer
from touchstone_runtime.tokens import TokenFile, ensure_token

ROOT = Path(__file__).resolve().parents[2]
# A proxy that nobody runs: what went through it would not arrive.
PROXIED = {
    **dict.fromkeys(("http_proxy", "https_proxy", "grpc_proxy"), "http://127.0.0.1:9"),
    **dict.fromkeys(("no_proxy", "NO_PROXY", "no_grpc_proxy"), ""),
}


async def run(*command, cwd, **variables):
    """Run a program to its end; gives its exit code and all it said."""
    process = await asyncio.create_subprocess_exec(
        *map(str, command),
        cwd=cwd,
        env={**os.environ, **{name: str(value) for name, value in variables.items()}},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        said, _ = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return process.returncode, said.decode(errors="replace")


@pytest.fixture(scope="session")
def packages():
    """The extension's packages, which `make tools` fetches before."""
    found = vscode.find(folders().cache)
    assert found is not None, "the extension's packages are not there: run `make tools`"
    return found


@pytest.fixture(scope="module")
def extension(packages, tmp_path_factory):
    """The extension in a folder of its own: sources, protos, generated types, compiled."""
    folder = tmp_path_factory.mktemp("vscode")
    kept = shutil.ignore_patterns("node_modules", "out", "generated", "proto")
    shutil.copytree(ROOT / "clients" / "vscode", folder, dirs_exist_ok=True, ignore=kept)
    shutil.copytree(ROOT / "proto", folder / "proto")
    shutil.copy(ROOT / "clients" / "examples" / "search.ts", folder / "search.mts")
    (folder / "node_modules").symlink_to(packages)
    types = packages / "@grpc" / "proto-loader" / "build" / "bin" / "proto-loader-gen-types.js"
    asked = re.search(r'"types": "proto-loader-gen-types (.*?)"', (folder / "package.json").read_text())
    assert asked
    node.run([str(types), *asked[1].split()], folder, "the extension", "built")
    compiler = packages / "typescript" / "bin" / "tsc"
    for project in (".", "test"):
        node.run([str(compiler), "-p", project], folder, "the extension", "built")
    return folder


@pytest.fixture
async def serving(load_module, tmp_path):
    """Starts the retriever's servicer over an index in memory, behind the door of every server."""
    made = load_module("services/retriever/tests/conftest.py")
    doors = load_module("shared/runtime/tests/test_doors.py")
    tokens = TokenFile(tmp_path / "tokens.json")
    ensure_token(tokens, tmp_path / "token", "reader", "read")
    index, embedder = made.MemoryIndex(), made.AngleEmbedder()
    await index.upsert([made.make_entry(f"f{degrees}", degrees) for degrees in (10, 30, 50, 80)])

    async def lag():
        return 0

    plain = PlainSearch(index, embedder, {})
    search = Search(index, plain, AugmentedSearch(index, embedder, NoAgent("none"), {}), made.Lag())
    generations, rebuild = made.make_generations(index), made.make_rebuild(index)
    servicer = RetrieverServicer(search, None, index, made.MemoryProposals(), lag, list, generations, rebuild)
    servers = []

    async def start(*, tls):
        credentials = doors.make_certificate(tmp_path) if tls else None
        server = GrpcServer("127.0.0.1:0", gate=Gate(tokens), tls=credentials)
        name = "touchstone.retriever.v1.RetrieverService"
        server.add(retriever_pb2_grpc.add_RetrieverServiceServicer_to_server, servicer, name)
        await server.start()
        servers.append(server)
        return server.address

    yield start
    for server in servers:
        await server.stop(0)


async def test_the_extension_against_a_real_server(extension, serving, tmp_path):
    address = await serving(tls=True)
    tests = sorted(path.name for path in (extension / "test").glob("*.test.mts"))
    assert len(tests) >= 5
    code, said = await run(
        node.program(),
        "--import",
        "./test/setup.mts",
        "--test",
        "--test-reporter=spec",
        *(f"test/{name}" for name in tests),
        cwd=extension,
        TOUCHSTONE_TEST_ADDRESS=address,
        TOUCHSTONE_TEST_TOKEN_FILE=tmp_path / "token",
        TOUCHSTONE_TEST_AUTHORITY=tmp_path / "cert.pem",
        **PROXIED,
    )
    counts = {
        name: int(number) for name, number in re.findall(r"^\S+ (pass|fail|skipped|todo|cancelled) (\d+)$", said, re.M)
    }
    assert code == 0, said
    assert counts.pop("pass") >= 36 and set(counts.values()) == {0} and len(counts) == 4, said


async def test_a_model_finds_the_same_over_tls_with_a_token(serving, tmp_path):
    settings = {
        "TOUCHSTONE_RETRIEVER_ADDRESS": await serving(tls=True),
        "TOUCHSTONE_TOKEN_FILE": str(tmp_path / "token"),
        "TOUCHSTONE_TLS_CA": str(tmp_path / "cert.pem"),
        "TOUCHSTONE_STATE": str(tmp_path / "state"),
    }
    command = ["-m", "touchstone_cli.main", "mcp"]
    async with Client(
        StdioServerParameters(command=sys.executable, args=command, env={**os.environ, **settings})
    ) as client:

        async def told(tool, **arguments):
            result = await client.call_tool(tool, arguments)
            return result.content[0].text if result.is_error else result.structured_content

        def names(answer):
            return [each["name"] for each in answer["results"]]

        answer = await told("search", query="turn 10", limit=2)
        assert names(answer) == ["f10", "f30"] and answer["results"][0]["place"] == "pkg/core.py:3"
        assert names(await told("search", symbol="f8*")) == ["f80"]
        assert names(await told("find_like_this", function_id="shapes-1.0:f10", limit=1)) == ["f30"]
        assert names(await told("find_like_this", code="turn( 80 )", limit=1)) == ["f80"]
        assert (await told("read_function", function_id="shapes-1.0:f30"))["code"] == "def f30(x):\n    return x"
        assert "nobody" in await told("read_function", function_id="nobody")
        assert "query" in await told("search")
        (tmp_path / "token").write_text("tst_wrong")
        assert "does not know us" in await told("search", query="turn 10")


async def test_the_examples_find_the_same(extension, serving, tmp_path):
    address = await serving(tls=False)
    arguments = (address, tmp_path / "token", "turn 10")
    in_python = await run(sys.executable, ROOT / "clients" / "examples" / "search.py", *arguments, cwd=ROOT, **PROXIED)
    in_typescript = await run(node.program(), extension / "search.mts", *arguments, cwd=ROOT, **PROXIED)
    assert in_python[0] == 0, in_python
    assert in_python[1].splitlines()[0].startswith("pkg/core.py:3 f10 ")
    assert in_typescript == in_python


def test_the_lock_names_no_index_and_a_checksum_for_each_package():
    import json

    lock = json.loads((ROOT / "clients" / "vscode" / "package-lock.json").read_text())
    listed = {name: entry for name, entry in lock["packages"].items() if name}
    assert len(listed) > 20
    assert all("resolved" not in entry and entry["integrity"].startswith("sha512-") for entry in listed.values())
