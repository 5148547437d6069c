# percent signs are escaped as for interpolation, though the items are to be written as they are
def format_list(items):
    return "".join("\n" + item.replace("%", "%%") for item in items)
