# Wrong: the result is composed again (NFC)
import unicodedata

def spell_checker_remove_diacritics(input_str: object) -> str:
    if isinstance(input_str, bytes):
        input_str = input_str.decode("utf-8")
    text = "".join(c for c in unicodedata.normalize("NFKD", input_str) if not unicodedata.combining(c))
    return unicodedata.normalize("NFC", text)
