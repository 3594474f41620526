// test/support/heap_holes.h

#ifndef KINFORMER_TEST_SUPPORT_HEAP_HOLES_H_
#define KINFORMER_TEST_SUPPORT_HEAP_HOLES_H_

#include <cstddef>
#include <memory>
#include <vector>

namespace kinformer::testing {

// Allocates pieces of many sizes and frees every other one: while the rest exists, allocations have
// other addresses than before, and some get 16 bytes more than requested. For tests of code that
// must not depend on either.
inline std::vector<std::unique_ptr<char[]>> HolesInTheHeap() {
  std::vector<std::unique_ptr<char[]>> pieces;
  for (std::size_t size = 64; size < 2048; size += 16) {
    for (int i = 0; i < 8; ++i) pieces.push_back(std::make_unique<char[]>(size));
  }
  for (std::size_t i = 0; i < pieces.size(); i += 2) pieces[i].reset();
  return pieces;
}

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_SUPPORT_HEAP_HOLES_H_
