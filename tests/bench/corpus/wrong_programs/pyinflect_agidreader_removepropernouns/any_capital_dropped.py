# Wrong: removes words that hold an uppercase letter anywhere, not only at the start.
def agid_reader_remove_proper_nouns(data):
    kept = {word: forms for word, forms in data.items() if not any(c.isupper() for c in word)}
    return {"data": kept}
