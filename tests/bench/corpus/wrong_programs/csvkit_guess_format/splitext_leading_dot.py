# wrong: os.path.splitext sees no extension in a name that starts with its only dot, so ".csv" is taken for fixed
import os


def guess_format(filename: str) -> str | None:
    extension = os.path.splitext(filename)[1].lower()
    if not extension:
        return "fixed"
    extension = extension[1:]
    if extension in ("csv", "dbf", "fixed", "xls", "xlsx"):
        return extension
    if extension in ("js", "json"):
        return "json"
    return None
