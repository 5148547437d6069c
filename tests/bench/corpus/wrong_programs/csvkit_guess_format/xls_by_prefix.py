# wrong: every extension that starts with xls is taken for a spreadsheet that can be read, xlsm and xlsb too


def guess_format(filename: str) -> str | None:
    _, dot, extension = filename.rpartition(".")
    if not dot:
        return "fixed"
    extension = extension.lower()
    if extension.startswith("xls"):
        return "xls" if extension == "xls" else "xlsx"
    return {
        "csv": "csv",
        "dbf": "dbf",
        "fixed": "fixed",
        "js": "json",
        "json": "json",
    }.get(extension)
