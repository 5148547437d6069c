"""Exports of labels take their place when they are whole, and replace no device."""

from __future__ import annotations

import os
import threading

import pytest

from annotator.app import written_whole


def test_an_export_that_is_broken_off_leaves_the_former_one(tmp_path):
    out = tmp_path / "labels.jsonl"
    with written_whole(out) as file:
        file.write("first\n")
    with pytest.raises(TypeError), written_whole(out) as file:
        file.writelines(["half", None])
    assert out.read_text() == "first\n" and [each.name for each in tmp_path.iterdir()] == [out.name]


def test_two_exports_to_one_file_do_not_meet(tmp_path):
    out = tmp_path / "labels.jsonl"
    with written_whole(out) as one, written_whole(out) as other:
        one.write("one\n")
        other.write("other\n")
    assert out.read_text() == "one\n" and [each.name for each in tmp_path.iterdir()] == [out.name]


def test_a_pipe_is_written_to_and_not_replaced(tmp_path):
    """As `/dev/null` is: who runs this as root would take it from everybody."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    with written_whole(pipe) as file:
        file.write("first\n")
    reader.join(60)
    assert read == ["first\n"] and pipe.is_fifo() and [each.name for each in tmp_path.iterdir()] == ["pipe"]
