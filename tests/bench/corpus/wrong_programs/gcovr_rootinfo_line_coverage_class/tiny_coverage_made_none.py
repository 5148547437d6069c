# Wrong: the percentage is floored before the test for zero, so anything from 0 up to 1 percent is "none" instead of "low".
import math


def root_info_line_coverage_class(medium_threshold_line, high_threshold_line, coverage):
    if coverage is None:
        return "coverage-unknown"
    if math.floor(coverage) == 0:
        return "coverage-none"
    if coverage < medium_threshold_line:
        return "coverage-low"
    if coverage < high_threshold_line:
        return "coverage-medium"
    return "coverage-high"
