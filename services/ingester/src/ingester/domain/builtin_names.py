"""The Python that tasks run on: its version, and the names that every program finds without importing anything."""

from __future__ import annotations

PYTHON_VERSION = (3, 11)

# Its built-ins. Names that only the `site` module adds (exit, quit, help,
# license, copyright, credits) are not among them: an interpreter started without it lacks them.
_BUILTIN_NAMES = """
    ArithmeticError AssertionError AttributeError BaseException BaseExceptionGroup BlockingIOError BrokenPipeError
    BufferError BytesWarning ChildProcessError ConnectionAbortedError ConnectionError ConnectionRefusedError
    ConnectionResetError DeprecationWarning EOFError Ellipsis EncodingWarning EnvironmentError Exception ExceptionGroup
    False FileExistsError FileNotFoundError FloatingPointError FutureWarning GeneratorExit IOError ImportError
    ImportWarning IndentationError IndexError InterruptedError IsADirectoryError KeyError KeyboardInterrupt LookupError
    MemoryError ModuleNotFoundError NameError None NotADirectoryError NotImplemented NotImplementedError OSError
    OverflowError PendingDeprecationWarning PermissionError ProcessLookupError RecursionError ReferenceError
    ResourceWarning RuntimeError RuntimeWarning StopAsyncIteration StopIteration SyntaxError SyntaxWarning SystemError
    SystemExit TabError TimeoutError True TypeError UnboundLocalError UnicodeDecodeError UnicodeEncodeError
    UnicodeError UnicodeTranslateError UnicodeWarning UserWarning ValueError Warning ZeroDivisionError __build_class__
    __debug__ __import__ abs aiter all anext any ascii bin bool breakpoint bytearray bytes callable chr classmethod
    compile complex delattr dict dir divmod enumerate eval exec filter float format frozenset getattr globals hasattr
    hash hex id input int isinstance issubclass iter len list locals map max memoryview min next object oct open ord
    pow print property range repr reversed round set setattr slice sorted staticmethod str sum super tuple type vars
    zip
"""
BUILTIN_NAMES = frozenset(_BUILTIN_NAMES.split())

# Attributes that every module has, with a value of its own: not in an empty module, or not the same there.
_MODULE_NAMES = """
    __name__ __file__ __doc__ __package__ __spec__ __loader__ __path__ __builtins__ __dict__ __annotations__ __cached__
"""
MODULE_NAMES = frozenset(_MODULE_NAMES.split())
