// Runs the corpora through their targets: fuzz_replay CORPUS, where CORPUS/<target>/* are the
// inputs. Each input is also run truncated at every length, and with every byte changed, as a
// fuzzer would try first; with KINFORMER_SIMULATION_SHARE at one in so many places.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "fuzz/target.h"

namespace {

namespace fs = std::filesystem;

// Returns the steps between places where an input is changed: one by default.
std::size_t StepFromEnvironment() {
  const char* text = std::getenv("KINFORMER_SIMULATION_SHARE");
  return text == nullptr ? 1 : std::max<std::size_t>(std::strtoull(text, nullptr, 10), 1);
}

void Replay(const kinformer::fuzz::Target& target, const std::string& input, std::size_t step) {
  target.run(input);
  step *= 1 + input.size() / 256;  // long inputs would take long
  for (std::size_t size = 0; size < input.size(); size += step) {
    // A copy that ends where the input ends, so that a read past the end is seen.
    target.run(std::string(input, 0, size));
    std::string changed = input;
    changed[size] = static_cast<char>(changed[size] ^ (1 << (size % 8)));
    target.run(changed);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    static_cast<void>(std::fputs("usage: fuzz_replay CORPUS\n", stderr));
    return 2;
  }
  const std::size_t step = StepFromEnvironment();
  int missing = 0;
  for (const kinformer::fuzz::Target& target : kinformer::fuzz::AllTargets()) {
    std::error_code failed;
    std::vector<fs::path> paths;
    for (const fs::directory_entry& entry :
         fs::directory_iterator(fs::path(argv[1]) / target.name, failed)) {
      paths.push_back(entry.path());
    }
    std::sort(paths.begin(), paths.end());
    for (const fs::path& path : paths) {
      // Before it runs: a target that fails ends the process.
      std::printf("%s\n", path.c_str());
      static_cast<void>(std::fflush(stdout));
      std::ifstream in(path, std::ios::binary);
      Replay(target, std::string(std::istreambuf_iterator<char>(in), {}), step);
    }
    if (paths.empty()) {
      static_cast<void>(std::fprintf(stderr, "no corpus for the target %.*s in %s\n",
                                     static_cast<int>(target.name.size()), target.name.data(),
                                     argv[1]));
      ++missing;
    }
  }
  return missing == 0 ? 0 : 1;
}
