# Only the first equals sign of the text is escaped, as though later ones could not be mistaken for the separator.
def escape(in_s: str) -> str:
    out = in_s.replace("\\", "\\\\")
    out = out.replace(":", "\\:")
    return out.replace("=", "\\=", 1)
