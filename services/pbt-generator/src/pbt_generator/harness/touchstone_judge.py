"""What an exported release does in lm-eval: gives its tasks, and has answers judged by `touchstone sandbox cases`.

It is a file of the export and runs where lm-eval does, with nothing of the platform but the `touchstone` command on the
PATH. No code of an answer runs in lm-eval's own process.
"""

import gzip
import importlib.util
import json
import subprocess
import sys
import tempfile
from functools import cache
from importlib import import_module
from pathlib import Path

_HERE = Path(__file__).resolve().parent


def dataset(**_named):
    """The tasks, as lm-eval wants them.

    Returns:
        One split, "test", a row a task.
    """
    with (_HERE / "tasks.jsonl").open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    datasets = import_module("datasets")
    return datasets.DatasetDict({"test": datasets.Dataset.from_list(rows)})


def process_results(doc, results):
    """Judge one answer.

    Args:
        doc: A row of `dataset`.
        results: The model's answer, one text.

    Returns:
        1 where every case of the suite passes, else 0: under "pass_at_1_described", or "pass_at_1_by_example" where the
        task's words do not suffice. These are two scores, and no mean over both is one.

    Raises:
        RuntimeError: the sandbox gave no verdict; that is nobody's wrong answer.
    """
    return {f"pass_at_1_{doc['wording']}": int(judge(doc, program(results[0], doc["entry_point"])))}


def program(text, entry_point):
    """The program in an answer, found as the board finds it; empty where there is none."""
    reader = _reader()
    return reader.extract(reader.answer_of(text, entry_point), entry_point).code


@cache
def _reader():
    """The platform's own reader of answers, two files of the export.

    The first is known by its name only while the second reads it: another export in this process has its own.
    """
    names = ("touchstone_thoughts", "touchstone_extraction")
    others = {name: sys.modules.pop(name) for name in names if name in sys.modules}
    try:
        for name in names:
            spec = importlib.util.spec_from_file_location(name, _HERE / f"{name}.py")
            sys.modules[name] = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(sys.modules[name])
        return sys.modules[names[-1]]
    finally:
        for name in names:
            sys.modules.pop(name, None)
        sys.modules.update(others)


def judge(doc, source):
    """Whether a program passes a task's suite; see `process_results`."""
    suite = json.loads(gzip.decompress((_HERE.parent / "parts" / doc["suite"]).read_bytes()))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        complete = _reader().with_prelude(doc["prelude"], source)
        (folder / "answer.py").write_text(complete, "utf-8", "replace")
        for part in ("arguments", "expected"):
            lines = "".join(f"{case[part]}\n" for case in suite["cases"])
            (folder / part).write_text(lines, "utf-8", "surrogatepass")
        command = ["touchstone", "sandbox", "cases", str(folder / "answer.py"), "--language", "python", "--json"]
        command += ["--entry", doc["entry_point"], "--inputs", str(folder / "arguments")]
        command += ["--expected", str(folder / "expected")]
        command += ["--exact"] if suite["comparison"] == "exact" else []
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        verdict = json.loads(done.stdout)["verdict"]
    except (ValueError, KeyError, TypeError):
        said = done.stderr.strip().splitlines()
        raise RuntimeError(f"no verdict on {doc['task_id']}: {said[-1] if said else done.returncode}") from None
    if verdict == "platform_fault":
        raise RuntimeError(f"no verdict on {doc['task_id']}: the sandbox failed")
    return verdict == "passed"
