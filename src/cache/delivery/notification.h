// cache/delivery/notification.h
//
// Notification: a live event on its way to the listeners. It keeps its objects; RawEvent, which the
// handler gets, borrows them. Counterparts: addNotification, updateNotification,
// deleteNotification.

#ifndef KINFORMER_CACHE_DELIVERY_NOTIFICATION_H_
#define KINFORMER_CACHE_DELIVERY_NOTIFICATION_H_

#include <cstdint>

#include "kinformer/internal/block.h"
#include "kinformer/internal/raw_event.h"

namespace kinformer::internal::cache {

struct Notification {
  EventKind kind{};
  bool is_in_initial_list = false;
  bool final_state_unknown = false;
  std::uint32_t epoch = 0;
  // Of an update. Of a deletion: the state that the handler knows, where it was not told of a later
  // one.
  ObjectRef old_object{};
  ObjectRef object{};
  std::uint64_t version = 0;  // of the store: the first that has it

  // Without the key.
  [[nodiscard]] RawEvent Borrow() const {
    return {kind,
            is_in_initial_list,
            final_state_unknown,
            epoch,
            nullptr,
            kind == EventKind::kAdd ? nullptr : old_object.get(),
            object.get(),
            version};
  }
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_DELIVERY_NOTIFICATION_H_
