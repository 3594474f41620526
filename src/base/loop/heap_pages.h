// base/loop/heap_pages.h
//
// Huge pages for the heaps that glibc's malloc gives to threads other than the main one, where the
// objects of caches lie. Filling a cache of hundreds of megabytes is
// otherwise dominated by page faults (docs/benchmarks.md).
//
// Advice only: a failure changes nothing. Elsewhere than over glibc's malloc this does nothing.

#ifndef KINFORMER_BASE_LOOP_HEAP_PAGES_H_
#define KINFORMER_BASE_LOOP_HEAP_PAGES_H_

#include <cstddef>

namespace kinformer::internal::base {

// Says that malloc has just given these bytes to this thread, and that they are likely to stay.
// Once the thread has had a few megabytes of them, huge pages are asked for around them. Cheap: a
// comparison or two for nearly all of them. Thread-safe.
void UseHugePagesFor(void* memory, std::size_t size);

// Gives back to the system what malloc keeps free between what is used, in all threads' heaps, and
// asks for no huge pages any more where they have been asked for. Where hundreds of megabytes are
// free, it takes some hundredths of a second, in which other threads may have to wait for their
// next allocation. Thread-safe.
void GiveBackFreeMemory();

// Whether UseHugePagesFor has any effect, in the whole process. True at the start, unless the
// environment says KINFORMER_HUGE_PAGES=0. What has been asked for stays asked for. Thread-safe.
void SetHugePages(bool wanted);
[[nodiscard]] bool HugePagesWanted();

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_LOOP_HEAP_PAGES_H_
