# Shared by the scripts in this folder: installs what is missing, configures and builds. Sourced,
# not run.

set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

build_packages=(g++ cmake ninja-build python3 libcurl4-openssl-dev libnghttp2-dev libssl-dev
                libboost-dev libsimdjson-dev libyaml-cpp-dev zlib1g-dev libzstd-dev libre2-dev
                libfmt-dev libcli11-dev)
test_packages=(ccache libgtest-dev libgmock-dev libprotobuf-dev protobuf-compiler nghttp2-proxy
               curl jq)
bench_packages=(libbenchmark-dev nlohmann-json3-dev)
clang_packages=(clang-19 clang-tidy-19 clang-format-19 libclang-rt-19-dev llvm-19)

# What ccache has compiled in one clone serves every other on the same machine.
export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1

say() { printf '\033[1m==> %s\033[0m\n' "$*"; }
die() { printf 'error: %s\n' "$*" >&2; exit 1; }

# need PACKAGE...: installs those Debian packages that are not there yet, and says which.
need() {
  local missing=() package
  for package in "$@"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' ||
      missing+=("$package")
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

# configure PRESET [-DX=Y...]: configures build/PRESET; quick when nothing changed.
configure() {
  local preset=$1
  shift
  (cd "$root" && cmake --preset "$preset" "$@" >"/tmp/kinformer-configure.$$" 2>&1) || {
    cat "/tmp/kinformer-configure.$$" >&2
    die "cmake could not configure preset $preset"
  }
  rm -f "/tmp/kinformer-configure.$$"
}

# build PRESET: configures and builds what the tests of a preset need.
build() {
  local preset=$1 target=all options=(-DKINFORMER_BUILD_TESTS=ON)
  case $preset in
    asan) options+=(-DKINFORMER_BUILD_BENCH=OFF) ;;
    # ThreadSanitizer is for what runs in several threads; the rest would only take its time.
    tsan)
      options+=(-DKINFORMER_BUILD_BENCH=OFF -DKINFORMER_BUILD_EXAMPLES=OFF)
      target=kinformer_concurrency_tests
      ;;
  esac
  configure "$preset" "${options[@]}"
  cmake --build "$root/build/$preset" --target "$target"
}

# run_tests PRESET [ctest options]: the default suite, of what has been built. It leaves out what
# needs more than Debian packages or more time: labels realserver, go and nightly.
run_tests() {
  local preset=$1
  shift
  [ "$preset" != tsan ] || set -- -L concurrency "$@"
  (cd "$root/build/$preset" &&
    ctest --output-on-failure -j"$(nproc)" -LE 'realserver|go|nightly' "$@")
}
