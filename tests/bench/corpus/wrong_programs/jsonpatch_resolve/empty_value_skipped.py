# Wrong: an empty value keeps the parent.
def resolve(doc, parts):
    for part in parts:
        doc = doc[part] or doc
    return doc
