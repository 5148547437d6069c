"""Names of the tracks: what can be asked of a task. The generator poses, the evaluator asks, clients offer them."""

from __future__ import annotations

WRITE = "write"
REPAIR, COMPLETION, SPEED = "repair", "completion", "speed"
PREDICT_OUTPUT, PREDICT_INPUT = "predict-output", "predict-input"
# The same function under names that say nothing.
NEUTRAL = "neutral"
# What the ground truth calls of its own is given.
HELPERS = "helpers"
# Inputs that no caller should send.
ROBUSTNESS = "robustness"
# Those that are exercises: all but writing.
POSED = (REPAIR, COMPLETION, PREDICT_OUTPUT, PREDICT_INPUT, SPEED, NEUTRAL, HELPERS, ROBUSTNESS)
TRACKS = (WRITE, *POSED)
# Among the bounds of a run: the version of the making of its exercises. A task is another question in another one.
EXERCISE = "exercise"
