"""The Python side of the bridge: runs APIs of a Python framework for the adapter in another process."""
