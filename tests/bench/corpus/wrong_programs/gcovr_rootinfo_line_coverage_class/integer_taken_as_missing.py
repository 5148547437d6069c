# Wrong: only a float counts as a known coverage, so whole numbers given as integers are called unknown.
def root_info_line_coverage_class(medium_threshold_line, high_threshold_line, coverage):
    if not isinstance(coverage, float):
        return "coverage-unknown"
    if coverage == 0.0:
        return "coverage-none"
    if coverage < medium_threshold_line:
        return "coverage-low"
    if coverage < high_threshold_line:
        return "coverage-medium"
    return "coverage-high"
