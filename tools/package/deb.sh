#!/bin/sh
# Makes the Debian package: the program as /usr/bin/modeshift, models and licences in /usr/share/doc/modeshift.
set -eu
. "$(dirname "$0")/version.sh"
binary=$("$root/tools/package/binary.sh")
architecture=$(dpkg --print-architecture)
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
chmod 755 "$stage"
documents=$stage/usr/share/doc/modeshift
mkdir -p "$stage/DEBIAN" "$stage/usr/bin" "$documents"
# The engine of FMUs has to be beside the program, so both are in a folder of their own, and /usr/bin leads there.
mkdir -p "$stage/usr/lib/modeshift"
install -m 755 "$binary" "$stage/usr/lib/modeshift/modeshift"
ln -s ../lib/modeshift/modeshift "$stage/usr/bin/modeshift"
engine=$("$root/tools/package/engine.sh")
if [ -n "$engine" ]; then install -m 644 "$engine" "$stage/usr/lib/modeshift/libmodeshift_fmi.so"; fi
cp -r "$root/models" "$documents/models"
cp "$root/README.md" "$root"/LICENSE-* "$documents"
{
  echo "Modeshift $version, licensed under either of the Apache License 2.0 or the MIT licence, at your option:"
  echo "see LICENSE-APACHE and LICENSE-MIT in this directory."
} > "$documents/copyright"
gzip -9nc "$root/CHANGELOG.md" > "$documents/changelog.gz"
chmod -R u=rwX,go=rX "$stage/usr"
cat > "$stage/DEBIAN/control" <<CONTROL
Package: modeshift
Version: $version
Architecture: $architecture
Maintainer: The Modeshift developers <developers@modeshift.invalid>
Installed-Size: $(du -sk "$stage/usr" | cut -f1)
Depends: libc6 (>= $("$root/tools/package/glibc.sh" "$binary")), libgcc-s1
Section: science
Priority: optional
Description: compiler and simulator for multimode Modelica models
 Analyzes and simulates models whose equations change with the mode: ideal
 diodes and switches, clutches, contacts, friction, valves, breakers, faults.
CONTROL
mkdir -p "$packages"
find "$stage" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
dpkg-deb --root-owner-group --build "$stage" "$packages/modeshift_${version}_$architecture.deb" >&2
echo "$packages/modeshift_${version}_$architecture.deb"
