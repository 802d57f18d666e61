#!/bin/sh
# Builds the engine that FMUs contain, where its sources are, and says where it is. MODESHIFT_FMI_LIBRARY names one that is there.
set -eu
. "$(dirname "$0")/version.sh"
if [ -n "${MODESHIFT_FMI_LIBRARY:-}" ]; then
  echo "$MODESHIFT_FMI_LIBRARY"
elif [ -e "$root/bindings/fmi/Cargo.toml" ]; then
  target=${CARGO_TARGET_DIR:-$root/bindings/target} # the wheel's, too: what they share is compiled once
  cargo build --locked --release --manifest-path "$root/bindings/Cargo.toml" -p modeshift-fmi --target-dir "$target" >&2
  echo "$target/release/libmodeshift_fmi.so"
fi
