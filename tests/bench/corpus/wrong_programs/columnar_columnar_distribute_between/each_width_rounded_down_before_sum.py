# Wrong: every width is rounded down before the sum is made, so the fractions do not add up.
def columnar_distribute_between(diff, columns, n):
    columns = [dict(column) for column in columns]
    if n <= 0:
        return columns
    total = 0
    for column in columns[:n]:
        total += column["width"] // 1
    width = (total - diff) // n
    for index in range(n):
        columns[index]["width"] = width
    return columns
