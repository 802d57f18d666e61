#!/bin/sh
# Builds the program that is handed out, optimised across crates and for older loaders too, and says where it is. MODESHIFT_BINARY names one that is there.
set -eu
. "$(dirname "$0")/version.sh"
if [ -n "${MODESHIFT_BINARY:-}" ]; then
  echo "$MODESHIFT_BINARY"
else
  cd "$root"
  MODESHIFT_PORTABLE=1 cargo build --locked --profile dist -p modeshift-cli >&2
  echo "${CARGO_TARGET_DIR:-$root/target}/dist/modeshift"
fi
