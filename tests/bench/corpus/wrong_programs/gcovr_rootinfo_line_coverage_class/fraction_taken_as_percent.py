# Wrong: values above 0 up to 1 are taken for fractions and made into percentages, so 0.8 percent becomes 80.
def root_info_line_coverage_class(medium_threshold_line, high_threshold_line, coverage):
    if coverage is None:
        return "coverage-unknown"
    if coverage == 0:
        return "coverage-none"
    if 0 < coverage <= 1 and high_threshold_line > 1:
        coverage = coverage * 100
    if coverage < medium_threshold_line:
        return "coverage-low"
    if coverage < high_threshold_line:
        return "coverage-medium"
    return "coverage-high"
