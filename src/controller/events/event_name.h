// controller/events/event_name.h

#ifndef KINFORMER_CONTROLLER_EVENTS_EVENT_NAME_H_
#define KINFORMER_CONTROLLER_EVENTS_EVENT_NAME_H_

#include <string>
#include <string_view>

#include "kinformer/base/env.h"

namespace kinformer::internal::events {

// Returns a name for an event about `object`: its name and the time in hexadecimal with random last
// digits, or a UUID if that name would be invalid.
std::string EventName(std::string_view object, Env& env);

}  // namespace kinformer::internal::events

#endif  // KINFORMER_CONTROLLER_EVENTS_EVENT_NAME_H_
