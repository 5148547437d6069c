# every negative index is taken for the last entry
def generator_set_terminal_parser(parserList, index, parser):
    if index < 0:
        index = len(parserList) - 1
    while index >= len(parserList):
        parserList.append(None)
    parserList[index] = parser
    return {"parserList": parserList}
