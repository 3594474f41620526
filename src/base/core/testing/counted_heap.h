// src/base/core/testing/counted_heap.h

#ifndef KINFORMER_BASE_CORE_TESTING_COUNTED_HEAP_H_
#define KINFORMER_BASE_CORE_TESTING_COUNTED_HEAP_H_

#include <atomic>
#include <cstddef>

namespace kinformer::testing {

// What operator new and operator delete have done, in a program that counted_heap.cc is compiled
// into. It replaces them in every form that the language has: a form that is left out comes from
// the standard library, which calls the plain one, or from a sanitizer, which calls none of ours,
// and then it would not be counted.
struct CountedHeap {
  std::atomic<std::size_t> calls;      // of operator new, since the program began
  std::atomic<std::ptrdiff_t> pieces;  // that were given out and not given back
  std::atomic<std::size_t> bytes;      // of these pieces, as malloc_usable_size() has it
};

extern constinit CountedHeap heap;

}  // namespace kinformer::testing

#endif  // KINFORMER_BASE_CORE_TESTING_COUNTED_HEAP_H_
