# a null parser beyond the end does not lengthen the list
def generator_set_terminal_parser(parserList, index, parser):
    if index >= len(parserList):
        if parser is None:
            return {"parserList": parserList}
        parserList.extend([None] * (index - len(parserList) + 1))
    parserList[index] = parser
    return {"parserList": parserList}
