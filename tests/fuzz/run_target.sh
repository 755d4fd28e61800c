#!/bin/bash
# usage: run_target.sh TARGET CORPUS WORK SECONDS
# Runs a fuzz target from its corpus and from what earlier runs found (WORK/<name>); a crash, leak, hang or too much memory fails.
# WORK/<name>.summary then says how far it came.
set -euo pipefail
target=$1 corpus=$2 work=$3 seconds=$4
name=$(basename "$target" _fuzz)
mkdir -p "$work/$name"
status=0
"$target" "-max_total_time=$seconds" -timeout=20 -rss_limit_mb=2048 -max_len=65536 -print_final_stats=1 "-artifact_prefix=$work/$name-" \
  "$work/$name" "$corpus" >"$work/$name.log" 2>&1 || status=$?
if [ $status -ne 0 ]; then
  tail -60 "$work/$name.log"
  exit $status
fi
executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$work/$name.log")
coverage=$(grep -o 'cov: [0-9]*' "$work/$name.log" | tail -1)
echo "$name: $executions executions in $seconds s, $coverage edges" | tee "$work/$name.summary"
