// kinformer/workqueue/fair_flows.h
//
// FairFlows: divides the items of a PriorityQueue into flows, such as one for each tenant, which
// share the workers by weight. A flow with many items delays the others by its share only.
//
//   PriorityQueue<ObjectName> queue(
//       env, FairFlows<ObjectName>{.weight_of = [](const std::string& tenant) {
//         return tenant == "payments" ? 3.0 : 1.0;  // three items for each one of another tenant
//       }});
//
// For a controller: ControllerOptions::fair_queue.

#ifndef KINFORMER_WORKQUEUE_FAIR_FLOWS_H_
#define KINFORMER_WORKQUEUE_FAIR_FLOWS_H_

#include <functional>
#include <string>

namespace kinformer {

// The functions must be quick, and must not call the queue, whose lock is held. What they throw is
// logged and counted.
template <class Item>
struct FairFlows {
  // Returns the flow of an item, by any key. Empty, the default: an ObjectName's namespace; items
  // of another type are one flow. Also for an item at which it throws: the flow "".
  std::function<std::string(const Item&)> flow_of{};
  // Returns the share of a flow beside those of the others. Asked when the flow has had no waiting
  // item and gets one. Values outside of 0.001 to 1000 count as the nearest one, and no number as
  // 1. Empty, the default, and if it throws: 1.
  std::function<double(const std::string& flow)> weight_of{};
};

}  // namespace kinformer

#endif  // KINFORMER_WORKQUEUE_FAIR_FLOWS_H_
