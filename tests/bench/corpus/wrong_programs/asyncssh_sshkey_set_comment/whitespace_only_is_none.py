# Wrong: a comment of only whitespace counts as empty.
def ssh_key_set_comment(comment: object, encoding: str = 'utf-8', errors: str = 'strict') -> dict[str, object]:
    if isinstance(comment, str):
        comment = comment.encode(encoding, errors)
    if isinstance(comment, bytes) and not comment.strip():
        comment = None
    return {"comment": comment or None}
