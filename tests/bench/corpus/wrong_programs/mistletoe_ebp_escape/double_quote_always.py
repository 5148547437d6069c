# Wrong: the double quote is translated even if quote is false.
def escape(s: str, quote: bool = True) -> str:
    table = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}
    if quote:
        table["'"] = "&#x27;"
    return s.translate(str.maketrans(table))
