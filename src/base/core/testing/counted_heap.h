// src/base/core/testing/counted_heap.h

#ifndef KINFORMER_BASE_CORE_TESTING_COUNTED_HEAP_H_
#define KINFORMER_BASE_CORE_TESTING_COUNTED_HEAP_H_

#include <atomic>
#include <cstddef>

namespace kinformer::testing {

// Counts calls of operator new and operator delete, in a program that compiles counted_heap.cc. It
// replaces every form of them in the language: a form that is left out would come from the standard
// library, which calls the plain form, or from a sanitizer, which does not, and its calls would not
// be counted.
struct CountedHeap {
  std::atomic<std::size_t> calls;      // calls of operator new since the start of the program
  std::atomic<std::ptrdiff_t> pieces;  // allocated and not yet freed
  std::atomic<std::size_t> bytes;      // size of these pieces by malloc_usable_size()
};

extern constinit CountedHeap heap;

}  // namespace kinformer::testing

#endif  // KINFORMER_BASE_CORE_TESTING_COUNTED_HEAP_H_
