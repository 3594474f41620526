// controller/manager/fight_events.h
//
// EventsOfFights: tells people about fights by events of the objects.

#ifndef KINFORMER_CONTROLLER_MANAGER_FIGHT_EVENTS_H_
#define KINFORMER_CONTROLLER_MANAGER_FIGHT_EVENTS_H_

#include <functional>
#include <memory>
#include <string>

#include "kinformer/controller/cluster.h"

#include "controller/fights/fight_book.h"

namespace kinformer::internal {

// Returns a function that records a warning, "FieldFight", about the object of a fight, as that of
// `component`. It keeps no cluster alive.
[[nodiscard]] std::function<void(const FoundFight&)> EventsOfFights(
    const std::shared_ptr<Cluster>& cluster, std::string component);

}  // namespace kinformer::internal

#endif  // KINFORMER_CONTROLLER_MANAGER_FIGHT_EVENTS_H_
