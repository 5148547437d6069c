# Wrong: knows only A to Z as uppercase, so words such as Éire stay.
import string


def agid_reader_remove_proper_nouns(data):
    for word in list(data):
        if word[:1] and word[:1] in string.ascii_uppercase:
            del data[word]
    return {"data": data}
