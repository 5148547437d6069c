# null entries at the end of the list are cut off
def generator_set_terminal_parser(parserList, index, parser):
    missing = index + 1 - len(parserList)
    if missing > 0:
        parserList += [None] * missing
    parserList[index] = parser
    while parserList and parserList[-1] is None:
        parserList.pop()
    return {"parserList": parserList}
