"""The module map: which module or class an API's type stands for, and what in it may be called.

API names come from dumps, so they are untrusted: a name is one look-up in a namespace that the map lists, never a path through
attributes, and what it finds must be a function of the framework's own.
"""

import importlib
import re
import types
from collections.abc import Sequence
from typing import Any, Callable

from .failures import INVALID_ARGUMENT, NOT_FOUND, UNSUPPORTED, Failure

_ARITHMETIC = re.compile(
    r"__(?:[ir]?(?:add|sub|mul|matmul|truediv|floordiv|mod|pow|and|or|xor|lshift|rshift)|div|rdiv|idiv|divmod|neg|pos|abs|invert"
    r"|lt|le|eq|ne|gt|ge|getitem|setitem|len|contains|bool|int|float|complex|index|long|nonzero)__"
)


class ModuleMap:
    """The map's `types`: {"Mint": ["mindspore.mint", ...], "Mint.linalg": [...]}; its `refused` and `random` are patterns of names
    that are never called, and that need a seed."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self.framework = _text(settings, "framework")
        self.package = _text(settings, "package")
        self.install_hint = _text(settings, "install")
        self.tuples = settings.get("sequences") == "tuple"
        self.unsupported = [re.compile(pattern) for pattern in _texts(settings, "unsupported")]
        self._random = [re.compile(pattern) for pattern in _texts(settings, "random")]
        self._refused = [re.compile(pattern) for pattern in _texts(settings, "refused")]
        self._types: dict[str, list[str]] = {}
        for name, modules in settings.get("types", {}).items():
            self._types[name] = [str(module) for module in modules]
        self._namespaces: dict[str, tuple[Any, ...]] = {}
        self._found: dict[str, Callable[..., Any]] = {}
        self._draws: dict[str, bool] = {}

    def load(self) -> None:
        """Imports every namespace of the map that the installed framework has; the package itself must be there."""
        importlib.import_module(self.package)
        for api_type, paths in self._types.items():
            namespaces = [_namespace(path) for path in paths]
            self._namespaces[api_type] = tuple(found for found in namespaces if found is not None)

    def resolve(self, api: str) -> Callable[..., Any]:
        """The function behind a recorded name; raises Failure(NOT_FOUND or UNSUPPORTED)."""
        function = self._found.get(api)
        if function is None:
            function = self._found[api] = self._look_up(api)
        return function

    def draws_random_numbers(self, api: str) -> bool:
        """Whether the generators have to be seeded for the call; a few dozen microseconds that most calls don't need."""
        draws = self._draws.get(api)
        if draws is None:
            draws = self._draws[api] = any(pattern.search(api) for pattern in self._random)
        return draws

    def _look_up(self, api: str) -> Callable[..., Any]:
        api_type, _, name = api.rpartition(".")
        namespaces = self._namespaces.get(api_type)
        if namespaces is None:
            known = ", ".join(sorted(self._namespaces))
            raise Failure(NOT_FOUND, f"{self.package} has no API type '{api_type}'; the module map knows {known}")
        if any(pattern.fullmatch(api) for pattern in self._refused):
            raise Failure(UNSUPPORTED, f"'{api}' is not called: it does more than compute")
        if name.startswith("_") and not _ARITHMETIC.fullmatch(name):
            raise Failure(NOT_FOUND, f"'{api}' is not a public name")
        for namespace in namespaces:
            function = getattr(namespace, name, None)
            if isinstance(function, property):  # some versions have a method where others have a property
                function = function.fget
            if function is not None and self._is_own_function(function):
                return function
        places = ", ".join(self._types[api_type])
        raise Failure(NOT_FOUND, f"{self.package} has no function '{name}' (looked in {places})")

    def _is_own_function(self, function: object) -> bool:
        if not callable(function) or isinstance(function, (type, types.ModuleType)):
            return False
        home = getattr(function, "__module__", None)  # none: built in C++, which only the framework puts there
        return home is None or home.split(".")[0] == self.package.split(".")[0]


def _namespace(path: str) -> Any:
    """The module or class of a dotted path; None: this version of the framework has none."""
    parts = path.split(".")
    for count in range(len(parts), 0, -1):
        try:
            found: Any = importlib.import_module(".".join(parts[:count]))
        except ModuleNotFoundError:
            continue
        for part in parts[count:]:
            found = getattr(found, part, None)
        return found
    return None


def _text(settings: dict[str, Any], key: str) -> str:
    value = settings.get(key)
    if not isinstance(value, str):
        raise Failure(INVALID_ARGUMENT, f"module map: /{key}: expected a string, got {value!r}")
    return value


def _texts(settings: dict[str, Any], key: str) -> Sequence[str]:
    value = settings.get(key, [])
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise Failure(INVALID_ARGUMENT, f"module map: /{key}: expected a list of strings")
    return value
