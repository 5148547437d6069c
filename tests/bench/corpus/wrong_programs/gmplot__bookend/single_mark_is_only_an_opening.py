# Wrong: a lone one-character fragment counts as one end only and is wrapped
def bookend(string, fragment):
    if string == "":
        return ""
    if len(fragment) == 1:
        done = len(string) > 1 and string[0] == fragment == string[-1]
    else:
        done = string.startswith(fragment) and string.endswith(fragment)
    return string if done else fragment + string + fragment
