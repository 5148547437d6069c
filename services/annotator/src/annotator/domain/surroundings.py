"""What the place where a code runs lacks: network, files, programs, rights. Whoever misses these has not failed."""

from __future__ import annotations

import re

from annotator.domain.raised import is_a, short_name

# A call of the system that no program may make in the sandbox, in its own words.
_FORBIDDEN_CALL = "SystemCall"

# What only the operating system, or a resolver, says: it counts in the words of any exception, since codes wrap them.
_SYSTEM = re.compile(
    r"\[Errno (?:-\d+|1|2|6|11|13|19|25|28|30|38|95|97|99|100|101|110|111|112|113)\]"
    r"|Temporary failure in name resolution|Name or service not known|No address associated with hostname"
    r"|getaddrinfo (?:failed|E[A-Z_]+)|php_network_getaddresses|Could not resolve host|no such host"
    r"|Network is unreachable|No route to host|Connection refused"
    r"|\b(?:ECONNREFUSED|ENETUNREACH|EHOSTUNREACH|ENETDOWN|EAI_AGAIN|ENOTFOUND|EACCES|EPERM|EROFS|ENOENT)\b"
    r"|Max retries exceeded|\bdial (?:tcp|udp)\b|Cannot run program|executable file not found"
    r"|returned non-zero exit status 12[67]\b|can't start new thread|unable to create native thread"
    r"|EOF when reading a line|no display name|couldn't connect to display"
)
# Words that a code might well use of its own accord: they count where the exception may be the system's.
_WORDS = re.compile(
    r"No such file or directory|Failed to open stream|Operation not permitted|Permission denied|Read-only file system"
    r"|No space left on device|Inappropriate ioctl|Function not implemented|command not found"
    r"|(?:could not|couldn't|can't|cannot|unable to|failed to) (?:re)?connect|fetch failed|Cannot connect to host"
    r"|All connection attempts failed|not in your PATH|on your systems' PATH",
    re.IGNORECASE,
)
_TYPES = frozenset(
    (
        *("gaierror", "herror", "FileNotFoundError", "PermissionError", "ConnectionRefusedError"),
        *("UnknownHostException", "NoRouteToHostException", "ConnectException", "UnresolvedAddressException"),
        *("NoSuchFileException", "FileNotFoundException", "AccessDeniedException", "ReadOnlyFileSystemException"),
        *("HeadlessException", "NewConnectionError", "MaxRetryError", "NameResolutionError", "ClientConnectorError"),
        *("ConnectError", "ConnectTimeout", "ServerNotFoundError", "EndpointConnectionError", "ExecutableNotFound"),
    )
)
# Where a code looks for its command line and for variables of the environment, of which it is given none.
_ASKS = re.compile(
    r"\bsys\.argv\b|\bimport\b[^\n]*\bargv\b|\$argv\b|\bparse_(?:known_)?args\s*\("
    r"|\bos\.(?:environb?|getenv|Args|Getenv|LookupEnv)\b|\benviron\b"
    r"|\bprocess\.(?:argv|env)\b|\bgetenv\s*\(|\$_(?:SERVER|ENV)\b|\bflag\.(?:Parse|Arg)"
)
# What comes of a list or a map without what is looked for.
_NOT_THERE = frozenset(
    (
        *("IndexError", "KeyError", "TypeError", "AttributeError", "ValueError", "NullPointerException", "panic"),
        *("ArrayIndexOutOfBoundsException", "RangeError", "ErrorException", "SystemExit"),
    )
)
_WAITS = re.compile(
    r"\b(?:u?sleep|nanosleep|setTimeout|setInterval)\s*\(|\btime\.(?:After|Sleep|NewTimer)\b|\bTimer\s*\("
)


def lacks(error_type: str, message: str, language: str = "") -> bool:
    """Whether an exception tells that network, a file, a program or a right was missing where the code ran.

    Args:
        error_type: Its type.
        message: Its words; one without any tells nothing.
        language: That of the code.

    Example:
        >>> lacks("urllib.error.URLError", "<urlopen error [Errno -2] Name or service not known>", "python")
        True
        >>> lacks("FileNotFoundError", "[Errno 2] No such file or directory: 'git'", "python")
        True
        >>> lacks("ValueError", "Permission denied for ada", "python"), lacks("KeyError", "'host'", "python")
        (False, False)
    """
    if not message.strip():
        return False
    if short_name(error_type) in _TYPES or _SYSTEM.search(message):
        return True
    systems = language not in ("", "python") or is_a(error_type, "OSError", "python") is not False
    return systems and _WORDS.search(message) is not None


def lacks_in(headline: str, language: str = "") -> bool:
    """The same of the line of a program's output that names the exception."""
    name, _, message = headline.partition(": ")
    return lacks(name.strip().split(" ")[-1], message, language) if message else False


def not_given(error_type: str, code: str) -> bool:
    """Whether an exception may come of a command line or a variable of the environment that the code was not given.

    Args:
        error_type: Its type; `SystemExit` where the code ended its process.
        code: The code, which may look for them.

    Example:
        >>> not_given("KeyError", "import os\\nHOME = os.environ['USER']"), not_given("KeyError", "x['USER']")
        (True, False)
    """
    return short_name(error_type) in _NOT_THERE and _ASKS.search(code) is not None


def waits(code: str) -> bool:
    """Whether a code waits, so that it may last longer than a call may, and be right.

    Example:
        >>> waits("import time\\ntime.sleep(n)"), waits("while True: pass")
        (True, False)
    """
    return _WAITS.search(code) is not None


def refused(outcome: str, error_type: str) -> bool:
    """Whether a run ended since the sandbox does not let it do what it does: no programs, no threads beyond a few."""
    return outcome == "process_limit" or (outcome == "forbidden" and error_type == _FORBIDDEN_CALL)
