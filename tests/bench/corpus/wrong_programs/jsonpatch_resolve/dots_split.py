# Wrong: a part with dots is split into several.
def resolve(doc, parts):
    for part in parts:
        for piece in part.split(".") if isinstance(part, str) else [part]:
            doc = doc[piece]
    return doc
