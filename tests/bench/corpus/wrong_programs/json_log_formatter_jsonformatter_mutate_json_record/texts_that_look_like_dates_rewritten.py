# Wrong: texts that can be read as dates are taken for datetimes and rewritten too.
from datetime import datetime


def _convert(value):
    if isinstance(value, str):
        try:
            value = datetime.strptime(value, "%Y-%m-%d")
        except ValueError:
            try:
                value = datetime.strptime(value, "%Y-%m-%d %H:%M:%S")
            except ValueError:
                return value
    if isinstance(value, datetime):
        return value.isoformat()
    return value


def json_formatter_mutate_json_record(json_record):
    return {name: _convert(value) for name, value in json_record.items()}
