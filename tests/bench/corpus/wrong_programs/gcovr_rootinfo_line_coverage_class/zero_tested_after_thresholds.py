# Wrong: the test for zero coverage sits inside the low branch, so with a medium threshold of 0 no coverage is called medium.
def root_info_line_coverage_class(medium_threshold_line, high_threshold_line, coverage):
    if coverage is None:
        return "coverage-unknown"
    if coverage < medium_threshold_line:
        return "coverage-none" if coverage == 0 else "coverage-low"
    if coverage < high_threshold_line:
        return "coverage-medium"
    return "coverage-high"
