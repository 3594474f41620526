// cache/apply/staged_list.h
//
// StagedList: a list that streams in, until it is complete.

#ifndef KINFORMER_CACHE_APPLY_STAGED_LIST_H_
#define KINFORMER_CACHE_APPLY_STAGED_LIST_H_

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/internal/block.h"
#include "kinformer/object_name.h"

#include "cache/store/coverage.h"
#include "cache/store/key_set.h"
#include "cache/store/name_set.h"

namespace kinformer::internal::cache {

// Confined to the loop. What comes later of a name outdoes what came before; a server that repeats
// itself for ever makes it no more than twice as large as what it has of different names.
class StagedList {
 public:
  static constexpr std::size_t kFirstLook = 4096;

  void Clear();
  void Add(ObjectRef object);
  void AddUnreadable(ObjectName name);
  // There is no room for the object: of it the key alone is kept.
  void LeaveOut(std::string_view namespace_, std::string_view name);
  // The object was deleted while the list streamed in.
  void Remove(ObjectName name);
  // Takes out what was removed or left out after it had come. Nothing is added afterwards.
  void Finish();

  [[nodiscard]] std::size_t size() const { return objects_.size(); }
  // Of `names`, those that the list has not at all.
  [[nodiscard]] std::vector<ObjectName> Lacks(const NameSet& names) const;
  [[nodiscard]] std::vector<ObjectRef> TakeObjects() { return std::exchange(objects_, {}); }
  [[nodiscard]] std::vector<ObjectName> TakeUnreadable();
  [[nodiscard]] const KeySet& left_out() const { return left_out_; }
  // With those of the objects that are left out `until_written`: they are not in the store yet.
  [[nodiscard]] KeySet TakeLeftOut(const LeftOut& until_written);

 private:
  void ForgetUnreadable(std::string_view namespace_, std::string_view name);
  void TakeOutRemoved();
  // Of each name the last remains.
  void TakeOutRepeated();

  std::vector<ObjectRef> objects_;
  bool in_order_ = true;              // of their names, each once, as servers list them
  std::size_t look_at_ = kFirstLook;  // for repetitions, once there are so many
  NameSet unreadable_;
  KeySet left_out_;
  // With the number of objects that had come before.
  std::vector<std::pair<ObjectName, std::size_t>> removals_;
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_APPLY_STAGED_LIST_H_
