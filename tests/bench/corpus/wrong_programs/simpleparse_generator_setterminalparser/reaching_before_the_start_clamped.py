# a negative index before the first entry sets the first entry instead of being an error
def generator_set_terminal_parser(parserList, index, parser):
    if index < 0:
        index = max(0, len(parserList) + index)
    while index >= len(parserList):
        parserList.append(None)
    parserList[index] = parser
    return {"parserList": parserList}
