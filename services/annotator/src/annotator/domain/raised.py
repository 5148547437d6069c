"""Which exceptions are which: whoever raises a kind of what is expected has raised what is expected."""

from __future__ import annotations

import ast
import builtins
import re
from functools import cache

from annotator.domain.declarations import blanked
from annotator.domain.repair_units import last_name

# Each line names a class and those right below it; of libraries, what their names tell without doubt.
_PYTHON = """
ValueError: JSONDecodeError TOMLDecodeError AddressValueError NetmaskValueError StatisticsError UnsupportedOperation
ValueError: LinAlgError ParserError EmptyDataError AxisError
IndexError: AxisError
OSError: gaierror herror URLError HTTPError UnsupportedOperation SameFileError SpecialFileError ExecError ReadError
URLError: HTTPError ContentTooShortError
ArithmeticError: DecimalException
DecimalException: InvalidOperation DivisionByZero Inexact Rounded Subnormal Overflow Underflow Clamped FloatOperation
InvalidOperation: ConversionSyntax DivisionImpossible DivisionUndefined InvalidContext
ZeroDivisionError: DivisionByZero DivisionUndefined
TypeError: FloatOperation
KeyError: ZoneInfoNotFoundError UnknownTimeZoneError
EOFError: IncompleteReadError
AttributeError: FrozenInstanceError
SyntaxError: ParseError
Exception: SubprocessError PickleError BadZipFile LargeZipFile Empty Full ExpatError CookieError Error
SubprocessError: CalledProcessError TimeoutExpired
PickleError: PicklingError UnpicklingError
Error: NoSectionError NoOptionError DuplicateSectionError DuplicateOptionError ParsingError InterpolationError
Error: SameFileError DatabaseError InterfaceError
ParsingError: MissingSectionHeaderError
DatabaseError: OperationalError IntegrityError ProgrammingError DataError NotSupportedError InternalError
BaseException: StubWasCalled
"""
_JAVA = """
Throwable: Exception Error
Error: AssertionError VirtualMachineError LinkageError
VirtualMachineError: StackOverflowError OutOfMemoryError InternalError
LinkageError: NoClassDefFoundError ExceptionInInitializerError UnsatisfiedLinkError
Exception: RuntimeException IOException ReflectiveOperationException CloneNotSupportedException InterruptedException
Exception: ParseException TimeoutException ExecutionException GeneralSecurityException SQLException URISyntaxException
RuntimeException: IllegalArgumentException IllegalStateException ArithmeticException ClassCastException
RuntimeException: NullPointerException IndexOutOfBoundsException NegativeArraySizeException ArrayStoreException
RuntimeException: UnsupportedOperationException NoSuchElementException ConcurrentModificationException
RuntimeException: SecurityException EmptyStackException MissingResourceException UncheckedIOException
RuntimeException: DateTimeException CompletionException BufferOverflowException BufferUnderflowException
RuntimeException: IllegalMonitorStateException RejectedExecutionException
IllegalArgumentException: NumberFormatException IllegalFormatException PatternSyntaxException InvalidPathException
IllegalArgumentException: IllegalCharsetNameException UnsupportedCharsetException IllegalThreadStateException
IllegalFormatException: UnknownFormatConversionException MissingFormatArgumentException DuplicateFormatFlagsException
IllegalFormatException: IllegalFormatConversionException FormatFlagsConversionMismatchException
IndexOutOfBoundsException: ArrayIndexOutOfBoundsException StringIndexOutOfBoundsException
NoSuchElementException: InputMismatchException
IllegalStateException: CancellationException
UnsupportedOperationException: ReadOnlyBufferException
DateTimeException: DateTimeParseException UnsupportedTemporalTypeException
IOException: FileNotFoundException EOFException UnsupportedEncodingException MalformedURLException SocketException
IOException: UnknownHostException FileSystemException UTFDataFormatException CharacterCodingException
IOException: InterruptedIOException ObjectStreamException SSLException
FileSystemException: NoSuchFileException FileAlreadyExistsException AccessDeniedException DirectoryNotEmptyException
FileSystemException: NotDirectoryException
SocketException: ConnectException BindException NoRouteToHostException
CharacterCodingException: MalformedInputException UnmappableCharacterException
InterruptedIOException: SocketTimeoutException
ReflectiveOperationException: ClassNotFoundException NoSuchMethodException NoSuchFieldException
ReflectiveOperationException: InstantiationException IllegalAccessException InvocationTargetException
GeneralSecurityException: NoSuchAlgorithmException InvalidKeyException
InvalidKeyException: InvalidKeySpecException
"""
_PHP = """
Throwable: Exception Error
Error: TypeError ValueError ArithmeticError AssertionError CompileError UnhandledMatchError
TypeError: ArgumentCountError
ArithmeticError: DivisionByZeroError
CompileError: ParseError
Exception: ErrorException LogicException RuntimeException JsonException IntlException ReflectionException
Exception: DOMException
LogicException: BadFunctionCallException DomainException InvalidArgumentException LengthException OutOfRangeException
BadFunctionCallException: BadMethodCallException
RuntimeException: OutOfBoundsException OverflowException RangeException UnderflowException UnexpectedValueException
RuntimeException: PDOException mysqli_sql_exception
"""
_TABLES = {"python": _PYTHON, "java": _JAVA, "php": _PHP}
# Names that several libraries of Python give to classes of theirs, so that more may stand above these.
_SEVERAL = frozenset({"error", "Error", "timeout", "HTTPError", "ConnectionError", "TimeoutError", "ParseError"})
# What of Python leaves by its own door.
_NO_EXCEPTION = frozenset({"SystemExit", "KeyboardInterrupt", "GeneratorExit", "CancelledError", "StubWasCalled"})
# What JavaScript says of a thrown value that is no error at all.
_NO_ERRORS = frozenset({"string", "number", "bigint", "boolean", "undefined", "object", "function", "symbol"})
# Whoever expects one of these expects anything.
ANYTHING = frozenset({"Exception", "BaseException", "Throwable", "Error", "error", "panic"})
_CLASS = re.compile(r"\bclass\s+(\w+)(?:\s*<[^{>]*>)?\s+extends\s+([\w.\\]+)")


def short_name(name: str) -> str:
    """The name of an exception without its package, module, namespace or outer class.

    Example:
        >>> short_name("java.util.Outer$Inner"), short_name("App\\\\Wrong"), short_name("json.JSONDecodeError")
        ('Inner', 'Wrong', 'JSONDecodeError')
    """
    return re.split(r"[.\\$:]", name.strip())[-1]


def is_a(raised: str, expected: str, language: str, code: str = "") -> bool | None:
    """Whether an exception is of an expected class; None where nobody knows what its class is built on.

    Args:
        raised: Its class, as the sandbox tells it.
        expected: The class that is asked for.
        language: In which the names mean something; empty is Python.
        code: Text that may declare classes of its own: the code's, and that of its test.

    Example:
        >>> is_a("json.decoder.JSONDecodeError", "ValueError", "python"), is_a("KeyError", "ValueError", "python")
        (True, False)
        >>> is_a("FileNotFoundError", "IOError", "python"), is_a("TheirError", "ValueError", "python")
        (True, None)
    """
    language = language or "python"
    own, wanted = _plain(short_name(raised), language), _plain(short_name(expected), language)
    if own == wanted:
        return True
    if language == "go":
        # A returned error may wrap any other, and what is expected is as often a value as a type.
        return True if wanted in ("error", "Error") and own != "panic" else None
    if language in ("javascript", "typescript") and wanted == "Error":
        return own not in _NO_ERRORS
    parents = _parents(language) | _declared(code, language)
    waiting, seen = [own], {own}
    while waiting:
        above = [each for each in parents.get(waiting.pop(), ()) if each not in seen]
        waiting.extend(above)
        seen.update(above)
    if wanted in seen or (language == "python" and wanted == "BaseException"):
        return True
    if language == "python" and wanted == "Exception":
        # Whatever else is raised is one, whoever declares it.
        return not seen & _NO_EXCEPTION
    known = all(name in parents for name in seen)
    if language == "python":
        known = known and not (seen | {wanted}) & _SEVERAL
    return False if known or own in _NO_ERRORS else None


@cache
def _aliases() -> dict[str, str]:
    """What Python calls by several names, such as IOError."""
    return {name: each.__name__ for name, each in vars(builtins).items() if _raisable(each) and name != each.__name__}


def _plain(name: str, language: str) -> str:
    return _aliases().get(name, name) if language == "python" else name


def _raisable(each: object) -> bool:
    return isinstance(each, type) and issubclass(each, BaseException)


@cache
def _parents(language: str) -> dict[str, tuple[str, ...]]:
    """The classes right above each one that is known; none above the highest."""
    found: dict[str, tuple[str, ...]] = {}
    if language == "python":
        for each in vars(builtins).values():
            if isinstance(each, type) and issubclass(each, BaseException):
                bases = (base.__name__ for base in each.__bases__ if issubclass(base, BaseException))
                found[each.__name__] = tuple(bases)
    if language in ("javascript", "typescript"):
        found = dict.fromkeys(("EvalError", "RangeError", "ReferenceError", "SyntaxError", "TypeError"), ("Error",))
        found |= {"URIError": ("Error",), "AggregateError": ("Error",), "Error": ()}
    for line in _TABLES.get(language, "").split("\n"):
        above, _, below = line.partition(":")
        for name in below.split():
            found[name] = (*found.get(name, ()), above)
            found.setdefault(above, ())
    return found


def _declared(code: str, language: str) -> dict[str, tuple[str, ...]]:
    """The classes that a text declares with what they are built on."""
    if language != "python":
        return {name: (short_name(base),) for name, base in _CLASS.findall(blanked(code, language))} if code else {}
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    return {
        node.name: tuple(_plain(last_name(base) or "?", language) for base in node.bases)
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef) and node.bases
    }
