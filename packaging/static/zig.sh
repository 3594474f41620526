# zig's clang, which brings the sources of musl and libc++ and builds for them. Sourced after
# scripts/lib.sh, not run.

# The compiler: PyPI's package, with the digests of its wheels for this machine's processor.
zig_version=0.17.1
declare -A zig_digests=(
  [x86_64]=ea6cc5d87b033cf0aedfbc8f9549a908cae6c50ac31f1698188fa48a74524b54
  [aarch64]=b7c5f02fccd40f89b999ee16a1f5ddced56e6182370f8affe494bcf8a28cf07e
)

# static_folder FOLDER: makes that of the fetched and built parts, and says where it is.
static_folder() { mkdir -p "$1" && (cd "$1" && pwd); }

# fetch_zig FOLDER: fetches the compiler to FOLDER/zig, unless this version is there; fails where it
# cannot be had.
fetch_zig() {
  local at=$1/zig wheel
  [ "$(cat "$at/ready" 2>/dev/null)" != "$zig_version" ] || return 0
  say "fetching the compiler, ziglang $zig_version"
  rm -rf "$at" "$at.wheel"
  mkdir -p "$at" "$at.wheel"
  echo "ziglang==$zig_version --hash=sha256:${zig_digests[$(uname -m)]}" >"$at.wheel/wanted.txt"
  timeout 300 python3 -m pip download -q --disable-pip-version-check --no-deps --only-binary :all: \
    --require-hashes -r "$at.wheel/wanted.txt" -d "$at.wheel" || return
  wheel=("$at.wheel"/*.whl)
  python3 -m zipfile -e "${wheel[0]}" "$at" || return
  chmod +x "$at/ziglang/zig"
  rm -rf "$at.wheel"
  echo "$zig_version" >"$at/ready"
}

# use_zig FOLDER PROCESSOR: fetches the compiler, and says where things are in the
# variables KINFORMER_STATIC_TOOLS, _PREFIX (for what is built) and _PROCESSOR.
use_zig() {
  fetch_zig "$1"
  export KINFORMER_STATIC_PROCESSOR=$2 KINFORMER_STATIC_TOOLS=$1/tools-$2
  export KINFORMER_STATIC_PREFIX=$1/prefix-$2 ZIG_GLOBAL_CACHE_DIR=$1/zig-cache
  mkdir -p "$KINFORMER_STATIC_TOOLS"
  # Objects name no folder of the machine. What a user sets (CFLAGS and the like) plays no part. The
  # C++ library is compiled once for each level of optimisation that a program is linked with. With
  # -O0, zig would have undefined behaviour trapped, which needs a library of its own.
  local maps="-O2 -static -fno-sanitize=undefined -ffile-prefix-map=$1=/parts -ffile-prefix-map=$root=/kinformer"
  local zig=$1/zig/ziglang/zig
  maps+=" -target $2-linux-musl"
  # tool NAME ARGUMENTS...: a script that starts zig with these and with its own. zig takes -Oz for
  # -Os, so that is told to clang itself. Only a new text makes a new file, for ninja and ccache look
  # at its time.
  tool() {
    local file=$KINFORMER_STATIC_TOOLS/$1
    shift
    {
      printf '#!/bin/sh\n'
      printf 'for one; do case $one in -O*) level=$one ;; esac; done\n'
      printf '[ "$level" != -Oz ] || set -- "$@" -Xclang -Oz\n'
      printf 'exec %q %s "$@"\n' "$zig" "$*"
    } >"$file.new"
    chmod +x "$file.new"
    cmp -s "$file.new" "$file" || mv "$file.new" "$file"
    rm -f "$file.new"
  }
  tool zig-clang cc "$maps"
  tool zig-clang++ c++ "$maps"
  tool zig-ar ar
  tool zig-ranlib ranlib
  unset CFLAGS CXXFLAGS CPPFLAGS LDFLAGS
}
