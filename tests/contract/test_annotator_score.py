"""The bench of the score asks each question once, whenever it is broken off, and says what it has not asked."""

import json
import math
import threading
from contextlib import asynccontextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace

import pytest

from annotator.domain.execution import Report
from annotator.domain.record import CAN_FAIL, Step

pytestmark = pytest.mark.real
ROOT = Path(__file__).resolve().parents[2]
PAIRS = 6
# The first of the catalogue: what answers under its own address must hold it.
MODEL = "qwen2.5-coder-0.5b"


@pytest.fixture
def endpoint():
    """An endpoint whose every answer is "yes" with its probability; gives its address and what it was asked."""
    asked = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            words = [{"token": word, "logprob": math.log(p), "bytes": None} for word, p in (("yes", 0.8), ("no", 0.2))]
            choice = {
                "index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "yes"},
                "logprobs": {"content": [words[0] | {"top_logprobs": words}]},
            }  # fmt: skip
            usage = {"prompt_tokens": 9, "completion_tokens": 1, "total_tokens": 10}
            body = {"id": "x", "object": "chat.completion", "created": 0, "model": MODEL, "choices": [choice]}
            self.give(body | {"usage": usage})

        def do_GET(self):
            self.give({"object": "list", "data": [{"id": MODEL, "object": "model"}]})

        def give(self, body):
            data = json.dumps(body).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_):
            """Nothing is printed."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v1", asked
    server.shutdown()
    server.server_close()


async def test_it_goes_on_where_it_was_broken_off(endpoint, load_script, monkeypatch, capsys, tmp_path):
    url, asked = endpoint
    bench = load_script("tests/bench/annotation_score.py")
    rows = [
        {"id": str(n), "query": f"q {n}", "code": f"def f(x):\n    return x + {n}", "label": n % 2}
        for n in range(PAIRS)
    ]
    (tmp_path / "pairs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "fewer.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows[:2]))
    monkeypatch.setenv("TOUCHSTONE_BLOB_URL", f"file://{tmp_path}/blobs")
    monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", url)
    monkeypatch.setenv("TOUCHSTONE_LLM_MODEL", MODEL)
    monkeypatch.setenv("TOUCHSTONE_MODELS_FILE", str(ROOT / "models.toml"))

    async def run(data, *options):
        given = ["--data", str(tmp_path / data), "--only", "answers", "--without-tests", *options]
        monkeypatch.setattr("sys.argv", ["bench", *given])
        assert await bench.main() == 0
        line = json.loads(capsys.readouterr().out)
        return line["pairs"], line["scored"], len(asked)

    assert await run("fewer.jsonl") == (2, 2, 2)
    assert await run("pairs.jsonl", "--cached") == (PAIRS, 2, 2), "nothing is asked, and what was asked before is used"
    assert await run("pairs.jsonl") == (PAIRS, PAIRS, PAIRS), "only what is left is asked"
    assert await run("pairs.jsonl") == (PAIRS, PAIRS, PAIRS)


async def test_each_bar_stands_with_its_interval_and_a_part_of_the_pairs_holds_none(
    endpoint, load_script, monkeypatch, capsys, tmp_path
):
    url, _ = endpoint
    bench = load_script("tests/bench/annotation_score.py")
    rows = [{"id": str(n), "query": f"q {n}", "code": f"x + {n}", "label": n % 2} for n in range(30)]
    for name, some in (("all", rows), ("some", rows[:20])):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in some))
    monkeypatch.setenv("TOUCHSTONE_BLOB_URL", f"file://{tmp_path}/blobs")
    monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", url)
    monkeypatch.setenv("TOUCHSTONE_LLM_MODEL", MODEL)
    monkeypatch.setenv("TOUCHSTONE_MODELS_FILE", str(ROOT / "models.toml"))
    # A cosine that knows the answer.
    monkeypatch.setattr(bench, "cosines", lambda rows, folder: [0.1 + 0.8 * row["label"] for row in rows])

    async def run(*options):
        given = ["--only", "answers", "--embedding", "e", "--without-tests", *options]
        monkeypatch.setattr("sys.argv", ["bench", *given])
        assert await bench.main() == 0
        return json.loads(capsys.readouterr().out)

    part = await run("--data", str(tmp_path / "some.jsonl"))
    assert part["scored"] == 20 and part["bars"]["accuracy"]["low"] > 0.7 and part["bars"]["accuracy"]["held"]
    assert not part["bars"]["gain_over_cosine"]["held"], "nothing is gained over what knows the answer"
    line = await run("--data", str(tmp_path / "all.jsonl"), "--cached")
    assert (line["pairs"], line["scored"]) == (30, 20)
    for bar in line["bars"].values():
        assert bar["low"] <= bar["high"] and not bar["held"], "ten pairs are not asked"


@asynccontextmanager
async def no_sandbox(address, limits):
    """Nobody is called there: what is judged is given."""
    yield None


@pytest.mark.parametrize("varied", [True, False])
async def test_a_calibration_weighs_what_labels_rest_on(endpoint, load_script, monkeypatch, capsys, tmp_path, varied):
    """Of the pairs that a score would decide: where tests showed nothing of them, there is none to keep."""
    url, _ = endpoint
    bench = load_script("tests/bench/annotation_score.py")
    rows = [{"id": str(n), "query": f"q {n}", "code": f"x + {n}", "label": n % 2} for n in range(40)]
    (tmp_path / "all.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    monkeypatch.setenv("TOUCHSTONE_BLOB_URL", f"file://{tmp_path}/blobs")
    monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", url)
    monkeypatch.setenv("TOUCHSTONE_LLM_MODEL", MODEL)
    monkeypatch.setenv("TOUCHSTONE_MODELS_FILE", str(ROOT / "models.toml"))
    monkeypatch.setattr(bench, "cosines", lambda rows, folder: [0.5 for _ in rows])
    monkeypatch.setattr(bench, "sandbox_at", no_sandbox)

    async def judge(self, pair):
        number = int(pair.pair_id)
        result = ("failed", "passed")[int(pair.code[-1]) % 2]
        # Of a program that passed a score hears where the arbiter says yes.
        arbiter = Step("arbiter", str(int(result == "passed")))
        steps = (Step("execution", result, "", 1, report=Report(result, "")), Step("trial", CAN_FAIL, "", 1), arbiter)
        # A tenth of them tests decide, and to a third they say nothing.
        said = steps if varied and number % 3 else ()
        return SimpleNamespace(steps=said, decided_by="execution" if number % 10 == 0 else "score")

    monkeypatch.setattr(bench.Judge, "judge", judge)
    written = tmp_path / "calibration.json"
    given = ["--data", str(tmp_path / "all.jsonl"), "--only", "answers", "--embedding", "e", "--write", str(written)]
    monkeypatch.setattr("sys.argv", ["bench", *given])
    assert await bench.main() == (0 if varied else 1)
    told = capsys.readouterr()
    line = json.loads(told.out)
    assert (line["pairs"], line["scored"], line["told"]["evidence"], line["evidence"]["not scored"]) == (40, 36, 40, 4)
    assert written.exists() == varied
    if not varied:
        assert line["evidence"] == {"none": 36, "not scored": 4} and "tests have no weight" in told.err
        return
    assert line["auc"] > 0.8 and line["gain_of_tests"] > 0.3
    weights = json.loads(written.read_text())["weights"]
    assert weights[3] > 0.5
    # A score that says yes to all decides nothing where tests that can fail did.
    monkeypatch.setattr(bench, "cross_fit", lambda signals, *_: ([0.9] * len(signals), [1] * len(signals)))
    monkeypatch.setattr("sys.argv", ["bench", *given[:-2]])
    assert await bench.main() == 0
    line = json.loads(capsys.readouterr().out)
    assert line["undecided"] == line["evidence"]["failed"] > 0
