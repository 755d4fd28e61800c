#!/bin/sh
# usage: check_headers.sh INCLUDE_DIR LAYOUT_HEADER COMPILER...
# Every header of the boundary compiles on its own as C11, C17, C++17 and C++20, every SDK header as C++17 and C++20, and the
# boundary includes nothing but stdint.h, stddef.h and itself. COMPILER is a C compiler that takes -x c++.
set -u
include=$1 layout=$2
shift 2
flags="-fsyntax-only -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -I$include -DRAPIDJSON_HAS_STDSTRING=1"
failures=0
count=0

compiles() { # compiler, language and standard, header
  count=$((count + 1))
  # shellcheck disable=SC2086
  if ! echo "#include \"$3\"" | "$1" $2 $flags -; then
    echo "FAILED: $1 $2: $3"
    failures=$((failures + 1))
  fi
}

for compiler in "$@"; do
  for header in "$include"/assay/abi/*.h "$layout"; do
    for mode in "-x c -std=c11" "-x c -std=c17" "-x c++ -std=c++17" "-x c++ -std=c++20"; do
      compiles "$compiler" "$mode" "$header"
    done
  done
  for header in "$include"/assay/sdk/*.hpp; do
    for mode in "-x c++ -std=c++17" "-x c++ -std=c++20"; do
      compiles "$compiler" "$mode" "$header"
    done
  done
done

foreign=$(grep -hn '#include' "$include"/assay/abi/*.h | grep -v -E '<(stdint|stddef)\.h>|"[a-z_]+\.h"')
if [ -n "$foreign" ]; then
  echo "FAILED: the boundary includes $foreign"
  failures=$((failures + 1))
fi

echo "$count compilations, $failures failures"
[ "$count" -gt 0 ] && [ "$failures" -eq 0 ]
