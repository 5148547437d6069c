# Wrong: NFD instead of NFKD: ligatures and other compatible forms stay
import unicodedata

def spell_checker_remove_diacritics(input_str: object) -> str:
    if isinstance(input_str, bytes):
        input_str = input_str.decode("utf-8")
    return "".join(c for c in unicodedata.normalize("NFD", input_str) if not unicodedata.combining(c))
