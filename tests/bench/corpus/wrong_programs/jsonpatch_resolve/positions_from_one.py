# Wrong: list positions count from one.
def resolve(doc, parts):
    for part in parts:
        doc = doc[part - 1 if isinstance(part, int) else part]
    return doc
