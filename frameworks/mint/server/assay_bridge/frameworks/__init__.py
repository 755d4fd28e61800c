"""The frameworks that the bridge can drive, by the name that a module map gives."""

import importlib

from .base import Framework

_MODULES = {"plain": "plain", "mindspore": "mindspore_framework", "torch": "torch_framework"}


def load(name: str) -> Framework:
    """Imports the framework's driver, not yet the framework."""
    if name not in _MODULES:
        raise ValueError("module map: no framework '{}'; expected one of {}".format(name, ", ".join(sorted(_MODULES))))
    driver = importlib.import_module("." + _MODULES[name], __package__)
    framework = driver.create()
    assert isinstance(framework, Framework)
    return framework
