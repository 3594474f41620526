// kinformer/events.h
//
// All public headers of the group events.

#ifndef KINFORMER_EVENTS_H_
#define KINFORMER_EVENTS_H_

#include "kinformer/events/basic_event_broadcaster.h"
#include "kinformer/events/event_broadcaster.h"
#include "kinformer/events/event_recorder.h"
#include "kinformer/events/event_sink.h"
#include "kinformer/events/events.h"
#include "kinformer/events/recorders.h"

#endif  // KINFORMER_EVENTS_H_
