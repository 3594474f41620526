// controller/events/event_name.h

#ifndef KINFORMER_CONTROLLER_EVENTS_EVENT_NAME_H_
#define KINFORMER_CONTROLLER_EVENTS_EVENT_NAME_H_

#include <string>
#include <string_view>

#include "kinformer/env.h"

namespace kinformer::internal::events {

// A name for an event about `object`: its name and the time in hexadecimal, whose last digits are
// random, or a UUID where that would be no name that the API allows.
std::string EventName(std::string_view object, Env& env);

}  // namespace kinformer::internal::events

#endif  // KINFORMER_CONTROLLER_EVENTS_EVENT_NAME_H_
