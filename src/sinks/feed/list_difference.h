// sinks/feed/list_difference.h
//
// ListDifference: the changes that take a sink's objects to those of a list.

#ifndef KINFORMER_SINKS_FEED_LIST_DIFFERENCE_H_
#define KINFORMER_SINKS_FEED_LIST_DIFFERENCE_H_

#include <vector>

#include "kinformer/object/object_name.h"
#include "kinformer/sinks/snapshot_sink.h"

namespace kinformer::internal::sinks {

// Returns the removals of objects that the list lacks, and of those that were made anew under their
// name; then the objects of the list that are not held in the same version. `unreadable`: objects
// of the list that keep what is held.
std::vector<SinkChange> ListDifference(std::vector<HeldObject> held, std::vector<SinkChange> listed,
                                       const std::vector<ObjectName>& unreadable);

}  // namespace kinformer::internal::sinks

#endif  // KINFORMER_SINKS_FEED_LIST_DIFFERENCE_H_
