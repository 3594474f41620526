// kinformer/cache/joint_snapshot.h
//
// JointSnapshot: snapshots of several stores that were all current at one instant.
//
//   const auto [all_pods, all_nodes] = JointSnapshot(pods, nodes);
//   for (corev1::Pod pod : all_pods) {
//     std::optional<corev1::Node> node = all_nodes.Get("", pod.spec().nodeName());
//     ...
//   }

#ifndef KINFORMER_CACHE_JOINT_SNAPSHOT_H_
#define KINFORMER_CACHE_JOINT_SNAPSHOT_H_

#include <array>
#include <cstddef>
#include <tuple>
#include <utility>

#include "kinformer/cache/snapshot.h"
#include "kinformer/internal/indexer_core.h"
#include "kinformer/internal/reading_side.h"

namespace kinformer {

// Returns one Snapshot of each source, in their order. A source is a SharedInformer, Store,
// Indexer or Lister, on any loop; one may be given twice.
//
// There was an instant, during the call, at which every snapshot was the current version of its
// store. So two writes of one thread into two stores are seen in that order, and a relist is seen
// as a whole or not at all. It is not a consistent state of the server: each informer is at the
// resourceVersion of its own watch, so a snapshot may have a pod, and the other may lack its
// node.
//
// Thread-safe. Takes about as long as the snapshots alone. It repeats while there are writes in
// between; if this does not end, the writers of these stores wait for it, for a few microseconds.
// Counterpart: none in client-go.
template <internal::ReadingSide... Sources>
[[nodiscard]] auto JointSnapshot(const Sources&... sources) {
  const std::tuple kept{internal::ReadingSideOf(sources)...};
  return std::apply(
      [](const auto&... side) {
        const std::array<const internal::IndexerCore*, sizeof...(Sources)> stores{&*side...};
        auto snapshots = internal::IndexerCore::JointSnapshots(stores);
        return [&]<std::size_t... I>(std::index_sequence<I...>) {
          return std::tuple<Snapshot<internal::ViewOf<Sources>>...>(
              Snapshot<internal::ViewOf<Sources>>(std::move(snapshots[I]))...);
        }(std::index_sequence_for<Sources...>());
      },
      kept);
}

}  // namespace kinformer

#endif  // KINFORMER_CACHE_JOINT_SNAPSHOT_H_
