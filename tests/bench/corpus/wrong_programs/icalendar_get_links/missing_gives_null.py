# WRONG: without links a list with nothing in it comes
def get_links(self):
    links = self.get("LINK")
    if isinstance(links, list):
        return links
    return [links]
