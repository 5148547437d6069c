"""The page of a release."""

from __future__ import annotations

import json

from touchstone.pbt_generator.v1 import pbt_generator_pb2 as generator


def test_code_that_others_do_not_get_is_told(visit):
    task = {"task_id": "0" * 32, "kind": "SC", "difficulty": "Easy", "languages": ["python"], "licence": None}
    for kind, name, told in (
        ("package", "wordkit", ""),
        ("folder", "/home/me/<shop>", "1 task of folder /home/me/&lt;shop&gt;"),
    ):
        manifest = {"tasks": [{**task, "source": {"kind": kind, "name": name, "qualname": "f"}}]}
        release = generator.Release(name="mine", digest="e" * 64, tasks=1)
        answer = generator.GetReleaseResponse(release=release, manifest_json=json.dumps(manifest))
        text = visit({"pbt-generator.GetRelease": answer}).get("/releases/mine").text
        assert told in text and ("Code that others do not get elsewhere" in text) is bool(told)
