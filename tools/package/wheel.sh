#!/bin/sh
# Makes the wheel of the Python package, with maturin from PyPI.
set -eu
. "$(dirname "$0")/version.sh"
if [ ! -x "$root/target/maturin/bin/maturin" ]; then
  python3 -m venv "$root/target/maturin"
  "$root/target/maturin/bin/pip" install --quiet "maturin>=1.9,<2"
fi
mkdir -p "$packages"
"$root/target/maturin/bin/maturin" build --locked --release --manifest-path "$root/bindings/python/Cargo.toml" --out "$packages" >&2
ls "$packages"/modeshift-*.whl
