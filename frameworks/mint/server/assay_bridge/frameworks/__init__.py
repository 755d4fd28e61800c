"""The frameworks that the bridge can drive, by the name that a module map gives."""

import importlib

from ..failures import INVALID_ARGUMENT, Failure
from .base import Framework

_MODULES = {"plain": "plain", "mindspore": "mindspore_framework", "torch": "torch_framework"}


def load(name: str) -> Framework:
    """Imports the framework's driver, not yet the framework."""
    if name not in _MODULES:
        known = ", ".join(sorted(_MODULES))
        raise Failure(INVALID_ARGUMENT, f"module map: /framework: no '{name}'; expected one of {known}")
    driver = importlib.import_module("." + _MODULES[name], __package__)
    framework = driver.create()
    assert isinstance(framework, Framework)
    return framework
