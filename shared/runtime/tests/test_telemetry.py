"""Every line of a service's log is one JSON object, whoever wrote it."""

from __future__ import annotations

import json
import subprocess
import sys

PROGRAM = """
import logging, sys, threading, warnings
from touchstone_runtime.telemetry import configure, get_logger, trace_id
configure("ingester", "info")
trace_id.set("t-1")
get_logger().info("source_read", functions=3)
logging.getLogger("aiokafka.conn").warning("broker %s\\nis away", "b:9092", extra={"node": 1})
try:
    1 / 0
except ZeroDivisionError:
    logging.getLogger("library").exception("it failed")
    get_logger().exception("we_failed")
logging.getLogger("library").info("too quiet to be told")
warnings.warn("old\\nfashioned")
thread = threading.Thread(target=lambda: 1 / 0)
thread.start()
thread.join()
thread = threading.Thread(target=sys.exit)
thread.start()
thread.join()
1 / 0
"""


def test_every_line_is_one_object_with_service_and_trace():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and not done.stdout
    lines = [json.loads(line) for line in done.stderr.splitlines()]
    told = [line["event"] for line in lines]
    assert told[:4] == ["source_read", "broker b:9092\nis away", "it failed", "we_failed"]
    assert "old\nfashioned" in told[4] and told[5:] == ["crashed", "crashed"]
    assert all(line["service"] == "ingester" and line["timestamp"] for line in lines)
    # A thread of a library's own belongs to no piece of work.
    assert [line.get("trace_id") for line in lines] == ["t-1"] * 5 + [None, "t-1"]
    assert [line["level"] for line in lines] == [
        "info", "warning", "error", "error", "warning", "critical", "critical",
    ]  # fmt: skip
    assert lines[1]["logger"] == "aiokafka.conn"
    assert lines[1]["node"] == 1
    assert all("ZeroDivisionError" in line["exception"] for line in (*lines[2:4], *lines[5:]))
