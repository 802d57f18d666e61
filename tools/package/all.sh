#!/bin/sh
# Makes all packages in target/package, with their checksums: archive, Debian package, and where
# their sources are, the wheel, the extension for Visual Studio Code and the engine of the page without a server.
set -eu
. "$(dirname "$0")/version.sh"
MODESHIFT_BINARY=$("$root/tools/package/binary.sh")
MODESHIFT_FMI_LIBRARY=$("$root/tools/package/engine.sh")
export MODESHIFT_BINARY MODESHIFT_FMI_LIBRARY
rm -f "$packages"/modeshift[-_.]* "$packages/SHA256SUMS"
mkdir -p "$packages"
"$root/tools/package/archive.sh"
if command -v dpkg-deb >/dev/null; then "$root/tools/package/deb.sh"; else echo "skipped: no dpkg-deb" >&2; fi
if [ -e "$root/bindings/python/pyproject.toml" ]; then "$root/tools/package/wheel.sh"; fi
if [ -e "$root/editors/vscode/package.json" ]; then "$root/tools/package/extension.sh"; fi
if [ -e "$root/bindings/wasm/Cargo.toml" ]; then "$root/tools/package/wasm.sh"; fi
(cd "$packages" && sha256sum -- * > SHA256SUMS && cat SHA256SUMS)
