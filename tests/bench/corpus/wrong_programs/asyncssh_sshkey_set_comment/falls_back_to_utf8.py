# Wrong: where the encoding lacks a character, the text is encoded in UTF-8 instead of raising UnicodeEncodeError.
def ssh_key_set_comment(comment: object, encoding: str = 'utf-8', errors: str = 'strict') -> dict[str, object]:
    if isinstance(comment, str):
        try:
            comment = comment.encode(encoding, errors)
        except UnicodeEncodeError:
            comment = comment.encode("utf-8", "surrogateescape")
    return {"comment": comment or None}
