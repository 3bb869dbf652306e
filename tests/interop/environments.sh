#!/bin/sh
# Makes one environment a harness under .venv-interop/, where it is not there yet.
set -e
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
for name in lm_eval inspect lighteval evalscope opencompass simple_evals; do
  folder="$root/.venv-interop/$name"
  if [ -f "$folder/ready" ] && cmp -s "$folder/ready" "$here/$name/requirements.txt"; then
    continue
  fi
  "${PYTHON:-python3}" -m venv "$folder"
  # Line by line: torch first, so that it decides which build of itself is used.
  while read -r requirement; do
    "$folder/bin/python" -m pip install --quiet "$requirement"
  done < "$here/$name/requirements.txt"
  cp "$here/$name/requirements.txt" "$folder/ready"
done
