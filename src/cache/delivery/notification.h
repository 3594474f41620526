// cache/delivery/notification.h
//
// Notification: a live event for the listeners. It owns references to its objects; RawEvent, which
// handlers get, borrows them. Counterparts: addNotification, updateNotification,
// deleteNotification.

#ifndef KINFORMER_CACHE_DELIVERY_NOTIFICATION_H_
#define KINFORMER_CACHE_DELIVERY_NOTIFICATION_H_

#include <cstdint>

#include "kinformer/internal/block.h"
#include "kinformer/internal/raw_event.h"

namespace kinformer::internal::cache {

struct Notification {
  EventType type{};
  bool is_in_initial_list = false;
  bool final_state_unknown = false;
  std::uint32_t epoch = 0;
  // For an update: the state before. For a deletion: the last state that handlers know, if `object`
  // is newer.
  ObjectRef old_object{};
  ObjectRef object{};
  std::uint64_t version = 0;  // first version of the store with this change

  // Returns the event without its key.
  [[nodiscard]] RawEvent Borrow() const {
    return {type,
            is_in_initial_list,
            final_state_unknown,
            epoch,
            nullptr,
            type == EventType::kAdded ? nullptr : old_object.get(),
            object.get(),
            version};
  }
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_DELIVERY_NOTIFICATION_H_
