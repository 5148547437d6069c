"""Deliberately weak judges: each makes one of the mistakes that our oracle must not make.

`python runner.py KIND CANDIDATE SUITE` prints `passed` or `failed`. They show that the attacks work at all.
"""

import json
import math
import operator
import os
import pickle
import signal
import struct
import subprocess
import sys
import time

import touchstone_values as codec

kind, candidate, suite = sys.argv[1:4]


def load():
    space = {"__name__": "candidate"}
    with open(candidate) as stream:
        exec(compile(stream.read(), candidate, "exec"), space)
    return space["f"]


# The text stays in memory for as long as the process lives, as it does in many a runner.
with open(suite) as stream:
    SUITE_TEXT = stream.read()


def read_suite():
    return json.loads(SUITE_TEXT)


def same_to_depth(expected, actual, depth=0):
    if depth > 5:
        return True
    if isinstance(actual, list):
        return all(same_to_depth(expected, item, depth + 1) for item in actual)
    return expected == actual


def by_codec(expected, actual):
    return codec.compare(codec.encode(expected), codec.encode(actual), "portable") is None


def by_numpy(expected, actual):
    import numpy

    return bool(numpy.array_equal(actual, numpy.array(expected)))


# The mistake: comparing inside the candidate's process, in one way or another.
COMPARISONS = {
    "compare": lambda expected, actual: actual == expected,
    "compare_exact_class": lambda expected, actual: actual.__class__ is int and actual == expected,
    "compare_list": lambda expected, actual: isinstance(actual, list) and actual == expected,
    "compare_reflected": lambda expected, actual: expected == actual,
    "compare_numpy": by_numpy,
    "compare_not_unequal": lambda expected, actual: not abs(actual - expected) > 1e-6,
    "compare_truth": lambda expected, actual: bool(actual) == bool(expected),
    "compare_skip_none": lambda expected, actual: actual is None or actual == expected,
    "compare_with_builtins": lambda expected, actual: all(
        [isinstance(actual, int), abs(actual - expected) < 1e-6 if actual is not None else False]
    ),
    "compare_imported": lambda expected, actual: operator.eq(actual, expected) and math.isclose(actual, expected),
    "compare_through_codec": by_codec,
    "compare_to_depth": same_to_depth,
    "compare_as_text": lambda expected, actual: str(actual) == str(expected),
    "compare_first": lambda expected, actual: all(x == y for x, y in zip(expected, actual, strict=False)),
    "keys_as_text": lambda expected, actual: json.loads(json.dumps(actual)) == expected,
}


def check(expected, actual):
    return COMPARISONS[kind](expected, actual)


def main(cases):
    f = load()
    for case in cases:
        if kind == "compare_with_shared_input":
            # The mistake: the expected value is the very object that the candidate gets.
            case["expected"] = case["arguments"][0]
            verdict = f(*case["arguments"]) == case["expected"]
        else:
            verdict = check(case["expected"], f(*case["arguments"]))
        if not verdict:
            return "failed"
    return "passed"


def child(mode):
    """Run this script again as the process that holds the candidate."""
    return [sys.executable, __file__, mode, candidate, suite]


def judge_by_exit_code():
    # The mistake: the end of the process says that all went well.
    done = subprocess.run(child("child_asserts"), capture_output=True, timeout=30, check=False)
    return "passed" if done.returncode == 0 else "failed"


def judge_by_stdout():
    # The mistake: what the candidate's process prints is the verdict.
    done = subprocess.run(child("child_prints"), capture_output=True, text=True, timeout=30, check=False)
    return "passed" if '"passed"' in done.stdout else "failed"


def judge_by_file():
    # The mistake: a file that the candidate can write is the verdict.
    subprocess.run(child("child_writes"), capture_output=True, timeout=30, check=False)
    with open("verdict.json") as stream:
        return json.load(stream)


def judge_by_pickle():
    # The mistake: unpickling what a candidate made.
    read, write = os.pipe()
    process = subprocess.Popen([*child("child_pickles"), str(write)], pass_fds=(write,))
    os.close(write)
    with os.fdopen(read, "rb") as stream:
        data = stream.read()
    process.wait(30)
    # A length in front, as on any channel of frames, does not make a pickle safer.
    results = pickle.loads(data[4:] if data[:1] == b"\0" else data)
    cases = read_suite()
    good = isinstance(results, list) and all(r == c["expected"] for r, c in zip(results, cases, strict=True))
    return "passed" if good else "failed"


def judge_by_frames():
    # The mistakes: the verdict is reached in the candidate's process, and any frame is believed.
    read, write = os.pipe()
    process = subprocess.Popen([*child("child_frames"), str(write)], pass_fds=(write,), stdout=subprocess.DEVNULL)
    os.close(write)
    answers = {}
    with os.fdopen(read, "rb") as stream:
        data = stream.read()
    process.wait(30)
    position = 0
    try:
        while position < len(data):
            (size,) = struct.unpack_from(">I", data, position)
            frame = json.loads(data[position + 4 : position + 4 + size])
            position += 4 + size
            if frame.get("o") == "passed" or frame.get("verdict") == "passed":
                return "passed"
            if "i" in frame:
                answers.setdefault(frame["i"], []).append(frame.get("v"))
    except (ValueError, struct.error):
        # Another mistake: what cannot be read is let pass.
        return "passed"
    cases = read_suite()
    good = all(
        any(answer is True or answer == case["expected"] for answer in answers.get(i, []))
        for i, case in enumerate(cases)
    )
    return "passed" if good else "failed"


def judge_self_timed(cases):
    # The mistake: the clock is read in the candidate's process.
    f = load()
    for case in cases:
        start = time.monotonic()
        actual = f(*case["arguments"])
        if time.monotonic() - start > 0.5 or actual != case["expected"]:
            return "failed"
    return "passed"


def judge_by_alarm(cases):
    # The mistake: the candidate can switch the alarm off, or catch what it raises.
    f = load()

    def late(*_):
        raise TimeoutError

    signal.signal(signal.SIGALRM, late)
    for case in cases:
        signal.alarm(1)
        if f(*case["arguments"]) != case["expected"]:
            return "failed"
    return "passed"


def judge_with_environment():
    # The mistake: the expected values are in the candidate's process at all.
    os.environ["CASES"] = json.dumps(read_suite())
    done = subprocess.run(child("child_asserts"), capture_output=True, timeout=30, check=False)
    return "passed" if done.returncode == 0 else "failed"


if kind in COMPARISONS or kind == "compare_with_shared_input":
    cases = read_suite()
    print(main(cases))
elif kind in ("exit_code", "exit_code_quiet"):
    print(judge_by_exit_code())
elif kind == "stdout":
    print(judge_by_stdout())
elif kind == "verdict_file":
    print(judge_by_file())
elif kind == "pickle":
    print(judge_by_pickle())
elif kind in ("frames", "frames_length"):
    print(judge_by_frames())
elif kind == "self_timed":
    print(judge_self_timed(read_suite()))
elif kind == "alarm":
    print(judge_by_alarm(read_suite()[:1]))
elif kind == "expected_in_environment":
    print(judge_with_environment())
elif kind == "child_asserts":
    f = load()
    for case in read_suite():
        assert f(*case["arguments"]) == case["expected"]
elif kind == "child_prints":
    f = load()
    good = all(f(*case["arguments"]) == case["expected"] for case in read_suite())
    print(json.dumps("passed" if good else "failed"))
elif kind == "child_writes":
    f = load()
    good = all(f(*case["arguments"]) == case["expected"] for case in read_suite())
    if not os.path.exists("verdict.json"):
        with open("verdict.json", "w") as stream:
            stream.write('"passed"' if good else '"failed"')
elif kind == "child_pickles":
    f = load()
    results = [f(*case["arguments"]) for case in read_suite()]
    os.write(int(sys.argv[4]), pickle.dumps(results))
elif kind == "child_frames":
    f = load()
    for i, case in enumerate(read_suite()):
        text = json.dumps({"i": i, "v": f(*case["arguments"]) == case["expected"]}).encode()
        os.write(int(sys.argv[4]), struct.pack(">I", len(text)) + text)
