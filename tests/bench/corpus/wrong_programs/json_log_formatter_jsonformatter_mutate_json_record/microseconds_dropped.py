# Wrong: the datetime is written with a fixed format to the second, so its microseconds are lost.
from datetime import datetime


def json_formatter_mutate_json_record(json_record):
    result = {}
    for name, value in json_record.items():
        if isinstance(value, datetime):
            value = value.strftime("%Y-%m-%dT%H:%M:%S")
        result[name] = value
    return result
