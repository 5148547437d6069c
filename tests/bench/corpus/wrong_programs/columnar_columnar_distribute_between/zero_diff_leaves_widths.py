# Wrong: with a diff of 0 the columns are given back as they are, not made the same width.
def columnar_distribute_between(diff, columns, n):
    if not diff:
        return columns
    total = sum(column["width"] for column in columns[:n]) if n > 0 else 0
    result = []
    for index, column in enumerate(columns):
        if index < n:
            column = dict(column, width=(total - diff) // n)
        result.append(column)
    return result
