# Wrong: letters with a stroke lose it as well
import unicodedata

def spell_checker_remove_diacritics(input_str: object) -> str:
    if isinstance(input_str, bytes):
        input_str = input_str.decode("utf-8")
    text = input_str.translate(str.maketrans({"\u00f8": "o", "\u00d8": "O", "\u0142": "l", "\u0141": "L", "\u0111": "d", "\u0110": "D"}))
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
