"""What a command ends with when it cannot do what was asked."""

# Exit codes beside 0 and 1 (it cannot be done, or does not hold).
NOT_UNDERSTOOD = 2
OUR_FAULT = 70
INTERRUPTED = 130
# As the shell shows a program that a closed pipe ended.
BROKEN_PIPE = 141


class CliError(Exception):
    """One line for the user; the command ends with `exit_code`.

    Args:
        message: What is wrong, with the name of the thing and the way out.
        exit_code: The command's exit code.
    """

    def __init__(self, message: str, *, exit_code: int = 1) -> None:
        self.exit_code = exit_code
        super().__init__(message)
