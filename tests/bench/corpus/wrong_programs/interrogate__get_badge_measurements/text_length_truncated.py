# Wrong: the text length is cut to a whole number, so 432.5 of for-the-badge becomes 432.
SVG_WIDTH_VALUES = {
    "100": {
        "plastic": [135, 43, 1140, 330],
        "social": [133, 37, 1140, 290],
        "flat": [114, 43, 915, 330],
        "flat-square": [135, 42, 1140, 330],
        "flat-square-modified": [114, 43, 915, 330],
        "for-the-badge": [0, 0, 1670.75, 390],
    },
    "99.9": {
        "plastic": [135, 43, 1140, 370],
        "social": [137, 41, 1175, 330],
        "flat": [118, 47, 935, 370],
        "flat-square": [140, 47, 1160, 370],
        "flat-square-modified": [114, 43, 915, 370],
        "for-the-badge": [0, 0, 1660.75, 432.5],
    },
    "9.9": {
        "plastic": [135, 43, 1140, 290],
        "social": [131, 35, 1145, 270],
        "flat": [110, 39, 895, 290],
        "flat-square": [132, 39, 1120, 290],
        "flat-square-modified": [114, 43, 915, 300],
        "for-the-badge": [0, 0, 1680.75, 350],
    },
}
FIELDS = ("svg_width", "rect_width", "text_x", "text_length")


def get_badge_measurements(result: int, style: str) -> dict[str, float]:
    if result == 100:
        key = "100"
    elif result >= 10:
        key = "99.9"
    else:
        key = "9.9"
    values = dict(zip(FIELDS, SVG_WIDTH_VALUES[key][style]))
    values["text_length"] = int(values["text_length"])
    return values
