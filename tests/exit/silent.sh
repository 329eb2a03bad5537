#!/bin/bash
# silent.sh PROGRAM: it must end well and write nothing to standard error.
set -euo pipefail

said=$("$1" 2>&1 >/dev/null) || { echo "exit status $?: $said"; exit 1; }
[[ -z $said ]] || { echo "it said: $said"; exit 1; }
