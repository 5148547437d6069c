# wrong: js and json are compared before the extension is put into lower case


def guess_format(filename: str) -> str | None:
    if "." not in filename:
        return "fixed"
    extension = filename.rsplit(".", 1)[1]
    if extension in ("json", "js"):
        return "json"
    extension = extension.lower()
    if extension in ("csv", "dbf", "fixed", "xls", "xlsx"):
        return extension
    return None
