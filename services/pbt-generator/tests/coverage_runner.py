"""Measures a trusted test program with coverage.py: program file, entry point and inputs in, missing branches out."""

import contextlib
import json
import os
import runpy
import sys

import coverage

import touchstone_values as values

path, entry, inputs, answer = sys.argv[1:5]
measure = coverage.Coverage(branch=True, data_file=None, include=[os.path.abspath(path)])
measure.start()
module = runpy.run_path(path)
with open(inputs, encoding="utf-8") as stream:
    for line in stream:
        arguments = values.decode(line)
        with contextlib.suppress(Exception):
            module[entry](*arguments) if isinstance(arguments, list) else module[entry](**arguments)
measure.stop()
analysis = measure._analyze(os.path.abspath(path))
missing = [[line, target] for line, targets in analysis.missing_branch_arcs().items() for target in targets]
with open(answer, "w", encoding="utf-8") as stream:
    json.dump({"missing": missing, "lines": sorted(analysis.missing)}, stream)
