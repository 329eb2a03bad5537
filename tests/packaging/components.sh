#!/bin/bash
# The component cuda with a toolkit, without one, and a component that does not exist.
source "$(dirname "$0")/lib.sh"
work=$(fresh_folder)
hidden=$(hide_toolkit)

# ask NAME REQUEST OPTION...: looks for devmem; the log is $work/NAME.log.
ask() {
    configure "$CONSUMER/component" "$work/$1" "-DCMAKE_PREFIX_PATH=$PREFIX" \
        "-DDEVMEM_REQUEST=$2" "${@:3}"
}
asked() { ask "$@" >"$work/$1.log" 2>&1 || { cat "$work/$1.log"; fail "$1 stopped"; }; }

if [[ $HAS_CUDA == TRUE ]]; then
    asked toolkit 'REQUIRED;COMPONENTS;cuda'
    contains "$work/toolkit.log" 'result: found 1, targets devmem::devmem;devmem::cuda'
fi

# Optional package: not found, with the reason, and the project goes on.
asked hidden 'COMPONENTS;cuda' "$hidden"
contains "$work/hidden.log" 'result: found 0, targets '
contains "$work/hidden.log" "The component 'cuda' of devmem needs the CUDA Toolkit"
asked hidden_quiet 'QUIET;COMPONENTS;cuda' "$hidden"

# Optional component: found without it.
asked hidden_component 'REQUIRED;OPTIONAL_COMPONENTS;cuda' "$hidden"
contains "$work/hidden_component.log" 'result: found 1, targets devmem::devmem --'

# Required: one error, which says what is missing and what to do.
fails "$work/required.log" ask required 'REQUIRED;COMPONENTS;cuda' "$hidden"
contains "$work/required.log" "The component 'cuda' of devmem needs the CUDA Toolkit, 12.4 or newer"
contains "$work/required.log" 'CUDAToolkit_ROOT'
(($(grep -c '^CMake Error' "$work/required.log") == 1)) || fail 'more than one error'

# Unknown: refused by name, also beside one that exists.
fails "$work/unknown.log" ask unknown 'REQUIRED;COMPONENTS;cuda;opencl'
contains "$work/unknown.log" "devmem has no component 'opencl'"
asked unknown_optional 'COMPONENTS;opencl'
contains "$work/unknown_optional.log" 'result: found 0, targets '
contains "$work/unknown_optional.log" "devmem has no component 'opencl'"
