#!/bin/sh
# Makes one environment a harness under .venv-interop/, and one for all trackers of trainings, where
# it is not there yet or other versions are wanted now. PINS names the folder of the versions that
# the tests passed with; without it the newest are taken that the requirements allow.
set -e
cd "$(dirname "$0")/../.."
for name in lm_eval inspect lighteval evalscope opencompass simple_evals openai_evals helm trackers; do
  folder=.venv-interop/$name
  wanted=tests/interop/$name/requirements.txt
  lock=${PINS:+$PINS/interop/$name.lock}
  if cat "$wanted" $lock | cmp -s - "$folder/ready"; then
    continue
  fi
  "${PYTHON:-python3}" -m venv "$folder"
  install="$folder/bin/python -m pip install --quiet ${lock:+--constraint $lock}"
  # torch first, so that it decides which build of itself is used.
  if torch=$(grep '^torch==' "$wanted"); then
    $install "$torch"
  fi
  $install --requirement "$wanted"
  # What asks for far more than its part of the tests imports is installed alone.
  alone=tests/interop/$name/alone.txt
  if [ -f "$alone" ]; then
    $install --no-deps --requirement "$alone"
  fi
  cat "$wanted" $lock > "$folder/ready"
done
