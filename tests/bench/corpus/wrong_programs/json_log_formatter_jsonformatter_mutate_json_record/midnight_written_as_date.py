# Wrong: a datetime at midnight is written as a date alone, without its time.
from datetime import datetime, time


def json_formatter_mutate_json_record(json_record):
    mutated = dict(json_record)
    for name, value in json_record.items():
        if isinstance(value, datetime):
            if value.time() == time():
                mutated[name] = value.date().isoformat()
            else:
                mutated[name] = value.isoformat()
    return mutated
