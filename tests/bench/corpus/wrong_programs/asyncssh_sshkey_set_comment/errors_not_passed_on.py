# Wrong: the error scheme is not handed to encode, it is always strict.
def ssh_key_set_comment(comment: object, encoding: str = 'utf-8', errors: str = 'strict') -> dict[str, object]:
    if isinstance(comment, str):
        comment = comment.encode(encoding)
    return {"comment": comment or None}
