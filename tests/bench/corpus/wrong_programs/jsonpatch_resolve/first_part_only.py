# Wrong: the loop returns after the first part.
def resolve(doc, parts):
    for part in parts:
        return doc[part]
    return doc
