#include "base/core/testing/counted_heap.h"

#include <algorithm>
#include <cstdlib>
#include <malloc.h>
#include <new>

namespace kinformer::testing {

constinit CountedHeap heap{};

namespace {

void* Taken(void* memory) noexcept {
  if (memory == nullptr) std::abort();
  heap.calls.fetch_add(1, std::memory_order_relaxed);
  heap.pieces.fetch_add(1, std::memory_order_relaxed);
  heap.bytes.fetch_add(malloc_usable_size(memory), std::memory_order_relaxed);
  return memory;
}

void* Take(std::size_t size) noexcept { return Taken(std::malloc(std::max<std::size_t>(size, 1))); }

void* Take(std::size_t size, std::align_val_t alignment) noexcept {
  const auto step = static_cast<std::size_t>(alignment);
  return Taken(std::aligned_alloc(step, (std::max<std::size_t>(size, 1) + step - 1) / step * step));
}

void GiveBack(void* memory) noexcept {
  if (memory == nullptr) return;
  heap.pieces.fetch_sub(1, std::memory_order_relaxed);
  heap.bytes.fetch_sub(malloc_usable_size(memory), std::memory_order_relaxed);
  std::free(memory);
}

}  // namespace
}  // namespace kinformer::testing

// clang-format off
using kinformer::testing::GiveBack;
using kinformer::testing::Take;
using Size = std::size_t;
using Alignment = std::align_val_t;
using NoThrow = const std::nothrow_t&;

void* operator new(Size n) { return Take(n); }
void* operator new[](Size n) { return Take(n); }
void* operator new(Size n, NoThrow) noexcept { return Take(n); }
void* operator new[](Size n, NoThrow) noexcept { return Take(n); }
void* operator new(Size n, Alignment a) { return Take(n, a); }
void* operator new[](Size n, Alignment a) { return Take(n, a); }
void* operator new(Size n, Alignment a, NoThrow) noexcept { return Take(n, a); }
void* operator new[](Size n, Alignment a, NoThrow) noexcept { return Take(n, a); }

void operator delete(void* p) noexcept { GiveBack(p); }
void operator delete[](void* p) noexcept { GiveBack(p); }
void operator delete(void* p, Size) noexcept { GiveBack(p); }
void operator delete[](void* p, Size) noexcept { GiveBack(p); }
void operator delete(void* p, NoThrow) noexcept { GiveBack(p); }
void operator delete[](void* p, NoThrow) noexcept { GiveBack(p); }
void operator delete(void* p, Alignment) noexcept { GiveBack(p); }
void operator delete[](void* p, Alignment) noexcept { GiveBack(p); }
void operator delete(void* p, Size, Alignment) noexcept { GiveBack(p); }
void operator delete[](void* p, Size, Alignment) noexcept { GiveBack(p); }
void operator delete(void* p, Alignment, NoThrow) noexcept { GiveBack(p); }
void operator delete[](void* p, Alignment, NoThrow) noexcept { GiveBack(p); }
// clang-format on
