"""What a command ends with when it cannot do what was asked."""


class CliError(Exception):
    """One line for the user; the command ends with `exit_code`.

    Args:
        message: What is wrong, with the name of the thing and the way out.
        exit_code: The command's exit code.
    """

    def __init__(self, message: str, *, exit_code: int = 1) -> None:
        self.exit_code = exit_code
        super().__init__(message)
