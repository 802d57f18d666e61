#!/bin/sh
# Makes the extension for Visual Studio Code, with Node.js 20 and what npm fetches.
set -eu
. "$(dirname "$0")/version.sh"
mkdir -p "$packages"
cd "$root/editors/vscode"
npm ci --silent >&2
npm run --silent package -- --out "$packages/modeshift.vsix" >&2
echo "$packages/modeshift.vsix"
