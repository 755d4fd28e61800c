"""Builds the watch library for the PyTorch of this interpreter, and finds it again.

    python -m assay.watch.build [--force]      # what `assay watch --setup` runs; prints the library's path
    python -m assay.watch.build --find         # only looks for it

LibTorch's C++ interface differs from version to version, so there is a library for each, below $XDG_CACHE_HOME/assay/watch. Sources,
headers and flags come from the installation (watch_build.json).
"""

import concurrent.futures
import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path


class BuildError(RuntimeError):
    """The library is missing or can't be built; the message says why."""


def home():
    """The folder with lib and share that this package belongs to."""
    if os.environ.get("ASSAY_HOME"):
        return Path(os.environ["ASSAY_HOME"])
    # In a build tree this package is a link: the path as it was imported counts.
    for folder in Path(__file__).absolute().parents:
        if (folder / "share" / "assay" / "pipelines").is_dir():
            return folder
    raise BuildError("no installation of assay is found above " + os.path.dirname(__file__) + "; set ASSAY_HOME")


def _recipe():
    path = home() / "lib" / "assay" / "watch" / "watch_build.json"
    try:
        recipe = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BuildError(f"read {path}: {error.strerror}; this installation has no watch") from None
    base = path.parent
    recipe["sources"] = [base / source for source in recipe["sources"]]
    recipe["includes"] = [base / folder for folder in recipe["includes"]]
    recipe["libraries"] = [str(base / name) if "/" in name else name for name in recipe["libraries"]]
    return recipe


def _torch():
    """Version, folder and ABI of the PyTorch that this interpreter would import; nothing of it is run."""
    spec = importlib.util.find_spec("torch")
    if spec is None or not spec.submodule_search_locations:
        raise BuildError(f"{sys.executable} has no PyTorch")
    folder = Path(spec.submodule_search_locations[0]).resolve()
    found = re.search(r"^__version__ *(?::[^=]*)?= *['\"]([^'\"]+)['\"]", (folder / "version.py").read_text(encoding="utf-8"), re.MULTILINE)
    if not found:
        raise BuildError(f"{folder / 'version.py'} doesn't say the version of PyTorch")
    config = folder / "share" / "cmake" / "Torch" / "TorchConfig.cmake"
    old_abi = config.is_file() and "_GLIBCXX_USE_CXX11_ABI=0" in config.read_text(encoding="utf-8", errors="replace")
    return found.group(1), folder, not old_abi


def _digest(recipe):
    """Of everything of ours that goes into the library."""
    digest = hashlib.sha256()
    folder = recipe["sources"][0].parent
    for path in sorted(folder.glob("*.[ch]pp")) + sorted(folder.glob("include/**/*.h")):
        digest.update(path.read_bytes())
    digest.update(repr((recipe["definitions"], recipe["libraries"])).encode() + Path(__file__).read_bytes())
    for name in recipe["libraries"]:
        if os.path.isfile(name):
            digest.update(Path(name).read_bytes())
    return digest.hexdigest()[:12]


def _cache():
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base) / "assay" / "watch"


def _place(recipe):
    version, _, _ = _torch()
    safe = re.sub(r"[^0-9A-Za-z.+_-]", "_", version)
    return _cache() / f"torch-{safe}-{_digest(recipe)}" / "libassay_watch.so"


def find():
    """The path of the library for this PyTorch. Raises BuildError if it isn't built."""
    place = _place(_recipe())
    if place.is_file():
        return place
    version, folder, _ = _torch()
    others = sorted({p.name.split("-")[1] for p in _cache().glob("torch-*-*") if (p / "libassay_watch.so").is_file()})
    have = f"; there is one for PyTorch {', '.join(others)}" if others else ""
    raise BuildError(
        f"no watch library for PyTorch {version} ({folder}) and this assay{have}; run: assay watch --setup --python {sys.executable}"
    )


def _run(command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode != 0:
        raise BuildError(f"{' '.join(str(part) for part in command)}\n{done.stderr.strip()}")


def build(force=False):
    """Compiles the library unless it is there; returns its path."""
    recipe = _recipe()
    place = _place(recipe)
    if place.is_file() and not force:
        return place
    version, folder, cxx11 = _torch()
    compiler = os.environ.get("CXX") or shutil.which("c++") or shutil.which("g++")
    if not compiler:
        raise BuildError("no C++ compiler is found; install g++ or set CXX")
    place.parent.mkdir(parents=True, exist_ok=True)
    work = place.parent / f"build-{os.getpid()}"
    work.mkdir()
    try:
        flags = ["-O2", "-fPIC", "-std=c++20", "-fvisibility=hidden", "-fvisibility-inlines-hidden", "-w", f"-D_GLIBCXX_USE_CXX11_ABI={int(cxx11)}"]
        flags += ["-D" + name for name in recipe["definitions"]]
        flags += [f"-I{path}" for path in recipe["includes"]]
        for include in (folder / "include", folder / "include" / "torch" / "csrc" / "api" / "include"):
            flags += ["-isystem", include]
        # LibTorch's parallel loops are OpenMP's; they must meet the runtime that it brings.
        runtime = sorted((folder / "lib").glob("libgomp*.so*"))[:1]
        launcher = [shutil.which("ccache")] if shutil.which("ccache") else []

        def compile_one(source):
            target = work / (source.stem + ".o")
            openmp = ["-fopenmp"] if source.stem == "job_threads" and runtime else []
            _run([*launcher, compiler, *flags, *openmp, "-c", source, "-o", target])
            return target

        jobs = int(os.environ.get("MAX_JOBS") or os.cpu_count() or 1)
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            objects = list(pool.map(compile_one, recipe["sources"]))
        library = work / place.name
        libraries = [folder / "lib" / "libtorch_cpu.so", folder / "lib" / "libc10.so", *runtime]
        _run([compiler, "-shared", "-Wl,--exclude-libs,ALL", "-Wl,-z,defs", "-Wl,--allow-shlib-undefined", "-o", library, *objects, *recipe["libraries"], *libraries])
        os.replace(library, place)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return place


if __name__ == "__main__":
    try:
        print(find() if "--find" in sys.argv[1:] else build("--force" in sys.argv[1:]))
    except (BuildError, OSError) as problem:
        sys.exit(f"assay: cannot watch: {problem}")
