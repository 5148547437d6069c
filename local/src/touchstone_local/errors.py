"""One error for everything that can go wrong on the machine, told in one line."""


class LocalError(Exception):
    """A part of the local platform cannot be had or does not run.

    Args:
        message: What went wrong, without a final full stop.
        thing: The file, port, process or address that it happened to.
        way_out: What the user can do about it.
    """

    def __init__(self, message: str, *, thing: str = "", way_out: str = "") -> None:
        self.message = message
        self.thing = thing
        self.way_out = way_out
        head = f"{thing}: {message}" if thing else message
        super().__init__(f"{head}; {way_out}" if way_out else head)
