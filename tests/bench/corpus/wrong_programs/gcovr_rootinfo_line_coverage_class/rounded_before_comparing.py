# Wrong: coverage and thresholds are rounded to one decimal before the comparison, so 89.96 counts as 90.
def root_info_line_coverage_class(medium_threshold_line, high_threshold_line, coverage):
    if coverage is None:
        return "coverage-unknown"
    if coverage == 0:
        return "coverage-none"
    shown = round(coverage, 1)
    if shown < round(medium_threshold_line, 1):
        return "coverage-low"
    if shown < round(high_threshold_line, 1):
        return "coverage-medium"
    return "coverage-high"
