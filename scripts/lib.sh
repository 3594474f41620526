# Shared by the scripts in this folder: installs what is missing, configures and builds. Sourced,
# not run.

set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

build_packages=(g++ cmake ninja-build python3 libcurl4-openssl-dev libnghttp2-dev libssl-dev
                libboost-dev libsimdjson-dev zlib1g-dev libzstd-dev libre2-dev
                libfmt-dev libcli11-dev libsqlite3-dev)
test_packages=(ccache libgtest-dev libgmock-dev libprotobuf-dev protobuf-compiler nghttp2-proxy
               curl jq faketime openssl libpq-dev libspdlog-dev prometheus-cpp-dev
               libuv1-dev)
bench_packages=(libbenchmark-dev nlohmann-json3-dev libabsl-dev)
arm64_packages=(g++-aarch64-linux-gnu qemu-user-static)
clang_packages=(clang-19 clang-tidy-19 clang-format-19 libclang-rt-19-dev llvm-19)

# What ccache has compiled in one clone serves every other on the same machine.
# It serves what was compiled with precompiled headers only if it may trust them.
export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros

say() { printf '\033[1m==> %s\033[0m\n' "$*"; }
die() { printf 'error: %s\n' "$*" >&2; exit 1; }

# What each package is needed for: a header, or a command. Where that is there, the package is not
# asked for: it may have come in another version (libboost1.81-dev for libboost-dev, which would
# remove it), or from elsewhere.
declare -A serves=(
  [g++]=g++ [cmake]=cmake [ninja-build]=ninja [python3]=python3
  [libcurl4-openssl-dev]=curl/curl.h [libnghttp2-dev]=nghttp2/nghttp2.h
  [libssl-dev]=openssl/ssl.h [libboost-dev]=boost/asio.hpp [libsimdjson-dev]=simdjson.h
  [zlib1g-dev]=zlib.h [libzstd-dev]=zstd.h
  [libre2-dev]=re2/re2.h [libpq-dev]=postgresql/libpq-fe.h [libsqlite3-dev]=sqlite3.h
  [libfmt-dev]=fmt/format.h [libcli11-dev]=CLI/CLI.hpp
  [ccache]=ccache [libgtest-dev]=gtest/gtest.h [libgmock-dev]=gmock/gmock.h
  [libprotobuf-dev]=google/protobuf/message.h [protobuf-compiler]=protoc
  [nghttp2-proxy]=nghttpx [curl]=curl [jq]=jq [faketime]=faketime
  [libbenchmark-dev]=benchmark/benchmark.h [nlohmann-json3-dev]=nlohmann/json.hpp
  [libabsl-dev]=absl/container/flat_hash_map.h
  [libspdlog-dev]=spdlog/spdlog.h [prometheus-cpp-dev]=prometheus/registry.h [libuv1-dev]=uv.h
  [clang-19]=clang++-19 [clang-tidy-19]=clang-tidy-19 [clang-format-19]=clang-format-19
  [llvm-19]=llvm-symbolizer-19 [prometheus]=promtool
  [g++-aarch64-linux-gnu]=aarch64-linux-gnu-g++ [qemu-user-static]=qemu-aarch64-static
)

# installed PACKAGE: it is, or what it is needed for is there without it.
installed() {
  dpkg-query -W -f='${Status}' "$1" 2>/dev/null | grep -q 'ok installed' && return
  case ${serves[$1]:-} in
    '') return 1 ;;
    *.h | *.hpp)
      printf '#if !__has_include(<%s>)\n#error\n#endif\n' "${serves[$1]}" |
        "${CXX:-g++}" -E -xc++ - >/dev/null 2>&1
      ;;
    *) command -v "${serves[$1]}" >/dev/null ;;
  esac
}

# need PACKAGE...: installs those Debian packages that are not there yet, and says which.
need() {
  local missing=() package
  for package in "$@"; do
    installed "$package" || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  command -v apt-get >/dev/null ||
    die "these Debian packages (or your system's like of them) are needed: ${missing[*]}"
  local sudo=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || die "not root and no sudo here: ask an administrator for:" \
      "apt-get install --no-install-recommends ${missing[*]}"
    sudo=(sudo)
  fi
  say "installing ${missing[*]}"
  local install=("${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install
                 -y -qq -o Dpkg::Use-Pty=0 --no-install-recommends --no-remove "${missing[@]}")
  "${install[@]}" >/dev/null 2>&1 && return 0
  "${sudo[@]}" apt-get update -qq
  "${install[@]}" >/dev/null || die "apt-get could not install ${missing[*]} without removing" \
    "something; install them by hand and run this again"
}

# configure PRESET [-DX=Y...]: configures build/PRESET; quick when nothing changed. What is built
# follows from these options and the preset alone, not from what the folder was configured with
# before.
configure() {
  local preset=$1 part parts=()
  shift
  # The preset fuzz says for itself that it takes none of these.
  if [ "$preset" != fuzz ]; then
    for part in TESTS CLI EXAMPLES BENCH; do parts+=("-DKINFORMER_BUILD_$part=ON"); done
  fi
  local log=/tmp/kinformer-configure.$$
  (cd "$root" && cmake --preset "$preset" "${parts[@]}" "$@" >"$log" 2>&1) || {
    cat "$log" >&2
    die "cmake could not configure preset $preset"
  }
  rm -f "$log"
}

# configure_tests PRESET [-DX=Y...]: configures what the tests of a preset need.
configure_tests() {
  local preset=$1 options=(-DKINFORMER_BUILD_TESTS=ON)
  shift
  case $preset in
    # What the command and the examples are made of is tested without them.
    asan)
      options+=(-DKINFORMER_BUILD_BENCH=OFF -DKINFORMER_BUILD_EXAMPLES=OFF
                -DKINFORMER_BUILD_CLI=OFF)
      ;;
    tsan) options+=(-DKINFORMER_BUILD_BENCH=OFF -DKINFORMER_BUILD_EXAMPLES=OFF) ;;
    # Scripts cannot start what they test: only a test's own program is emulated.
    arm64)
      options+=(-DKINFORMER_BUILD_BENCH=OFF -DKINFORMER_BUILD_EXAMPLES=OFF
                -DKINFORMER_BUILD_CLI=OFF)
      ;;
  esac
  configure "$preset" "${options[@]}" "$@"
}

# build PRESET: configures and builds what the tests of a preset need.
build() {
  local preset=$1 target=all
  configure_tests "$preset"
  # ThreadSanitizer is for what runs in several threads; the rest would only take its time.
  [ "$preset" != tsan ] || target=kinformer_concurrency_tests
  cmake --build "$root/build/$preset" --target "$target"
}

# run_tests PRESET [ctest options]: the default suite, of what has been built. It leaves out what
# needs more than Debian packages or more time: labels realserver, go and nightly. Sanitizers run a
# fifth of the usual seeds.
run_tests() {
  local preset=$1 share=1
  shift
  [ "$preset" != tsan ] || set -- -L concurrency "$@"
  [ "$preset" != arm64 ] || set -- -L 'unit|concurrency' "$@"
  [ "$preset" = release ] || share=5
  (cd "$root/build/$preset" && export KINFORMER_SIMULATION_SHARE=$share &&
    ctest --output-on-failure -j"$(nproc)" -LE 'realserver|go|nightly' "$@")
}

# shuffled [shuf options]: its input's lines, in an order of the commit's own.
shuffled() { shuf --random-source=<(yes "$(git -C "$root" rev-parse HEAD)") "$@"; }

# run_what_fits PRESET SECONDS: builds and runs as many test binaries as that time allows, in an
# order of the commit's own, and says how many those are.
run_what_fits() {
  local preset=$1 end=$((SECONDS + $2)) targets=() some done=0 status pattern
  configure_tests "$preset"
  mapfile -t targets < <(cd "$root/build/$preset" && test_binaries | shuffled)
  while [ "$done" -lt ${#targets[@]} ] && [ "$SECONDS" -lt "$end" ]; do
    some=("${targets[@]:done:6}")
    status=0
    timeout $((end - SECONDS)) cmake --build "$root/build/$preset" --target "${some[@]}" ||
      status=$?
    [ "$status" -ne 124 ] || break
    [ "$status" -eq 0 ] || die "preset $preset does not build"
    pattern=$(IFS='|'; echo "${some[*]}")
    run_tests "$preset" -R "^($pattern)\$"
    done=$((done + ${#some[@]}))
  done
  say "$done of ${#targets[@]} test binaries were run under $preset"
}

# test_binaries: the names of the tests in the build folder that are programs of the same name.
test_binaries() {
  comm -12 <(ctest -N -LE 'realserver|go|nightly' | sed -n 's/^ *Test *#[0-9]*: //p' | sort -u) \
    <(ninja -t targets all | sed -n 's|^\([a-z0-9_]*\): phony$|\1|p' | sort -u)
}
