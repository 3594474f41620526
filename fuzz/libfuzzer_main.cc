// libFuzzer around one target: KINFORMER_FUZZ_TARGET names it.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "fuzz/target.h"

namespace {
const kinformer::fuzz::Target* target = nullptr;
}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  const char* const name = std::getenv("KINFORMER_FUZZ_TARGET");
  if (name != nullptr) target = kinformer::fuzz::FindTarget(name);
  if (target != nullptr) return 0;
  static_cast<void>(std::fputs("KINFORMER_FUZZ_TARGET must name one of:", stderr));
  for (const kinformer::fuzz::Target& one : kinformer::fuzz::AllTargets()) {
    static_cast<void>(
        std::fprintf(stderr, " %.*s", static_cast<int>(one.name.size()), one.name.data()));
  }
  static_cast<void>(std::fputc('\n', stderr));
  std::exit(2);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  target->run(std::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
