# Wrong: only the blanks of ASCII are taken off, so no-break spaces and other Unicode blanks stay at the ends of lines.
BLANKS = " \t\r\n\v\f"


def normalize(lineend, value):
    return lineend.join(line.strip(BLANKS) for line in value.splitlines()).strip(BLANKS)
