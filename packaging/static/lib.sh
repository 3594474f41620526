# Shared by what builds the static command: where its parts come from, and its compiler. Sourced
# after scripts/lib.sh, not run.

source "$root/packaging/static/zig.sh"
static_parts=$root/packaging/static

# The dates that a file may hold: that of the commit, where nothing else was said.
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct)}
export LC_ALL=C TZ=UTC ZERO_AR_DATE=1
umask 022

# For sources in C, through which no exception passes: a function each in a section of its own,
# without tables for unwinding.
static_c_flags=(-ffunction-sections -fdata-sections -fno-asynchronous-unwind-tables
                -fno-unwind-tables)

# parts_of KIND: the names in parts.txt; KIND may be several, with | between.
parts_of() { awk -v kind="^($1)\$" '$1 ~ kind {print $2}' "$static_parts/parts.txt"; }

# zig_runtime FOLDER PROCESSOR: after use_zig, compiles zig's musl, libc++ and what else it links into
# each program, and puts them into FOLDER/runtime-PROCESSOR. It says where they are when it links
# something for the first time: hence the date.
zig_runtime() {
  local at=$1/runtime-$2 part path
  [ "$(cat "$at/ready" 2>/dev/null)" != "$zig_version" ] || return 0
  say "$2: musl, libc++"
  rm -rf "$at"
  mkdir -p "$at"
  echo "int main() { return 0; }  // $(date +%s%N)" >"$at/empty.cc"
  (cd "$1" && ZIG_VERBOSE_LINK=1 "$KINFORMER_STATIC_TOOLS/zig-clang++" -o "$at/empty" \
    "$at/empty.cc" 2>"$at/said") || { cat "$at/said" >&2; die "zig does not link for $2"; }
  for part in "${zig_runtime[@]}"; do
    path=$(grep '^ld.lld ' "$at/said" | tr ' ' '\n' | grep "/$part\$") ||
      die "zig $zig_version links without $part"
    (cd "$1" && cp "$path" "$at/$part")
  done
  rm "$at"/empty*
  echo "$zig_version" >"$at/ready"
}
zig_runtime=(crt1.o libc++abi.a libc++.a libunwind.a libc.a libzigc.a libcompiler_rt.a)

# configure_static FOLDER PROCESSOR [-DX=Y...]: after packaging/static/libraries, configures the
# project for musl in FOLDER/command-PROCESSOR, which it names in the variable `build`.
configure_static() {
  local folder=$1 processor=$2
  shift 2
  use_zig "$folder" "$processor"
  # ccache knows the compiler by its version, as the tool is a script that starts it. It has to see
  # full paths, which the compiler shortens in its own way.
  export CCACHE_COMPILERCHECK=string:zig-$zig_version-$processor CCACHE_BASEDIR=
  build=$folder/command-$processor
  cmake -S "$root" -B "$build" -G Ninja \
    "-DCMAKE_TOOLCHAIN_FILE=$static_parts/toolchain.cmake" \
    -DCMAKE_BUILD_TYPE=Release "-DCMAKE_CXX_FLAGS_RELEASE=-Oz -DNDEBUG" -DKINFORMER_SMALL=ON \
    -DCMAKE_POSITION_INDEPENDENT_CODE=OFF -DKINFORMER_BUILD_EXAMPLES=OFF \
    -DKINFORMER_BUILD_BENCH=OFF -DKINFORMER_BUILD_CLI=ON -DKINFORMER_INSTALL=OFF "$@" \
    >"$folder/configure.log" 2>&1 ||
    { tail -40 "$folder/configure.log" >&2; die "cmake could not configure the static command"; }
}
