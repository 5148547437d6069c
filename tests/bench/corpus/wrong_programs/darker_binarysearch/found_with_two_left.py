# Wrong: counts the search as done while two candidates are left (takes low as an index known to be false).

class _Search:
    def __init__(self, low, high):
        self.low = low
        self.mid = low
        self.high = high

    def get_next(self):
        return self.mid

    def respond(self, value):
        if value:
            self.high = self.mid
        else:
            self.low = self.mid + 1
        self.mid = (self.low + self.high) // 2

    def found(self):
        return self.high - self.low <= 1

    def result(self):
        if not self.found():
            raise RuntimeError("no result yet")
        return self.high


def binary_search_operations(operations, low, high):
    search = _Search(low, high)
    results = []
    for name, *args in operations:
        if name == "get_next":
            results.append(search.get_next())
        elif name == "respond":
            search.respond(*args)
            results.append(None)
        elif name == "found":
            results.append(search.found())
        elif name == "result":
            results.append(search.result())
        else:
            raise ValueError(name)
    return results
