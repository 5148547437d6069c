# Wrong: only the marks U+0300 to U+036F are removed
import unicodedata

def spell_checker_remove_diacritics(input_str: object) -> str:
    if isinstance(input_str, bytes):
        input_str = input_str.decode("utf-8")
    return "".join(c for c in unicodedata.normalize("NFKD", input_str) if not "\u0300" <= c <= "\u036f")
