// base/core/out_of_memory.h
//
// What happens when there is no memory: the process ends, and says so. Half-done work of the loop
// cannot be undone without memory, and going on without it would leave caches that are wrong.

#ifndef KINFORMER_BASE_CORE_OUT_OF_MEMORY_H_
#define KINFORMER_BASE_CORE_OUT_OF_MEMORY_H_

namespace kinformer::internal::base {

// Says on stderr that there was no memory for `what`, without needing any, and aborts.
[[noreturn]] void DieOfNoMemory(const char* what) noexcept;

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_CORE_OUT_OF_MEMORY_H_
