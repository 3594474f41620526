// base/core/out_of_memory.h
//
// Ends the process with a message when there is no memory. Half-done work of the loop cannot be
// undone without memory, and to continue would leave wrong caches.

#ifndef KINFORMER_BASE_CORE_OUT_OF_MEMORY_H_
#define KINFORMER_BASE_CORE_OUT_OF_MEMORY_H_

namespace kinformer::internal::base {

// Prints to stderr that there was no memory for `what`, without allocating, and aborts.
[[noreturn]] void DieOfNoMemory(const char* what) noexcept;

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_CORE_OUT_OF_MEMORY_H_
