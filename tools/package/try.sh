#!/bin/sh
# Installs each package into an empty place and uses it there as the book says, with nothing of this machine's environment.
# `try.sh --sources` does the same for an installation from the sources, which compiles everything.
set -eu
. "$(dirname "$0")/version.sh"
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

# A command in the empty place, which knows a path, a home and nothing else.
clean() {
  env -i HOME="$place/home" PATH="$1:/usr/bin:/bin" TERM=dumb sh -euc "cd '$place/work'; $2"
}

# The first page of the book, and the example of README.md, with the program on this path.
use() {
  rm -rf "$place/work" "$place/home"
  mkdir -p "$place/work" "$place/home"
  cp -r "$root/models" "$place/work/models"
  sed -n '/^\/\/ Charger.mo$/,/^end Charger;$/p' "$root/docs/book/src/first-plot.md" > "$place/work/Charger.mo"
  clean "$1" 'modeshift --version'
  clean "$1" 'modeshift simulate Charger.mo --plot charger.svg --plot-vars u,v,i && test -s charger.svg'
  clean "$1" 'modeshift analyze models/WaterTank.mo | grep -F "2  when bh or bl"'
  if clean "$1" 'modeshift help fmu' >/dev/null 2>&1; then clean "$1" 'modeshift fmu Charger.mo -o charger.fmu && test -s charger.fmu'; fi
}

if [ "${1:-}" = --sources ]; then
  echo "== cargo install"
  mkdir -p "$place/cargo"
  cd "$root"
  export CARGO_INSTALL_ROOT="$place/cargo"
  cargo install --locked --path crates/cli
  use "$place/cargo/bin"
  exit
fi

if [ ! -e "$packages/SHA256SUMS" ]; then
  cd "$root"
  tools/package/all.sh
fi
echo "== archive"
cd "$packages"
sha256sum --check --ignore-missing SHA256SUMS
mkdir "$place/archive"
cp "$name.tar.gz" "$place/archive"
cd "$place/archive"
tar xzf modeshift-${version}-${machine}-linux-gnu.tar.gz
export PATH="$PWD/modeshift-${version}-${machine}-linux-gnu/bin:$PATH"
use "$place/archive/$name/bin"

echo "== Debian package"
architecture=$(dpkg --print-architecture)
deb=$packages/modeshift_${version}_$architecture.deb
if [ "$(id -u)" = 0 ] && [ "${TRY_APT:-}" = 1 ]; then
  cd "$packages"
  sudo() { "$@"; } # the script runs as root already
  sudo apt install ./modeshift_${version}_${architecture}.deb
  use /usr/bin
  apt-get remove -y modeshift
else
  dpkg-deb --info "$deb"
  dpkg-deb --extract "$deb" "$place/debian"
  use "$place/debian/usr/bin"
fi

# With the program, the libraries that it is linked with, and nothing else.
echo "== an empty root directory"
if [ "$(id -u)" = 0 ]; then
  mkdir -p "$place/root/tmp" "$place/root/var/lib/dpkg/info" "$place/root/var/lib/dpkg/updates" "$place/root/var/log"
  touch "$place/root/var/lib/dpkg/status"
  dpkg --root="$place/root" --force-depends --install "$deb" 2>&1 | grep -v warning # there is no C library to depend on yet
  for library in $(ldd "$place/root/usr/bin/modeshift" | grep -o '/[^ ]*'); do
    mkdir -p "$place/root$(dirname "$library")"
    cp -L "$library" "$place/root$library"
  done
  cp "$place/work/Charger.mo" "$place/root/tmp/Charger.mo"
  env -i "$(command -v chroot)" "$place/root" /usr/bin/modeshift --version
  env -i "$(command -v chroot)" "$place/root" /usr/bin/modeshift simulate /tmp/Charger.mo -o /tmp/charger.csv --plot /tmp/charger.svg
  test -s "$place/root/tmp/charger.svg"
else
  echo "skipped: needs root"
fi

for wheel in "$packages"/modeshift-*.whl; do
  [ -e "$wheel" ] || continue
  echo "== wheel"
  python3 -m venv "$place/python"
  "$place/python/bin/pip" install --quiet "$wheel"
  clean "$place/python/bin" 'python -c "import modeshift; print(len(modeshift.load(\"Charger.mo\").simulate().events), \"events\")"'
done
if [ -e "$packages/modeshift.vsix" ]; then
  echo "== extension"
  mkdir "$place/extension"
  (cd "$place/extension" && unzip -q "$packages/modeshift.vsix" && node --check extension/dist/extension.js)
fi
echo "all well"
