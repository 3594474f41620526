// kinformer/cache/event_type.h
//
// EventType: the kind of an event, for handlers, readers of events and net changes of a store.

#ifndef KINFORMER_CACHE_EVENT_TYPE_H_
#define KINFORMER_CACHE_EVENT_TYPE_H_

#include <cstdint>

namespace kinformer {

// Kind of a change of an object, as a handler sees it. The store decides between an addition and an
// update, whatever the server's event is called (WatchEventType).
enum class EventType : std::uint8_t { kAdded, kUpdated, kDeleted };

}  // namespace kinformer

#endif  // KINFORMER_CACHE_EVENT_TYPE_H_
