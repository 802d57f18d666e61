#!/bin/sh
# Makes all packages in target/package, with their checksums.
set -eu
. "$(dirname "$0")/version.sh"
MODESHIFT_BINARY=$("$root/tools/package/binary.sh")
export MODESHIFT_BINARY
rm -rf "$packages"
mkdir -p "$packages"
"$root/tools/package/archive.sh"
if command -v dpkg-deb >/dev/null; then "$root/tools/package/deb.sh"; else echo "skipped: no dpkg-deb" >&2; fi
(cd "$packages" && sha256sum -- * > SHA256SUMS && cat SHA256SUMS)
