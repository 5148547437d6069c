# Wrong: a hyphen becomes a blank instead of being removed.
def strings_alphanumeric(string: str) -> str:
    keep = "1234567890abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ "
    return "".join(c for c in string.replace("-", " ") if c in keep)
