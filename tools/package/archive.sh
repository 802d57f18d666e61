#!/bin/sh
# Makes the archive: program, models, the book as a site, licences.
set -eu
. "$(dirname "$0")/version.sh"
binary=$("$root/tools/package/binary.sh")
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
folder=$stage/$name
mkdir -p "$folder/bin"
install -m 755 "$binary" "$folder/bin/modeshift"
engine=$("$root/tools/package/engine.sh")
if [ -n "$engine" ]; then install -m 644 "$engine" "$folder/bin/libmodeshift_fmi.so"; fi
cp "$root"/README.md "$root"/CHANGELOG.md "$root"/CITATION.cff "$root"/LICENSE-* "$folder"
cp -r "$root/models" "$folder/models"
mdbook=$("$root/tools/package/mdbook.sh")
"$mdbook" build --dest-dir "$folder/book" "$root/docs/book" >&2
"$root/tools/package/glibc.sh" "$binary" > "$folder/GLIBC"
mkdir -p "$packages"
tar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --mode=u+rw,go=rX -C "$stage" -cf - "$name" |
  gzip -9n > "$packages/$name.tar.gz"
echo "$packages/$name.tar.gz"
