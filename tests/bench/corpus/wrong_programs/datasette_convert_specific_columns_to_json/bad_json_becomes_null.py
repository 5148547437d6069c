# WRONG: a text that is no JSON becomes nothing
import json


def convert_specific_columns_to_json(rows, columns, json_cols):
    wanted = set(json_cols)
    if not wanted.intersection(columns):
        return rows
    out = []
    for row in rows:
        new = []
        for value, column in zip(row, columns):
            if column in wanted:
                try:
                    value = json.loads(value)
                except (TypeError, ValueError):
                    value = None
            new.append(value)
        out.append(new)
    return out
