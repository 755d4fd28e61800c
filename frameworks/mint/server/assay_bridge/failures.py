"""What can go wrong with a call, as a status of the C ABI and one line that a user reads."""

import re
from collections.abc import Iterable

INVALID_ARGUMENT, NOT_FOUND, UNSUPPORTED, OUT_OF_MEMORY, INTERNAL = 1, 2, 3, 4, 6

_LONGEST = 400
_OUT_OF_MEMORY = re.compile(
    r"bad_alloc|out of memory|can't allocate memory|cannot allocate memory|memory not enough", re.IGNORECASE
)


class Failure(Exception):
    """A request that ends in kFailed. `doubtful`: the framework may be left in a state that spoils later calls."""

    def __init__(self, status: int, message: str, doubtful: bool = False) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.doubtful = doubtful


def one_line(error: BaseException) -> str:
    """The first line of the framework's message that says something: no rulers, no "- Kernel select failed:" headings."""
    lines = (line.strip() for line in str(error).splitlines())
    text = next((line for line in lines if line.strip("-=# ") and not (line.startswith("- ") and line.endswith(":"))), "")
    if len(text) > _LONGEST:
        text = text[:_LONGEST] + "..."
    return text or type(error).__name__


def classify(error: BaseException, unsupported: Iterable["re.Pattern[str]"]) -> Failure:
    """The failure that an exception of the framework stands for. `unsupported`: what it says when it lacks a kernel."""
    if isinstance(error, Failure):
        return error
    text, line = str(error), one_line(error)
    if isinstance(error, MemoryError) or _OUT_OF_MEMORY.search(text):
        return Failure(OUT_OF_MEMORY, "memory: " + line)
    if isinstance(error, NotImplementedError) or any(pattern.search(text) for pattern in unsupported):
        return Failure(UNSUPPORTED, line)
    if isinstance(error, (TypeError, ValueError, IndexError, KeyError, RuntimeError, AssertionError)):
        return Failure(INVALID_ARGUMENT, line)
    return Failure(INTERNAL, f"{type(error).__name__}: {line}")
