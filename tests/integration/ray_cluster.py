"""A Ray cluster of real nodes on this machine, each a tree of processes that can be killed alone."""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

# Nothing is sent anywhere, and nothing is fetched.
ENVIRONMENT = {**os.environ, "RAY_USAGE_STATS_ENABLED": "0", "RAY_DISABLE_IMPORT_WARNING": "1"}


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def descendants(pid):
    """The process and all that it started, the youngest last."""
    children = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(stat.read_text().rsplit(")", 1)[1].split()[1])
        except OSError:
            continue
        children.setdefault(parent, []).append(int(stat.parent.name))
    found = [pid]
    for parent in found:
        found.extend(children.get(parent, []))
    return found


class Cluster:
    """`with Cluster(python, nodes=3, cpus=1) as cluster:`; the first node is the head."""

    def __init__(self, python, nodes, cpus=1):
        self.python, self.count, self.cpus = Path(python), nodes, cpus
        self.address = f"127.0.0.1:{free_port()}"
        self.nodes = []

    def __enter__(self):
        # Sockets lie below it, and their paths must be short.
        self.folder = Path(tempfile.mkdtemp(prefix="ray", dir="/tmp"))
        self.scratch = self.folder / "scratch"
        self.scratch.mkdir()
        try:
            # One after the other: nodes of one machine that start together take each other's ports.
            for number in range(self.count):
                self.start_node(number)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for node in range(len(self.nodes)):
            self.kill_node(node)
        shutil.rmtree(self.folder, ignore_errors=True)

    def start_node(self, number):
        port = self.address.rsplit(":", 1)[1]
        place = ["--head", f"--port={port}", "--include-dashboard=false", f"--temp-dir={self.folder}"] if number == 0 else [f"--address={self.address}"]
        command = [str(self.python), "-m", "ray.scripts.scripts", "start", *place, f"--num-cpus={self.cpus}", "--object-store-memory=100000000", "--block"]
        log = open(self.folder / f"node{number}.log", "wb")
        node = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, env={**ENVIRONMENT, "TMPDIR": str(self.scratch)})
        self.nodes[number:] = [node, *self.nodes[number + 1 :]]
        log.close()
        self.until(lambda: "Ray runtime started" in self.log(number), f"node {number} didn't come up")

    def log(self, number):
        return (self.folder / f"node{number}.log").read_text(encoding="utf-8", errors="replace")

    def until(self, condition, complaint):
        deadline = time.monotonic() + 120
        while not condition():
            if time.monotonic() > deadline or self.nodes[-1].poll() is not None:
                logs = "\n".join(self.log(number)[-2000:] for number in range(len(self.nodes)))
                raise AssertionError(f"{complaint}\n{logs}")
            time.sleep(0.3)

    def kill_node(self, number):
        """SIGKILL to everything that the node consists of."""
        node = self.nodes[number]
        if node.poll() is None:
            for pid in descendants(node.pid):
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
        node.wait()
