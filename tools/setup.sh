#!/bin/sh
# Make or refresh .venv at the repository root and install this tree into it, editable, with the `dev` extra.
#
# Needs a Python from 3.10 to 3.13 and PyPI, nothing else. Debian and Ubuntu ship a Python without ensurepip (package
# python3-venv); then the environment is made without pip, and pip comes from PyPI. As a last resort, root on a machine
# with apt-get installs python3-venv. PYTHON=/path/to/python chooses the interpreter.
set -eu
cd "$(dirname "$0")/.."
venv=.venv
log=$(mktemp)
trap 'rm -f "$log"' EXIT

fail() {
    echo "setup: $1" >&2
    exit 1
}

usable() {
    "$1" -c 'import sys; sys.exit(not (3, 10) <= sys.version_info[:2] < (3, 14))' >/dev/null 2>&1
}

# The first interpreter that can make environments by itself, else the first of a right version.
find_python() {
    first=
    for candidate in ${PYTHON:-} python3.13 python3.12 python3.11 python3.10 python3 python; do
        usable "$candidate" || continue
        if "$candidate" -c 'import ensurepip, venv' >/dev/null 2>&1; then
            echo "$candidate"
            return
        fi
        first=${first:-$candidate}
    done
    echo "$first"
}

clear_venv() {
    rm -rf "$venv"
}

with_ensurepip() {
    clear_venv
    "$1" -m venv "$venv" >"$log" 2>&1
}

with_pip_from_pypi() {
    clear_venv
    "$1" -m venv --without-pip "$venv" >"$log" 2>&1 && "$venv/bin/python" tools/install_pip.py >"$log" 2>&1
}

with_apt() {
    [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || return 1
    version=$("$1" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    echo "setup: installing python$version-venv with apt-get"
    apt-get update -qq >"$log" 2>&1 &&
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "python$version-venv" >"$log" 2>&1 &&
        with_ensurepip "$1"
}

if ! { usable "$venv/bin/python" && "$venv/bin/python" -m pip --version >/dev/null 2>&1; }; then
    python=$(find_python)
    [ -n "$python" ] || fail "no Python from 3.10 to 3.13 found; install one or set PYTHON=/path/to/python"
    echo "setup: making $venv with $("$python" --version)"
    with_ensurepip "$python" || with_pip_from_pypi "$python" || with_apt "$python" || {
        tail -n 3 "$log" >&2
        fail "cannot make a virtual environment; run 'apt-get install python3-venv' as root and try again"
    }
fi

echo "setup: installing tilelang-suite and its development tools into $venv"
"$venv/bin/python" -m pip install -qq --disable-pip-version-check --no-warn-script-location --editable '.[dev]'
touch "$venv/.stamp"
