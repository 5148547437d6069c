# WRONG: a single link as text is taken apart
def get_links(self):
    links = self.get("LINK", [])
    if isinstance(links, (list, str)):
        return list(links)
    return [links]
