# Wrong: a line end behind a comment given as bytes is cut off.
def ssh_key_set_comment(comment: object, encoding: str = 'utf-8', errors: str = 'strict') -> dict[str, object]:
    if isinstance(comment, str):
        comment = comment.encode(encoding, errors)
    elif isinstance(comment, bytes):
        comment = comment.rstrip(b"\r\n")
    return {"comment": comment or None}
