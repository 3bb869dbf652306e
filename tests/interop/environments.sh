#!/bin/sh
# Makes one environment a harness under .venv-interop/, and one for all trackers of trainings, where
# it is not there yet. A requirement that begins with a dot is this project with extras.
set -e
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
for name in lm_eval inspect lighteval evalscope opencompass simple_evals trackers; do
  folder="$root/.venv-interop/$name"
  if [ -f "$folder/ready" ] && cmp -s "$folder/ready" "$here/$name/requirements.txt"; then
    continue
  fi
  "${PYTHON:-python3}" -m venv "$folder"
  # Line by line: torch first, so that it decides which build of itself is used.
  while read -r requirement; do
    case "$requirement" in
    .*) "$folder/bin/python" -m pip install --quiet --editable "$root${requirement#.}" ;;
    *) "$folder/bin/python" -m pip install --quiet "$requirement" ;;
    esac
  done < "$here/$name/requirements.txt"
  cp "$here/$name/requirements.txt" "$folder/ready"
done
