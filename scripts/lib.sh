# Shell functions that the doors of the project (demo, test, .ci/run) share. Source it; it changes to the repository root.

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1

# What a build needs beyond a fresh Debian 12. LibTorch computes with OpenBLAS where it is installed, and with the ten times slower
# reference BLAS where it is not.
build_packages=(
  build-essential cmake ninja-build ccache pkg-config
  libboost-dev libboost-program-options-dev rapidjson-dev libspdlog-dev libzip-dev libhwy-dev libcpp-httplib-dev zlib1g-dev libffi-dev
  libtorch-dev libopenblas0-pthread
)
# What the tests and benchmarks need in addition; headers are compiled with a second compiler too.
# Reports are tested in a browser.
test_packages=(
  libgtest-dev libbenchmark-dev libdlpack-dev clang python3 abigail-tools faketime
  chromium chromium-driver python3-selenium fonts-dejavu-core fonts-noto-cjk libxml2-utils bash-completion zsh mandoc
)
# What the tests of --all need in addition.
venv_packages=(python3-venv)

torch_requirements=(torch==2.15.0)
# What `import torch` needs beside its own libraries, and the GPU libraries that even a machine with CUDA 13 lacks.
torch_python_requirements=("numpy<2" "typing_extensions>=4.13" "sympy>=1.13.3" networkx jinja2 fsspec filelock)
torch_gpu_requirements=(nvidia-cusparselt-cu13==0.8.1 nvidia-nccl-cu13==2.30.7 nvidia-nvshmem-cu13==3.7.2 "nvidia-cufile<2")
mindspore_requirements=(mindspore==2.10.0)
ray_requirements=(ray==2.60.0)
npu_headers_requirement=torch-npu==2.14.0
# Its sources hold junit-10.xsd of Jenkins' xUnit plugin.
junit_schema_requirement=pytest==8.3.4

say() { printf '\n== %s\n' "$*"; }
fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  else
    sudo "$@"
  fi
}

# install_packages NAME...: those that are missing, from Debian.
install_packages() {
  local missing=() name
  for name in "$@"; do
    dpkg-query -W -f='${db:Status-Status}' "$name" 2>/dev/null | grep -qx installed || missing+=("$name")
  done
  [ ${#missing[@]} -eq 0 ] && return
  say "install ${missing[*]}"
  as_root apt-get update -qq
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# venv_is NAME WANTED: whether .venvs/NAME was completed with these requirements.
venv_is() { [ -f ".venvs/$1/.requirements" ] && [ "$(cat ".venvs/$1/.requirements")" = "$2" ]; }

# venv_pip NAME ARGUMENT...: pip install in .venvs/NAME. What pip says is shown only if it fails: it complains about every
# dependency that is left out on purpose.
venv_pip() {
  local folder=.venvs/$1 output
  shift
  [ -x "$folder/bin/pip" ] || python3 -m venv --clear "$folder"
  output=$("$folder/bin/pip" install --quiet --disable-pip-version-check --retries 5 "$@" 2>&1) || fail "pip install $*: $output"
}

torch_imports() { .venvs/torch/bin/python -c 'import torch' >/dev/null 2>&1; }

# Sets torch_python, the interpreter of an environment with the PyTorch wheel (ASSAY_WHEEL_PYTHON, else the one of .venvs/torch), and
# torch_dir, the wheel's folder. The wheel asks for gigabytes of GPU
# libraries; those that `import torch` works without on this machine are left out.
provide_torch_wheel() {
  torch_python=${ASSAY_WHEEL_PYTHON-}
  if [ -z "$torch_python" ]; then
    local wanted="${torch_requirements[*]} ${torch_python_requirements[*]}"
    if ! venv_is torch "$wanted"; then
      say "install ${torch_requirements[*]} into .venvs/torch"
      venv_pip torch --no-deps "${torch_requirements[@]}"
      venv_pip torch "${torch_python_requirements[@]}"
      torch_imports || venv_pip torch --no-deps "${torch_gpu_requirements[@]}"
      torch_imports || venv_pip torch "${torch_requirements[@]}" "${torch_python_requirements[@]}"
      torch_imports || fail "the PyTorch wheel in .venvs/torch can't be imported"
      printf '%s\n' "$wanted" >.venvs/torch/.requirements
    fi
    torch_python=$PWD/.venvs/torch/bin/python
  fi
  torch_dir=$("$torch_python" -c 'import importlib.util as u; print(u.find_spec("torch").submodule_search_locations[0])') ||
    fail "'$torch_python' has no torch"
  [ -f "$torch_dir/lib/libtorch_cpu.so" ] || fail "no PyTorch wheel at '$torch_dir': lib/libtorch_cpu.so is missing"
}

# provide_python NAME MODULE INTERPRETER REQUIREMENT...: prints an interpreter that imports MODULE: the given one, or if that is empty
# the one of .venvs/NAME with the requirements installed.
provide_python() {
  local name=$1 module=$2 python=$3 wanted
  shift 3
  if [ -z "$python" ]; then
    wanted="$*"
    if ! venv_is "$name" "$wanted"; then
      say "install $wanted into .venvs/$name" >&2
      venv_pip "$name" "$@"
      printf '%s\n' "$wanted" >".venvs/$name/.requirements"
    fi
    python=$PWD/.venvs/$name/bin/python
  fi
  "$python" -c "import $module" >/dev/null 2>&1 || fail "'$python' can't import $module"
  echo "$python"
}

# Sets mint_python: ASSAY_MINT_PYTHON of the environment, else the interpreter of .venvs/mindspore.
provide_mindspore() {
  mint_python=$(provide_python mindspore mindspore.mint "${ASSAY_MINT_PYTHON-}" "${mindspore_requirements[@]}")
}

# Sets ray_python: ASSAY_RAY_PYTHON of the environment, else the interpreter of .venvs/ray.
provide_ray() { ray_python=$(provide_python ray ray "${ASSAY_RAY_PYTHON-}" "${ray_requirements[@]}"); }

# Sets npu_headers: ASSAY_NPU_HEADERS of the environment, else the folder of acl/acl.h that the torch-npu wheel holds. The wheel is
# unpacked, not installed, and none of its files becomes part of the project.
provide_npu_headers() {
  npu_headers=${ASSAY_NPU_HEADERS-}
  if [ -z "$npu_headers" ]; then
    local folder=$PWD/.venvs/npu-headers
    if ! venv_is npu-headers "$npu_headers_requirement"; then
      say "download $npu_headers_requirement for its headers"
      rm -rf "$folder"
      mkdir -p "$folder"
      "$torch_python" -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --dest "$folder" \
        --python-version 3.11 --platform manylinux_2_28_x86_64 "$npu_headers_requirement" ||
        fail "pip download $npu_headers_requirement"
      python3 -m zipfile -e "$folder"/*.whl "$folder/wheel" && rm "$folder"/*.whl
      printf '%s\n' "$npu_headers_requirement" >"$folder/.requirements"
    fi
    npu_headers=$folder/wheel/torch_npu/include/third_party/acl/inc
  fi
  [ -f "$npu_headers/acl/acl.h" ] || fail "no headers of AscendCL at '$npu_headers': acl/acl.h is missing"
}

# Sets junit_schema: ASSAY_JUNIT_SCHEMA of the environment, else junit-10.xsd of Jenkins' xUnit plugin, as the sources of pytest hold it.
# It is read, not installed, and doesn't become part of the project. Uses the interpreter of provide_torch_wheel.
provide_junit_schema() {
  junit_schema=${ASSAY_JUNIT_SCHEMA-}
  if [ -z "$junit_schema" ]; then
    local folder=$PWD/.venvs/junit-schema
    if ! venv_is junit-schema "$junit_schema_requirement"; then
      say "download $junit_schema_requirement for the schema of JUnit reports"
      rm -rf "$folder"
      mkdir -p "$folder"
      "$torch_python" -m pip download --quiet --disable-pip-version-check --no-deps --no-binary "${junit_schema_requirement%%=*}" \
        --dest "$folder" "$junit_schema_requirement" || fail "pip download $junit_schema_requirement"
      tar -xzf "$folder"/*.tar.gz -C "$folder" --strip-components=3 --wildcards '*/testing/example_scripts/junit-10.xsd' ||
        fail "the sources of $junit_schema_requirement have no junit-10.xsd"
      rm "$folder"/*.tar.gz
      printf '%s\n' "$junit_schema_requirement" >"$folder/.requirements"
    fi
    junit_schema=$folder/junit-10.xsd
  fi
  [ -f "$junit_schema" ] || fail "no schema of JUnit reports at '$junit_schema'"
}

# run_tests NAME CTEST_ARGUMENT...: runs tests and adds to tests_passed, tests_failed and tests_skipped.
tests_passed=0 tests_failed=0 tests_skipped=0
run_tests() {
  local name=$1 output summary total failed skipped
  shift
  say "tests: $name"
  output=$(mktemp)
  ctest --output-on-failure --no-tests=error -j2 "$@" 2>&1 | tee "$output" || true
  summary=$(grep -E '^[0-9]+% tests passed, [0-9]+ tests failed out of [0-9]+' "$output" | tail -1)
  skipped=$(grep -cE '\*\*\*(Skipped|Not Run \(Disabled\))' "$output" || true)
  rm -f "$output"
  [ -n "$summary" ] || fail "no test of '$name' was run"
  failed=$(echo "$summary" | sed -E 's/.*passed, ([0-9]+) tests failed.*/\1/')
  total=$(echo "$summary" | sed -E 's/.*out of ([0-9]+).*/\1/')
  tests_failed=$((tests_failed + failed))
  tests_skipped=$((tests_skipped + skipped))
  tests_passed=$((tests_passed + total - failed - skipped))
}
