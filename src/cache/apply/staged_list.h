// cache/apply/staged_list.h
//
// StagedList: a list that is being received, until it is complete.

#ifndef KINFORMER_CACHE_APPLY_STAGED_LIST_H_
#define KINFORMER_CACHE_APPLY_STAGED_LIST_H_

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/internal/block.h"
#include "kinformer/object/object_name.h"

#include "cache/store/key_set.h"
#include "cache/store/name_set.h"

namespace kinformer::internal::cache {

// Confined to the loop. A later item replaces an earlier one with the same name; if a server
// repeats names forever, the list holds at most twice as many items as different names.
class StagedList {
 public:
  static constexpr std::size_t kFirstLook = 4096;

  void Clear();
  void Add(ObjectRef object);
  void AddUnreadable(ObjectName name);
  // Records an object that does not fit into the store; keeps only its key.
  void LeaveOut(std::string_view namespace_, std::string_view name);
  // Records that the object was deleted while the list was received.
  void Remove(ObjectName name);
  // Takes out objects that were removed or left out later. No items may be added afterwards.
  void Finish();

  [[nodiscard]] std::size_t size() const { return objects_.size(); }
  [[nodiscard]] std::vector<ObjectRef> TakeObjects() { return std::exchange(objects_, {}); }
  [[nodiscard]] std::vector<ObjectName> TakeUnreadable();
  [[nodiscard]] KeySet TakeLeftOut() { return std::exchange(left_out_, {}); }

 private:
  void ForgetUnreadable(std::string_view namespace_, std::string_view name);
  void TakeOutRemoved();
  // Keeps only the last item of each name.
  void TakeOutRepeated();

  std::vector<ObjectRef> objects_;
  bool in_order_ = true;              // sorted by name without repeats, as servers list them
  std::size_t look_at_ = kFirstLook;  // size at which to search for repeats
  NameSet unreadable_;
  KeySet left_out_;
  // Removed names, each with the number of objects received before.
  std::vector<std::pair<ObjectName, std::size_t>> removals_;
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_APPLY_STAGED_LIST_H_
