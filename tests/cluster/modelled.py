"""The model's server of docker-compose.yml: llama.cpp's own, from a package, with a start that reads compose's words.

The package holds the server as a library, without the program that reads a command line: `_PROGRAM` stands for that,
and knows the options that compose gives, no others.
"""

from __future__ import annotations

import hashlib
import importlib.util
import shutil
import tempfile
from pathlib import Path

import installed

from touchstone_local import models
from touchstone_local.cluster import building, images, packages
from touchstone_local.cluster.layout import Layout
from touchstone_local.settings import folders

MODEL = "qwen2.5-coder-0.5b"
_LIBRARY = "xllamacpp"
# Of Debian's packages, what the library needs and the base image lacks.
_NEEDED = ("libgomp1",)
_PLACE = "/opt/llama"
_PROGRAM = '''"""llama-server, as far as compose gives it words."""

import argparse
import os
import signal

import xllamacpp

parser = argparse.ArgumentParser(prog="llama-server")
for name, kind in (("model", str), ("alias", str), ("host", str), ("port", int), ("ctx-size", int), ("parallel", int)):
    parser.add_argument(f"--{name}", type=kind, required=True)
given = parser.parse_args()
told = xllamacpp.CommonParams()
told.model.path, told.model_alias = given.model, {given.alias}
told.hostnames, told.port = [given.host], given.port
told.n_ctx, told.n_parallel = given.ctx_size, given.parallel
server = xllamacpp.Server(told)
print("serving at", server.listening_address, flush=True)
signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
while True:
    signal.pause()
'''
_DOCKERFILE = f"""ARG BASE
FROM ${{BASE}}
COPY . {_PLACE}
ENV PYTHONPATH={_PLACE} LD_LIBRARY_PATH={_PLACE}
"""
IMAGE = f"{building.REGISTRY}/llama:{hashlib.sha256(_PROGRAM.encode()).hexdigest()[:16]}"
START = ("python3", f"{_PLACE}/llama_server.py")
# A run by the model over one task: its question goes to compose's server, its answer to the executor.
ASK = f"""
import json, time
from touchstone.evaluator.v1 import evaluator_pb2 as e, evaluator_pb2_grpc as er
from touchstone_runtime.dialling import dial_blocking
from touchstone_runtime.settings import ServiceSettings
settings = ServiceSettings()
evaluator = er.EvaluatorServiceStub(dial_blocking(settings.evaluator_address, settings.identity()))
began = time.monotonic()
run = evaluator.StartRun(e.StartRunRequest(model="{MODEL}", limit=1)).run_id
while True:
    results = evaluator.GetRun(e.GetRunRequest(run_id=run)).results
    if results and all(one.outcome != "pending" for one in results):
        break
    if time.monotonic() - began > 600:
        raise SystemExit("the model's answer has no verdict")
    time.sleep(1)
seconds = round(time.monotonic() - began, 1)
print(json.dumps({{"step": "model asked", "after_s": seconds, "outcomes": [one.outcome for one in results]}}))
"""


def have(layout: Layout) -> None:
    """Have the model's weights and the server's image on the node.

    Raises:
        LocalError: one of them cannot be had.
    """
    models.ensure(models.catalogue()[MODEL], folders())
    if IMAGE not in installed.call(*images.CTR, "images", "list", "--quiet").split():
        archive = layout.state / "llama.tar"
        with building.using(layout):
            _build(layout, archive)
        installed.call(*images.CTR, "images", "import", str(archive))
        archive.unlink()


def _build(layout: Layout, archive: Path) -> None:
    found = importlib.util.find_spec(_LIBRARY)
    assert found is not None and found.origin is not None
    more = packages.ensure_more(layout, _NEEDED, lambda _words: None)
    store = building.Store(layout)
    store.have_base(lambda _words: None)
    with tempfile.TemporaryDirectory(dir=layout.state) as scratch:
        shutil.copytree(Path(found.origin).parent, Path(scratch, _LIBRARY))
        for library in (more / "usr/lib/x86_64-linux-gnu").glob("lib*.so.*"):
            shutil.copy2(library, scratch)
        Path(scratch, "llama_server.py").write_text(_PROGRAM)
        file = Path(scratch, "Dockerfile")
        file.write_text(_DOCKERFILE)
        store.build(file, Path(scratch), IMAGE, {})
    store.save(IMAGE, archive)
