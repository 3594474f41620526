// cache/delta.h
//
// Delta: one change on its way from the reflector to the store. Counterpart: cache.Delta.

#ifndef KINFORMER_CACHE_DELTA_H_
#define KINFORMER_CACHE_DELTA_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/internal/block.h"
#include "kinformer/object_name.h"

namespace kinformer::internal {

class Listener;

enum class DeltaType : std::uint8_t {
  kAdded,
  kUpdated,
  kDeleted,
  kReplaced,     // an object of a list
  kSync,         // an object of a resync
  kReplacedAll,  // a whole list
  kSyncAll,      // a whole resync
  kBookmark,
  kUnreadable,  // an object arrived whose bytes are malformed; or, with final_state_unknown, such an object was deleted
};

inline std::string_view DeltaTypeName(DeltaType type) {
  switch (type) {
    case DeltaType::kAdded:
      return "ADDED";
    case DeltaType::kUpdated:
      return "MODIFIED";
    case DeltaType::kDeleted:
      return "DELETED";
    case DeltaType::kReplaced:
    case DeltaType::kReplacedAll:
      return "REPLACED";
    case DeltaType::kSync:
    case DeltaType::kSyncAll:
      return "SYNC";
    case DeltaType::kBookmark:
      return "BOOKMARK";
    case DeltaType::kUnreadable:
      return "UNREADABLE";
  }
  return "";
}

// What the kinds that are not about one readable object carry.
struct DeltaExtra {
  std::string resourceVersion{};                     // kReplacedAll, kBookmark
  std::vector<ObjectRef> objects{};                  // kReplacedAll
  std::vector<ObjectName> unreadable{};              // kReplacedAll, kUnreadable
  std::vector<std::weak_ptr<Listener>> listeners{};  // kSyncAll: those that are due
};

struct Delta {
  DeltaType type{};
  // kDeleted: a tombstone. `object` is then the last known state rather than the state at deletion.
  bool final_state_unknown = false;
  ObjectRef object{};
  std::unique_ptr<DeltaExtra> extra{};
};

inline std::string KeyOf(const Block& block) {
  const std::string_view ns = block.namespace_();
  const std::string_view name = block.name();
  std::string key;
  key.reserve(ns.size() + 1 + name.size());
  if (!ns.empty()) {
    key.append(ns);
    key.push_back('/');
  }
  key.append(name);
  return key;
}

}  // namespace kinformer::internal

#endif  // KINFORMER_CACHE_DELTA_H_
