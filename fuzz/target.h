// fuzz/target.h
//
// A fuzz target takes any bytes and ends the process where something does not hold that must hold
// for all of them. Targets keep no state, so that an input does the same every time.

#ifndef KINFORMER_FUZZ_TARGET_H_
#define KINFORMER_FUZZ_TARGET_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace kinformer {
struct KindInfo;
}  // namespace kinformer

namespace kinformer::fuzz {

struct Target {
  std::string_view name;  // of its corpus, too: fuzz/corpus/<name>
  void (*run)(std::string_view input);
};

std::span<const Target> AllTargets();
// Returns null if it does not exist.
const Target* FindTarget(std::string_view name);

// Ends the process with `what` and, unless empty, two texts that should be equal.
void Require(bool holds, std::string_view what, std::string_view one = {},
             std::string_view other = {});
// Like Require, for two texts that must be equal; prints both where they differ.
void RequireEqual(std::string_view one, std::string_view other, std::string_view what);

// Takes decisions from the end of an input; zero when it is used up. The part in front that is left
// is the data.
class Choices {
 public:
  explicit Choices(std::string_view input) : rest_(input) {}
  std::uint8_t Byte();
  [[nodiscard]] std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

// Embedded JSON is passed on unchanged, and need not be UTF-8.
bool IsUtf8(std::string_view text);

// Sizes of the pieces in which data arrives: 1 to 256 bytes, in an order given by the seed.
class PieceSizes {
 public:
  explicit PieceSizes(std::uint8_t seed) : state_(seed) {}
  std::size_t Next();

 private:
  std::uint32_t state_;
};

// One of some kinds that have between them every shape of field.
const KindInfo& PickType(std::uint8_t choice);

}  // namespace kinformer::fuzz

#endif  // KINFORMER_FUZZ_TARGET_H_
