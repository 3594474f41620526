// kinformer/cache/index_key.h
//
// IndexKey: a value for an ordered index, made of parts: strings, numbers, bools and times. Keys
// are ordered by their first part, then by the next, and so on.
//
//   Indexers<corev1::Pod> indexers = {
//       {"node-start", OrderedIndexFunc<corev1::Pod>([](corev1::Pod p, auto& out) {
//          out.Add(IndexKey().Add(p.spec().nodeName()).Add(p.metadata().creationTimestamp()));
//        })}};
//   // What began on the node, the youngest ten first.
//   const IndexKey node = IndexKey().Add("node-7");
//   auto youngest = lister.Prefix("node-start", node, {.descending = true, .limit = 10});
//   // What began there in the last hour.
//   const IndexKey hour = IndexKey(node).Add(std::chrono::system_clock::now() - 1h);
//   for (corev1::Pod pod : lister.Range("node-start", hour, node.End())) ...

#ifndef KINFORMER_CACHE_INDEX_KEY_H_
#define KINFORMER_CACHE_INDEX_KEY_H_

#include <chrono>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "kinformer/internal/attributes.h"
#include "kinformer/object/time.h"

namespace kinformer {

// Returns the least value above all that begin with `prefix`; none if there is no such value: the
// prefix is empty or has only bytes 0xff.
[[nodiscard]] std::optional<std::string> IndexPrefixEnd(std::string_view prefix);

// A key whose bytes have the order of its parts. This holds for keys whose parts have the same
// kinds (string, integer, bool, time) in the same places; a shorter key is a prefix of longer ones
// that begin with the same parts. All integers are one kind, signed or not: -1 < 0 < 2^64 - 1.
//
// A value. Thread-compatible. Counterpart: none; similar to the tuple layer of FoundationDB.
class IndexKey {
 public:
  IndexKey() = default;

  // Adds a string, in byte order; it may hold zero bytes.
  template <std::convertible_to<std::string_view> Text>
  IndexKey& Add(const Text& text) {
    return AddText(text, true);
  }
  template <std::integral Integer>
  IndexKey& Add(Integer value) {
    if constexpr (std::is_same_v<Integer, bool>) {
      return AddBool(value);
    } else if constexpr (std::is_signed_v<Integer>) {
      return AddInteger(value < 0, static_cast<std::uint64_t>(std::int64_t{value}));
    } else {
      return AddInteger(false, std::uint64_t{value});
    }
  }
  // Adds a time, to the nanosecond. An unset one (IsZero) comes before all later than the year 1.
  IndexKey& Add(const metav1::Time& time);
  IndexKey& Add(std::chrono::system_clock::time_point time) { return Add(metav1::Time(time)); }

  // Adds the beginning of a string, which may go on: as the last part of a prefix.
  IndexKey& AddPrefix(std::string_view text) { return AddText(text, false); }

  // Returns the least value above all keys that begin with these parts, as the end of a range.
  [[nodiscard]] std::optional<std::string> End() const { return IndexPrefixEnd(bytes_); }

  [[nodiscard]] const std::string& bytes() const KINFORMER_LIFETIMEBOUND { return bytes_; }
  // Converts to text for out.Add and queries.
  // NOLINTNEXTLINE(google-explicit-constructor)
  operator std::string_view() const KINFORMER_LIFETIMEBOUND { return bytes_; }

  friend auto operator<=>(const IndexKey&, const IndexKey&) = default;

 private:
  IndexKey& AddText(std::string_view text, bool ends);
  IndexKey& AddInteger(bool negative, std::uint64_t two_s_complement);
  IndexKey& AddBool(bool value);

  std::string bytes_;
};

}  // namespace kinformer

#endif  // KINFORMER_CACHE_INDEX_KEY_H_
