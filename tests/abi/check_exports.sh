#!/bin/sh
# usage: check_exports.sh FOLDER...: every plugin below the folders exports assay_plugin_entry and nothing else.
set -u
failures=0
count=0
for library in $(find "$@" -name '*.so'); do
  count=$((count + 1))
  exported=$(nm -D --defined-only "$library" | awk '{print $NF}' | sort | tr '\n' ' ')
  if [ "$exported" != "assay_plugin_entry " ]; then
    echo "FAILED: $library exports $exported"
    failures=$((failures + 1))
  fi
done
echo "$count plugins, $failures failures"
[ "$count" -gt 0 ] && [ "$failures" -eq 0 ]
