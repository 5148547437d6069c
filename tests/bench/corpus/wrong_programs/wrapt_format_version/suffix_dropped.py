# Wrong: parts after the third are cut off unless they are dev or post.
def format_version(parts):
    base = ".".join(parts[:3])
    for part in parts[3:]:
        if part.startswith(("dev", "post")):
            base += "." + part
    return base
