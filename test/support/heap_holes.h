// test/support/heap_holes.h

#ifndef KINFORMER_TEST_SUPPORT_HEAP_HOLES_H_
#define KINFORMER_TEST_SUPPORT_HEAP_HOLES_H_

#include <cstddef>
#include <memory>
#include <vector>

namespace kinformer::testing {

// Pieces of many sizes, every other of which is given back: what is allocated as long as the rest
// lives has other addresses than it had before, and malloc gives some of it 16 bytes more than it
// asks for. For tests of what must not depend on either.
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
