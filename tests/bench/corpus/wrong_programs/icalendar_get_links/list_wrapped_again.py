# WRONG: a list of links is put into another list
def get_links(self):
    links = self["LINK"] if "LINK" in self else None
    return [] if links is None else [links]
