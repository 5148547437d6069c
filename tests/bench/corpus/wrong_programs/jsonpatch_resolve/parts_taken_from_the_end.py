# Wrong: the parts are taken from the end.
def resolve(doc, parts):
    for part in reversed(parts):
        doc = doc[part]
    return doc
