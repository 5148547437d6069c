# how many entries are missing is counted from the places that are set, so null entries already there make the list too long
def generator_set_terminal_parser(parserList, index, parser):
    if index >= len(parserList):
        fill = index - len([p for p in parserList if p is not None])
        parserList.extend([None] * fill)
        parserList.append(parser)
    else:
        parserList[index] = parser
    return {"parserList": parserList}
