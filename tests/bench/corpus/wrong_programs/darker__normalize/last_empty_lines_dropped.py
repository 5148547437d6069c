# Wrong: all line breaks at the end are taken off before splitting, not only the last one, so empty last lines leave no line end behind.
def normalize(lineend, value):
    lines = value.rstrip("\r\n").splitlines()
    return lineend.join(line.strip() for line in lines).strip()
