# wrong: thinks of the plus sign only; negative numbers are refused


def check_int_try(x: str) -> bool:
    text = x.strip()
    if text.startswith("+"):
        text = text[1:]
    return text.isdecimal()
