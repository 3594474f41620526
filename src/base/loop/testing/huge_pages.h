// base/loop/testing/huge_pages.h
//
// Conditions for tests of huge pages.

#ifndef KINFORMER_BASE_LOOP_TESTING_HUGE_PAGES_H_
#define KINFORMER_BASE_LOOP_TESTING_HUGE_PAGES_H_

#include <fstream>
#include <string>

namespace kinformer::internal::base {

// Whether the heap is a sanitizer's, or another one than glibc's.
inline bool HasOtherHeap() {
#if !defined(__GLIBC__) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  return true;
#endif
#endif
  return false;
}

// Whether heap and kernel can give huge pages on request.
inline bool HasHugePages() {
  if (HasOtherHeap()) return false;
  std::ifstream file("/sys/kernel/mm/transparent_hugepage/enabled");
  std::string modes;
  return std::getline(file, modes) && modes.find("[never]") == std::string::npos;
}

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_LOOP_TESTING_HUGE_PAGES_H_
