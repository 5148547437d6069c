"""A release as a task folder of lm-eval: `lm_eval --tasks touchstone_NAME --include_path FOLDER/lm_eval`.

Source: lm-evaluation-harness 0.4, docs/new_task_guide.md and docs/task_guide.md.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from importlib.resources import files
from typing import Any

from pbt_generator.domain.release import Json, ReleasedTask
from pbt_generator.ports import ExportedFile
from touchstone_contracts.manifests import sha256
from touchstone_runtime.extraction import READING
from touchstone_runtime.wordings import WORDINGS

FOLDER = "lm_eval"
_MODULE = "touchstone_judge"
_TASK = """\
task: {task}
custom_dataset: !function {module}.dataset
test_split: test
output_type: generate_until
doc_to_text: "{{{{prompt}}}}"
doc_to_target: "{{{{entry_point}}}}"
generation_kwargs:
  until: []
  max_gen_toks: 1024
  do_sample: false
process_results: !function {module}.process_results
metric_list:
{metrics}num_fewshot: 0
metadata:
  version: {reading}.0
  release: {name}
  digest: {digest}
  retractions: {retractions}
  retracted: {retracted}
"""


# Two boards, two scores: an answer counts for the metric of its task's kind alone.
_METRIC = """\
  - metric: pass_at_1_{wording}
    aggregation: mean
    higher_is_better: true
"""


class LmEvalExporter:
    """One task of lm-eval for the whole release, in Python; retracted tasks are left out."""

    def __init__(self) -> None:
        self._lines: list[bytes] = []
        self._retracted: list[str] = []
        self._about: dict[str, Any] = {}

    def start(self, manifest: Mapping[str, Any], retractions: str) -> Iterable[ExportedFile]:
        """The code that the task's own file names."""
        self._about = {
            "task": task_name(manifest["name"]),
            "name": json.dumps(manifest["name"]),
            "digest": json.dumps(manifest["digest"]),
            "retractions": json.dumps(retractions),
        }
        judge = (files("pbt_generator") / "harness" / f"{_MODULE}.py").read_bytes()
        yield ExportedFile(f"{FOLDER}/{_MODULE}.py", judge)
        # Programs are found in answers as the board finds them: by the same text.
        for name in ("thoughts", "extraction"):
            reader = (files("touchstone_runtime") / f"{name}.py").read_bytes()
            reader = reader.replace(b"from touchstone_runtime.thoughts ", b"from touchstone_thoughts ")
            yield ExportedFile(f"{FOLDER}/touchstone_{name}.py", reader)

    def task(self, task: ReleasedTask) -> Iterable[ExportedFile]:
        """Nothing is one task's own."""
        if task.retracted:
            self._retracted.append(task.entry["task_id"])
        else:
            line = json.dumps(lm_eval_row(task), ensure_ascii=True, sort_keys=True)
            self._lines.append(line.encode("ascii") + b"\n")
        return ()

    def finish(self) -> Iterable[ExportedFile]:
        """The task's own file, and the rows."""
        text = _TASK.format(
            **self._about,
            module=_MODULE,
            metrics="".join(_METRIC.format(wording=wording) for wording in WORDINGS),
            # Scores of answers that were read otherwise are scores of another task.
            reading=READING,
            retracted=json.dumps(self._retracted),
        )
        yield ExportedFile(f"{FOLDER}/touchstone.yaml", text.encode("ascii"))
        yield ExportedFile(f"{FOLDER}/tasks.jsonl", b"".join(self._lines))


def task_name(release: str) -> str:
    """What the task of a release is called in lm-eval, which may be given several: no two releases share a name.

    Example:
        >>> task_name("2026-06"), task_name("2026.06"), task_name("2026_06")
        ('touchstone_2026_06', 'touchstone_2026_06_66642c1e', 'touchstone_2026_06_4f389a90')
    """
    name = f"touchstone_{re.sub('[^a-z0-9]', '_', release)}"
    # Most have dashes alone, and keep a plain name.
    return name if re.fullmatch("[a-z0-9-]*", release) else f"{name}_{sha256(release.encode())[:8]}"


def lm_eval_row(task: ReleasedTask) -> Json:
    """A task as a row of the dataset; its cases lie beside it under the suite's digest."""
    record = task.record["task"]
    head = record["signatures"]["python"].rstrip(":")
    prelude = record["prelude"]
    given = f"These imports are in place already:\n```\n{prelude.strip()}\n```\n" if prelude.strip() else ""
    prompt = (
        f"Write the Python function `{record['entry_point']}`.\n\n{record['instruction'].strip()}\n\n{given}"
        f"Its head is `{head}`. Answer with the whole function in one block of code.\n"
    )
    return {
        "task_id": record["task_id"],
        "entry_point": record["entry_point"],
        "prompt": prompt,
        "prelude": prelude,
        "suite": task.entry["digests"]["suite"],
        "kind": record["kind"],
        "difficulty": record["difficulty"],
        "wording": task.wording,
    }
