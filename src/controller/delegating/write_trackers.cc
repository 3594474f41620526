#include "controller/delegating/write_trackers.h"

#include <algorithm>

#include "cache/store/resource_version.h"

namespace kinformer::internal::delegating {

std::shared_ptr<UnseenWrites> WriteTrackers::TrackerOf(
    OfResource& of, const std::shared_ptr<InformerCore>& informer) {
  for (const std::shared_ptr<UnseenWrites>& tracker : of.trackers) {
    if (tracker->IsOf(informer)) return tracker;
  }
  const auto fresh = std::make_shared<UnseenWrites>(env_, informer);
  // The informer did not exist at these writes, and its first list may be older than they are.
  std::erase_if(of.trackers, [&](const std::shared_ptr<UnseenWrites>& tracker) {
    if (!tracker->IsOfNobody()) return false;
    fresh->TakeOver(*tracker);
    return true;
  });
  fresh->MustReach(of.newest);
  of.trackers.push_back(fresh);
  return fresh;
}

void WriteTrackers::Append(const OfResource& of, std::vector<Watching>& watching, Informers& held) {
  for (const std::shared_ptr<UnseenWrites>& tracker : of.trackers) {
    const bool known = std::any_of(watching.begin(), watching.end(),
                                   [&](const Watching& one) { return one.unseen == tracker; });
    if (known) continue;
    std::shared_ptr<InformerCore> informer = tracker->informer();
    if (informer == nullptr) continue;
    watching.push_back({tracker, informer->Epochs()});
    held.push_back(std::move(informer));
  }
}

std::shared_ptr<UnseenWrites> WriteTrackers::Of(const KindInfo& type,
                                                const std::shared_ptr<InformerCore>& informer) {
  base::MutexLock lock(mutex_);
  return TrackerOf(resources_[NameOf(type)], informer);
}

std::vector<Watching> WriteTrackers::Begin(const KindInfo& type) {
  std::vector<Watching> watching;
  Complete(type, watching);
  return watching;
}

void WriteTrackers::Complete(const KindInfo& type, std::vector<Watching>& watching,
                             std::string_view written) {
  const Informers informers = factory_.InformersOf(type);
  Informers held;
  base::MutexLock lock(mutex_);
  OfResource& of = resources_[NameOf(type)];
  for (const std::shared_ptr<InformerCore>& informer : informers) {
    static_cast<void>(TrackerOf(of, informer));
  }
  // Trackers that are made later start at this version; all others are in `watching`.
  if (of.newest.empty() || cache::IsOlderResourceVersion(of.newest, written)) of.newest = written;
  Append(of, watching, held);
}

void WriteTrackers::Wrote(const KindInfo& type, std::vector<Watching> watching,
                          const Block& object) {
  Complete(type, watching, object.resourceVersion());
  for (const Watching& one : watching) one.unseen->Wrote(object, one.epoch);
}

bool WriteTrackers::Deleted(const KindInfo& type, std::vector<Watching> watching,
                            const ObjectName& name, std::string_view uid) {
  Complete(type, watching);
  bool known = false;
  const auto tell = [&](std::size_t from) {
    for (std::size_t i = from; i < watching.size(); ++i) {
      if (watching[i].unseen->Deleted(name, uid, watching[i].epoch)) known = true;
    }
  };
  tell(0);
  if (known) return true;
  const std::size_t told = watching.size();
  Informers held;
  {
    base::MutexLock lock(mutex_);
    OfResource& of = resources_[NameOf(type)];
    Append(of, watching, held);
    if (watching.size() == told) {
      if (uid.empty()) return false;
      const auto found = std::find_if(of.trackers.begin(), of.trackers.end(),
                                      [](const auto& tracker) { return tracker->IsOfNobody(); });
      const auto nobody = found != of.trackers.end()
                              ? *found
                              : of.trackers.emplace_back(std::make_shared<UnseenWrites>(
                                    env_, std::shared_ptr<InformerCore>()));
      nobody->KeepDeleted(name, uid);
      return true;
    }
  }
  tell(told);
  return true;
}

std::size_t WriteTrackers::unseen() const {
  base::MutexLock lock(mutex_);
  std::size_t sum = 0;
  for (const auto& [name, of] : resources_) {
    for (const std::shared_ptr<UnseenWrites>& tracker : of.trackers) {
      if (!tracker->IsOfNobody()) sum += tracker->size();
    }
  }
  return sum;
}

}  // namespace kinformer::internal::delegating
