# Wrong: the first n columns all become copies of the first one, so the other fields of the 2nd to nth column are lost.
def columnar_distribute_between(diff, columns, n):
    if n <= 0:
        return list(columns)
    width = (sum(column["width"] for column in columns[:n]) - diff) // n
    return [dict(columns[0], width=width)] * n + columns[n:]
