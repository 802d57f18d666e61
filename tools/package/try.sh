#!/bin/sh
# Installs each package into an empty place and uses it there as the book says, with nothing of this machine's environment.
# TRY_ROOT names a root directory with a fresh Debian (`debootstrap --variant=minbase bookworm DIR`), where the Debian package is then
# installed by apt. `try.sh --sources` does the same for an installation from the sources, which compiles everything.
set -eu
. "$(dirname "$0")/version.sh"
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
path=$PATH

# A command in the empty place, which knows a path, a home and nothing else.
clean() {
  env -i HOME="$place/home" PATH="$1:/usr/bin:/bin" TERM=dumb sh -euc "cd '$place/work'; $2"
}

# A file of a page of the book.
of_page() {
  awk -v name="$2" '$0 == "// " name || $0 == "# " name { on = 1 } on && /^```/ { exit } on' "$root/docs/book/src/$1" > "$place/work/$2"
  test -s "$place/work/$2"
}

# An empty place with the models of the book's first page and of README.md.
empty() {
  rm -rf "$place/work" "$place/home"
  mkdir -p "$place/work" "$place/home"
  cp -r "$root/models" "$place/work/models"
  of_page first-plot.md Charger.mo
  of_page howto/fmu.md Drive.mo
}

# What the book and README.md do, with the program on this path.
use() {
  empty
  clean "$1" 'modeshift --version'
  clean "$1" 'modeshift simulate Charger.mo --plot charger.svg --plot-vars u,v,i && test -s charger.svg'
  clean "$1" 'modeshift analyze models/WaterTank.mo | grep -F "2  when bh or bl"'
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
named=$(sed -n 's/.*glibc \([0-9.]*[0-9]\).*/\1/p' "$root/docs/book/src/howto/install.md")
needed=$(cat "$name/GLIBC")
echo "needs glibc $needed"
if [ "$(printf '%s\n' "$named" "$needed" | sort -V | tail -1)" != "$named" ]; then
  echo "the book says that glibc $named is enough" >&2
  exit 1
fi
# What a program of relocations in ranges needs is not told too old: no symbol of it asks for that version.
echo 'int main(void) { return 0; }' > "$place/one.c"
if cc -pie -Wl,-z,pack-relative-relocs -o "$place/one" "$place/one.c" 2>/dev/null; then
  [ "$("$root/tools/package/glibc.sh" "$place/one")" = 2.36 ] || { echo "glibc.sh overlooks what relocations ask for" >&2; exit 1; }
else
  echo "skipped: no linker that lists relocations as ranges" >&2
fi
use "$place/archive/$name/bin"

echo "== FMU, in FMPy"
clean "$place/archive/$name/bin" 'modeshift fmu Drive.mo -o Drive.fmu && test -s Drive.fmu'
of_page howto/fmu.md drive.py
python3 -m venv "$place/fmpy"
if PATH=$path "$place/fmpy/bin/pip" install --quiet fmpy; then
  clean "$place/fmpy/bin" 'python drive.py | tee drive.txt; grep -F "1.0 s: 0.250 rad/s" drive.txt'
else
  echo "skipped: no FMPy" >&2
fi

echo "== Debian package"
architecture=$(dpkg --print-architecture)
deb=$packages/modeshift_${version}_$architecture.deb
dpkg-deb --info "$deb"
dpkg-deb --extract "$deb" "$place/debian"
use "$place/debian/usr/bin"

# The library of FMUs is found from wherever the package puts both.
clean "$place/debian/usr/bin" 'modeshift fmu Charger.mo -o charger.fmu && test -s charger.fmu'

if [ -n "${TRY_ROOT:-}" ]; then
  echo "== Debian package, in a fresh Debian"
  # The script is root there already.
  sudo() { env -i "$(command -v chroot)" "$TRY_ROOT" /usr/bin/env HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin sh -euc "cd /root; $*"; }
  rm -rf "$TRY_ROOT/root"/*
  cp "$deb" "$place/work/Charger.mo" "$TRY_ROOT/root"
  sudo apt install ./modeshift_${version}_${architecture}.deb
  sudo modeshift --version
  sudo modeshift simulate Charger.mo --plot charger.svg --plot-vars u,v,i
  sudo modeshift analyze /usr/share/doc/modeshift/models/WaterTank.mo | grep -F "2  when bh or bl"
  test -s "$TRY_ROOT/root/charger.svg"
  # A program finds what is beside it by /proc.
  if mount -t proc proc "$TRY_ROOT/proc"; then
    status=0
    sudo modeshift fmu Charger.mo -o charger.fmu || status=$?
    umount "$TRY_ROOT/proc"
    [ "$status" = 0 ]
  else
    echo "skipped: no /proc in $TRY_ROOT, and without it no FMU" >&2
  fi
  sudo apt-get remove -y modeshift
  if [ -e "$TRY_ROOT/usr/lib/modeshift" ]; then echo "something is left of it" >&2; exit 1; fi
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
  empty
  of_page howto/sweeps.md Charger.mo
  of_page howto/sweeps.md loads.py
  python3 -m venv "$place/python"
  PATH=$path "$place/python/bin/pip" install --quiet "$wheel"
  clean "$place/python/bin" 'python loads.py | tee loads.txt; grep -F "100 Ohm: 8.35 V, 6 events" loads.txt'
done
if [ -e "$packages/modeshift.vsix" ]; then
  echo "== extension"
  mkdir "$place/extension"
  (cd "$place/extension" && unzip -q "$packages/modeshift.vsix" && node --check extension/dist/extension.js)
fi
echo "all well"
