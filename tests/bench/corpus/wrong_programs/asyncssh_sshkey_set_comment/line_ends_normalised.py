# Wrong: CR LF in a text becomes LF before it is encoded.
def ssh_key_set_comment(comment: object, encoding: str = 'utf-8', errors: str = 'strict') -> dict[str, object]:
    if isinstance(comment, str):
        comment = comment.replace("\r\n", "\n").encode(encoding, errors)
    return {"comment": comment or None}
