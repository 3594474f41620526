// base/loop/heap_pages.h
//
// Huge pages for the heaps of glibc's malloc in threads other than the main one, which contain the
// objects of caches. Otherwise, page faults take most of the time to fill a cache of hundreds of
// megabytes (docs/inside/benchmarks.md).
//
// Only advice: a failure has no effect. Does nothing with other implementations of malloc.

#ifndef KINFORMER_BASE_LOOP_HEAP_PAGES_H_
#define KINFORMER_BASE_LOOP_HEAP_PAGES_H_

#include <cstddef>

namespace kinformer::internal::base {

// Reports that malloc has given these bytes to this thread, and that they will probably be kept.
// After a few megabytes of them, the thread requests huge pages around them. Cheap: usually a
// comparison or two. Thread-safe.
void UseHugePagesFor(void* memory, std::size_t size);

// Returns memory that malloc keeps free between used pieces to the system, in the heaps of all
// threads, and stops asking for huge pages in the places where it has asked for them. With hundreds
// of megabytes free, this takes some hundredths of a second, in which other threads may have to
// wait for their next allocation. Thread-safe.
void GiveBackFreeMemory();

// Sets whether UseHugePagesFor has any effect, in the whole process. True at the start, unless the
// environment has KINFORMER_HUGE_PAGES=0. Pages already requested stay so. Thread-safe.
void SetHugePages(bool wanted);
[[nodiscard]] bool HugePagesWanted();

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_LOOP_HEAP_PAGES_H_
