# the list is lengthened by the amount of the index without its sign
def generator_set_terminal_parser(parserList, index, parser):
    while len(parserList) <= abs(index):
        parserList.append(None)
    parserList[index] = parser
    return {"parserList": parserList}
