# letters and decimal digits are kept in place of all alphanumerics: a superscript or fraction is lost
import os

KEPT = (" ", ".", "_", "-")


def safe_filename(filename):
    name = os.path.basename(filename)
    name = "".join(ch for ch in name if ch.isalpha() or ch.isdecimal() or ch in KEPT)
    return name.strip().strip(".")
