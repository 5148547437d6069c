"""Each dependency taken away alone in the middle of a job, and each process killed; prints one JSON line a disturbance.

A line says what was done, whether tasks and verdicts are those of an undisturbed platform, and how many messages went
to the dead letters. `python tests/chaos/outages.py --seconds 120 --only sandbox-executor,kafka`; the exit code is 1
when anything was lost.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
AWAY = ("sandbox-executor", "embedder", "kafka", "postgres", "model", "blobs")
KILLED = ("ingester", "embedder", "retriever", "sandbox-executor", "pbt-generator", "evaluator", "postgres", "kafka")


def live_platforms() -> Any:
    """The end-to-end tests' platforms."""
    spec = importlib.util.spec_from_file_location("live_platforms", ROOT / "tests/e2e/conftest.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["live_platforms"] = module
    spec.loader.exec_module(module)
    return module


class Chaos:
    """Platforms in folders of their own, one after the other, with one scripted model."""

    def __init__(self, folder: Path) -> None:
        self.live = live_platforms()
        self.folder = folder
        self.solutions = folder / "solutions"
        self.solutions.mkdir()
        (self.port,) = self.live.ports.free_ports(1)
        self.model: subprocess.Popen[bytes] | None = None
        self._write_solutions()

    def _write_solutions(self) -> None:
        import ast

        for path in self.live.SOURCE.glob("*.py"):
            text = path.read_text()
            for node in ast.parse(text).body:
                if isinstance(node, ast.FunctionDef):
                    code = ast.get_source_segment(text, node)
                    (self.solutions / f"{node.name}.py").write_text(f"import re\n\n\n{code}\n")

    def start_model(self) -> None:
        """Start the scripted model's endpoint, at the address that it had."""
        script = str(self.live.HERE / "fake_llm.py")
        line = [sys.executable, script, "--port", str(self.port), "--solutions", str(self.solutions)]
        self.model = subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        assert self.live.ports.wait_until_open(self.port, 30)

    def stop_model(self) -> None:
        """Take the endpoint away."""
        if self.model:
            self.model.kill()
            self.model.wait()
            self.model = None

    def platform(self, name: str) -> Any:
        """A running platform in a folder of its own."""
        state = self.folder / name
        state.mkdir()
        catalogue = self.folder / "models.toml"
        catalogue.write_text('default = "scripted"\n\n[models.scripted]\n')
        environment = {
            **os.environ,
            "TOUCHSTONE_STATE": str(state),
            "TOUCHSTONE_CACHE": os.environ.get("TOUCHSTONE_CACHE") or str(ROOT / ".state" / "cache"),
            "TOUCHSTONE_LLM_BASE_URL": f"http://127.0.0.1:{self.port}/v1",
            "TOUCHSTONE_LLM_MODEL": "scripted",
            "TOUCHSTONE_MODELS_FILE": str(catalogue),
            "TOUCHSTONE_EMBEDDING_MODELS": '["bow-hash-512"]',
        }
        live = self.live.LivePlatform(state, environment)
        try:
            live.start()
        except BaseException:
            live.stop()
            raise
        return live

    def job(self, live: Any, disturb: Callable[[str], None]) -> tuple[list[Any], list[Any]]:
        """The job; `disturb` is called in the middle of generating and of evaluating."""
        live.ingest(self.live.SOURCE)
        live.until(lambda: len(live.tasks()) >= 1, "the first task stands", 600)
        disturb("generating")
        live.until(live.generation_is_done, "all tasks are built or refused", 900)
        run_id = live.evaluate()
        disturb("evaluating")
        run = live.until(lambda: live.finished(run_id), "every solution has its verdict", 900)
        tasks = sorted((task.task_id, task.entry_point, task.suite_digest, task.cases) for task in live.tasks())
        verdicts = sorted((result.task_id, result.outcome, result.cases, result.passed) for result in run.results)
        return tasks, verdicts

    def take_away(self, live: Any, name: str, seconds: float) -> None:
        """Take one dependency away for so long, then give it back as it was."""
        if name == "model":
            self.stop_model()
            time.sleep(seconds)
            self.start_model()
        elif name == "blobs":
            blobs, aside = live.state / "blobs", live.state / "blobs-away"
            blobs.rename(aside)
            time.sleep(seconds)
            aside.rename(blobs)
        else:
            # Stopped, it neither answers nor hangs up, and the supervisor does not start another.
            pids = [live.pid(name)]
            if name == "postgres":
                import psutil

                pids += [child.pid for child in psutil.Process(pids[0]).children(recursive=True)]
            for pid in pids:
                os.kill(pid, signal.SIGSTOP)
            time.sleep(seconds)
            for pid in pids:
                os.kill(pid, signal.SIGCONT)


def dead_letters(live: Any) -> int:
    """Messages in the platform's dead-letter topics."""
    line = [sys.executable, "-m", "touchstone_cli.main", "dlq", "list", "--json"]
    done = subprocess.run(line, env=live.environment, capture_output=True, text=True, timeout=120, check=False)
    return len(json.loads(done.stdout)) if done.returncode == 0 else -1


def main() -> int:
    """Disturb one platform after another and say what was lost."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--only", default="", help="names, separated by commas; all by default")
    chosen = parser.parse_args()
    disturbances = [("away", name) for name in AWAY] + [("killed", name) for name in KILLED]
    if chosen.only:
        disturbances = [each for each in disturbances if each[1] in chosen.only.split(",")]
    lost = 0
    with tempfile.TemporaryDirectory(prefix="chaos-", ignore_cleanup_errors=True) as made:
        chaos = Chaos(Path(made))
        chaos.start_model()
        try:
            calm = chaos.platform("calm")
            try:
                expected = chaos.job(calm, lambda step: None)
            finally:
                calm.stop()
            for how, name in disturbances:
                live = chaos.platform(f"{how}-{name}")
                began = time.monotonic()

                def disturb(step: str, how: str = how, name: str = name, live: Any = live) -> None:
                    if how == "killed":
                        live.kill(name)
                    elif step == ("evaluating" if name == "model" else "generating"):
                        chaos.take_away(live, name, chosen.seconds)

                try:
                    same = chaos.job(live, disturb) == expected
                    letters = dead_letters(live)
                    problem = ""
                except AssertionError as error:
                    same, letters, problem = False, dead_letters(live), str(error).splitlines()[0]
                finally:
                    live.stop()
                lost += not same or letters != 0
                line = {
                    "chaos": how,
                    "what": name,
                    "seconds": chosen.seconds if how == "away" else 0,
                    "tasks": len(expected[0]),
                    "same_tasks_and_verdicts": same,
                    "dead_letters": letters,
                    "took_s": round(time.monotonic() - began, 1),
                    "problem": problem,
                }
                sys.stdout.write(json.dumps(line) + "\n")
                sys.stdout.flush()
        finally:
            chaos.stop_model()
    return 1 if lost else 0


if __name__ == "__main__":
    raise SystemExit(main())
