"""Exercises: other questions from the same ground truth and suite (repair, completion, prediction, speed)."""
