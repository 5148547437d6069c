# WRONG: numbers, truth values and quoted texts stay texts
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
                    parsed = json.loads(value)
                    if isinstance(parsed, (list, dict)):
                        value = parsed
                except (TypeError, ValueError):
                    pass
            new.append(value)
        out.append(new)
    return out
