#!/bin/sh
# Builds the engine as WebAssembly, which a page without a server needs (`modeshift serve --export`), and says where it is.
# MODESHIFT_WASM names one that is there. Where the compiler has no library for wasm32, that of Debian's `rustc-web` is built with it,
# whose packages are fetched and unpacked below MODESHIFT_WASM_TOOLCHAIN, by default in the cache of the user; nothing is installed.
set -eu
. "$(dirname "$0")/version.sh"
if [ -n "${MODESHIFT_WASM:-}" ]; then
  echo "$MODESHIFT_WASM"
  exit
fi
target=wasm32-unknown-unknown
build="cargo build --locked --release --target $target --target-dir ${CARGO_TARGET_DIR:-$root/target}/wasm"
cd "$root/bindings/wasm"
if [ -d "$(rustc --print target-libdir --target $target)" ]; then
  $build >&2
else
  toolchain=${MODESHIFT_WASM_TOOLCHAIN:-${XDG_CACHE_HOME:-$HOME/.cache}/modeshift/wasm}
  if [ ! -x "$toolchain/usr/bin/rustc" ]; then
    for tool in apt-get apt-cache dpkg; do
      command -v $tool >/dev/null || { echo "error: rustup target add $target, or a Debian with $tool" >&2; exit 2; }
    done
    depends() { apt-cache depends "$@" | sed -n 's/^ *Depends: \(.*\)/\1/p' | sort -u; }
    standard=$(depends libstd-rust-web-dev | grep '^libstd-rust-web-')
    llvm=$(depends "$standard" | sed -n 's/^libllvm\([0-9]*\)$/\1/p')
    new=$toolchain.new
    rm -rf "$new"
    mkdir -p "$new/packages"
    (cd "$new/packages" && apt-get -qq download rustc-web libstd-rust-web-dev rust-web-src "$standard" "libllvm$llvm" "lld-$llvm") >&2
    for package in "$new/packages"/*.deb; do dpkg -x "$package" "$new"; done
    rm -rf "$new/packages" "$toolchain"
    mv "$new" "$toolchain"
  fi
  llvm=$(echo "$toolchain"/usr/lib/llvm-*)
  LD_LIBRARY_PATH=$toolchain/usr/lib/$(uname -m)-linux-gnu:$llvm/lib \
    RUSTC=$toolchain/usr/bin/rustc RUSTC_BOOTSTRAP=1 CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=$llvm/bin/wasm-ld \
    $build -Zbuild-std=std,panic_abort >&2
fi
mkdir -p "$packages"
cp "${CARGO_TARGET_DIR:-$root/target}/wasm/$target/release/modeshift_wasm.wasm" "$packages/modeshift.wasm"
echo "$packages/modeshift.wasm"
