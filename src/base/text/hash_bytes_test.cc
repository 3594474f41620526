#include "base/text/hash_bytes.h"

#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <string_view>

namespace kinformer::internal::base {
namespace {

// No two short texts that differ in length or in one byte have equal hashes.
TEST(HashBytes, ReadsEveryByte) {
  std::set<std::uint64_t> seen;
  std::size_t texts = 0;
  for (std::size_t size = 0; size <= 70; ++size) {
    std::string text(size, 'a');
    seen.insert(HashBytes(7, text));
    ++texts;
    for (std::size_t i = 0; i < size; ++i) {
      text[i] = 'b';
      seen.insert(HashBytes(7, text));
      ++texts;
      text[i] = 'a';
    }
  }
  EXPECT_EQ(seen.size(), texts);
  EXPECT_NE(HashBytes(7, "web"), HashBytes(8, "web"));
}

TEST(HashBytes, ReadsNoOtherByte) {
  for (std::size_t size = 0; size <= 70; ++size) {
    const std::string text(size, 'a');
    const std::string between = std::string(40, 'x') + text + std::string(40, 'y');
    EXPECT_EQ(HashBytes(7, std::string_view(between).substr(40, size)), HashBytes(7, text)) << size;
  }
}

}  // namespace
}  // namespace kinformer::internal::base
