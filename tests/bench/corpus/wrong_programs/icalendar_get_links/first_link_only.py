# WRONG: only the first of several links is given
def get_links(self):
    links = self.get("LINK", [])
    if isinstance(links, list):
        return links[:1]
    return [links]
