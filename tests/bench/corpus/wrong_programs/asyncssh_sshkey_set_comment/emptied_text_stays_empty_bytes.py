# Wrong: a text that is not empty but of which nothing is left after encoding gives empty bytes, not None.
def ssh_key_set_comment(comment: object, encoding: str = 'utf-8', errors: str = 'strict') -> dict[str, object]:
    if comment:
        if isinstance(comment, str):
            comment = comment.encode(encoding, errors)
    elif isinstance(comment, str):
        comment = comment.encode(encoding, errors) or None
    else:
        comment = None
    return {"comment": comment}
