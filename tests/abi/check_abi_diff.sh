#!/bin/sh
# usage: check_abi_diff.sh FROZEN_INCLUDE INCLUDE COMPILER
# abidiff sees no difference between the boundary of the frozen headers and today's, and does see one in a damaged copy.
set -eu
frozen=$1 today=$2 compiler=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

build() { # include folder, name of the library
  {
    for header in adapter comparison operator perturbation plugin; do echo "#include \"assay/abi/$header.h\""; done
    for type in error string host instance component plugin tensor value named_value call path_value results adapter_info adapter \
      memory_stats metric_info pair comparison perturbed_layout perturbation operator; do
      echo "ASSAY_EXPORT uint64_t size_of_assay_$type(const assay_$type *p); uint64_t size_of_assay_$type(const assay_$type *p) { return sizeof *p; }"
    done
  } | "$compiler" -x c -std=c11 -g -fPIC -shared -I"$1" -o "$scratch/$2.so" -
}

mkdir "$scratch/damaged"
cp -r "$frozen/assay" "$scratch/damaged/"
# Two functions of a table change places.
sed -i -e 's/\*plan)/*swapped)/' -e 's/\*apply)/*plan)/' -e 's/\*swapped)/*apply)/' "$scratch/damaged/assay/abi/perturbation.h"

build "$frozen" frozen
build "$today" today
build "$scratch/damaged" damaged
if abidiff "$scratch/frozen.so" "$scratch/damaged.so" >/dev/null; then
  echo "FAILED: abidiff sees nothing in a damaged table"
  exit 1
fi
abidiff "$scratch/frozen.so" "$scratch/today.so" || {
  echo "FAILED: today's boundary differs from the frozen one"
  exit 1
}
echo "no difference"
