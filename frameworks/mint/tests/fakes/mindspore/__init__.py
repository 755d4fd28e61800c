raise RuntimeError("libmindspore_core.so is broken\n  and more lines\n")
