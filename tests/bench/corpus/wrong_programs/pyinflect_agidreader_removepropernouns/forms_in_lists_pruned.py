# Wrong: also removes forms with a capital from the lists held as values.
def _proper(word):
    return isinstance(word, str) and word[:1].isupper()


def agid_reader_remove_proper_nouns(data):
    result = {}
    for word, forms in data.items():
        if _proper(word):
            continue
        if isinstance(forms, list):
            forms = [form for form in forms if not _proper(form)]
        result[word] = forms
    return {"data": result}
