"""Entry of the bridge server: `python assay_server.py`, with the protocol on file descriptor 3.

The adapter starts it; stdout and stderr are the adapter's log, and nothing printed there can disturb the protocol.
"""

import os
import socket
import sys

SERVER_SOCKET = 3


def main() -> None:
    if sys.version_info < (3, 9):
        sys.exit("the bridge needs Python 3.9 or newer, this is {}.{}".format(*sys.version_info[:2]))
    from assay_bridge.server import Server

    connection = socket.socket(fileno=SERVER_SOCKET)
    connection.set_inheritable(False)
    try:
        Server(connection).serve()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
    # Frameworks can take seconds to take themselves down, or crash on the way; there is nothing left to save.
    os._exit(0)


if __name__ == "__main__":
    main()
