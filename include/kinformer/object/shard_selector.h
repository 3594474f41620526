// kinformer/object/shard_selector.h
//
// ShardSelector: a condition on a hash of an object's uid or namespace, in the syntax of the API's
// shardSelector parameter. Several replicas of a program share the objects of a resource by it:
// each one selects another range of the hash.
//
//   ShardSelector mine = ShardSelector::Part(0, 3);  // of three replicas, the first one's objects
//   auto pods = factory.InformerFor<corev1::Pod>({.shard_selector = mine});
//
// Servers offer it with the feature gate ShardedListAndWatch (alpha since Kubernetes 1.36). Others
// ignore the parameter and send everything. Lists and watches of this library leave out what does
// not match in any case, so that the result is the same: only the traffic differs.

#ifndef KINFORMER_OBJECT_SHARD_SELECTOR_H_
#define KINFORMER_OBJECT_SHARD_SELECTOR_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/result.h"

namespace kinformer {

// A value: copyable. Default-constructed, it selects everything. Thread-compatible. Counterpart:
// sharding.Selector of apimachinery.
class ShardSelector {
 public:
  // The part of an object that is hashed. Objects of one namespace are in one shard with
  // kNamespace; a cluster-scoped object has the namespace "".
  enum class Field : std::uint8_t { kUid, kNamespace };
  // Hashes from `first` to `last`, both included.
  struct Range {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    bool operator==(const Range&) const = default;
  };

  ShardSelector() = default;
  // Returns one of `count` equal parts. Every object is in exactly one of the parts 0 to count - 1.
  // REQUIRES: index < count.
  static ShardSelector Part(std::size_t index, std::size_t count, Field field = Field::kUid);
  // Parses "shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')", or
  // several of them joined by ||. The start of a range is included, the end is not. An empty text
  // selects everything. kInvalidArgument, naming the place.
  static Result<ShardSelector> Parse(std::string_view text);

  // Returns the 64-bit FNV-1a hash, as servers compute it. Counterpart: sharding.HashField.
  static std::uint64_t HashField(std::string_view value);

  [[nodiscard]] bool MatchesEverything() const { return ranges_.empty(); }
  [[nodiscard]] bool Matches(std::string_view uid, std::string_view namespace_) const;
  [[nodiscard]] Field field() const { return field_; }
  [[nodiscard]] const std::vector<Range>& ranges() const { return ranges_; }

  // Returns the text for the API; "" for everything.
  [[nodiscard]] std::string ToString() const;
  bool operator==(const ShardSelector&) const = default;

 private:
  Field field_ = Field::kUid;
  std::vector<Range> ranges_;  // empty: everything
};

}  // namespace kinformer

#endif  // KINFORMER_OBJECT_SHARD_SELECTOR_H_
