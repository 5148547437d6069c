# Wrong: looks at the first letter of the word and passes over digits, apostrophes and the like before it.
def agid_reader_remove_proper_nouns(data):
    for word in list(data):
        first = next((c for c in word if c.isalpha()), "")
        if first.isupper():
            del data[word]
    return {"data": data}
