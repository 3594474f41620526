// cache/store/segmented_array.h
//
// SegmentedArray: an array that grows without moving its elements, so that other threads may keep
// reading them.

#ifndef KINFORMER_CACHE_STORE_SEGMENTED_ARRAY_H_
#define KINFORMER_CACHE_STORE_SEGMENTED_ARRAY_H_

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace kinformer::internal::cache {

// Segment k has kBase << k elements. Memory comes zeroed and untouched from the system, so that an
// unused tail of a large segment costs address space only. T: an integer, or an atomic of one.
//
// One thread grows the array; any thread reads elements that it knows to exist.
template <class T, std::uint32_t kBase>
class SegmentedArray {
  static_assert(std::has_single_bit(kBase));

 public:
  SegmentedArray() = default;
  ~SegmentedArray() {
    for (auto& segment : segments_) std::free(segment.load(std::memory_order_relaxed));
  }
  SegmentedArray(const SegmentedArray&) = delete;
  SegmentedArray& operator=(const SegmentedArray&) = delete;

  // Makes element `index` exist, initially zero. Writer only. Returns the bytes allocated.
  std::size_t Grow(std::uint32_t index) {
    const auto [segment, unused] = Locate(index);
    if (segments_[segment].load(std::memory_order_relaxed) != nullptr) return 0;
    const std::size_t count = std::size_t{kBase} << segment;
    void* memory = std::calloc(count, sizeof(T));
    if (memory == nullptr) throw std::bad_alloc();
    segments_[segment].store(static_cast<T*>(memory), std::memory_order_release);
    return count * sizeof(T);
  }

  // REQUIRES: the element exists.
  [[nodiscard]] T& operator[](std::uint32_t index) const {
    const auto [segment, offset] = Locate(index);
    return segments_[segment].load(std::memory_order_acquire)[offset];
  }

 private:
  struct Location {
    std::uint32_t segment;
    std::uint32_t offset;
  };
  static Location Locate(std::uint32_t index) {
    constexpr int kShift = std::countr_zero(kBase);
    const auto segment = static_cast<std::uint32_t>(std::bit_width((index >> kShift) + 1) - 1);
    return {segment, index - (((1U << segment) - 1) << kShift)};
  }

  std::array<std::atomic<T*>, 28> segments_{};
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_STORE_SEGMENTED_ARRAY_H_
