#include "controller/manager/fight_events.h"

#include <utility>

#include "kinformer/api/corev1_mutable.h"
#include "kinformer/events/recorders.h"

namespace kinformer::internal {

std::function<void(const FoundFight&)> EventsOfFights(const std::shared_ptr<Cluster>& cluster,
                                                      std::string component) {
  return [weak = std::weak_ptr<Cluster>(cluster),
          component = std::move(component)](const FoundFight& fight) {
    const std::shared_ptr<Cluster> to = weak.lock();
    if (to == nullptr) return;
    const KindInfo& kind = *fight.kind;
    corev1::ObjectReferenceMutable about;
    about.kind = kind.kind;
    about.apiVersion = kind.group.empty()
                           ? std::string(kind.version)
                           : std::string(kind.group).append("/").append(kind.version);
    about.namespace_ = fight.object.namespace_;
    about.name = fight.object.name;
    about.uid = fight.uid;
    to->GetEventRecorderFor(component)->Event(about, kEventTypeWarning, "FieldFight",
                                              fight.message);
  };
}

}  // namespace kinformer::internal
