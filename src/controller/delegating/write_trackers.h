// controller/delegating/write_trackers.h
//
// WriteTrackers: who is to be told of what a client writes: of each resource the UnseenWrites of
// all informers that the client's factory has.

#ifndef KINFORMER_CONTROLLER_DELEGATING_WRITE_TRACKERS_H_
#define KINFORMER_CONTROLLER_DELEGATING_WRITE_TRACKERS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/env.h"
#include "kinformer/internal/block.h"
#include "kinformer/internal/informer_core.h"
#include "kinformer/internal/type_info.h"
#include "kinformer/object_name.h"
#include "kinformer/shared_informer_factory.h"

#include "base/core/mutex.h"
#include "controller/delegating/unseen_writes.h"

namespace kinformer::internal::delegating {

// Who is to show a write, and the epoch that its informer had when the write was begun.
struct Watching {
  std::shared_ptr<UnseenWrites> unseen;
  std::uint64_t epoch;
};

// Thread-safe. An informer that is there when a write begins, or by the time of its answer, is told
// of the write itself. One that comes later begins with the newest version that was written, with
// the deletions that nobody could be told of, and with what those had not shown that are gone.
//
// Lock order: this one's mutex before the monitors of UnseenWrites.
class WriteTrackers {
 public:
  // The factory must outlive this.
  WriteTrackers(Env& env, const FactoryCore& factory) : env_(env), factory_(factory) {}

  // The one of that informer, which is one of the type's resource.
  [[nodiscard]] std::shared_ptr<UnseenWrites> Of(const TypeInfo& type,
                                                 const std::shared_ptr<InformerCore>& informer);
  // Before a write is sent: all that are there.
  [[nodiscard]] std::vector<Watching> Begin(const TypeInfo& type);
  // Appends those that have come since.
  void Complete(const TypeInfo& type, std::vector<Watching>& watching);

  // ---- After the answer. `watching`: from Begin.
  void Wrote(const TypeInfo& type, std::vector<Watching> watching, const Block& object);
  // `uid`: empty where it is not known. False: nobody can say what is to be waited for: there is no
  // informer, and the object has no uid.
  [[nodiscard]] bool Deleted(const TypeInfo& type, std::vector<Watching> watching,
                             const ObjectName& name, std::string_view uid);

  // Writes that some informer has yet to show.
  [[nodiscard]] std::size_t unseen() const;

 private:
  // All versions and forms of a resource show the same objects, and have the same resourceVersions.
  using ResourceName = std::pair<std::string_view, std::string_view>;
  struct OfResource {
    // One per informer. Those whose informer is gone are kept for the next one.
    std::vector<std::shared_ptr<UnseenWrites>> trackers{};
    // The newest version that has been written.
    std::string newest{};
  };
  using Informers = std::vector<std::shared_ptr<InformerCore>>;

  static ResourceName NameOf(const TypeInfo& type) { return {type.group, type.resource}; }
  std::shared_ptr<UnseenWrites> TrackerOf(OfResource& of,
                                          const std::shared_ptr<InformerCore>& informer)
      KINFORMER_REQUIRES(mutex_);
  // `held`: outlives the lock, since whoever drops the last handle of an informer must not hold it.
  static void Append(const OfResource& of, std::vector<Watching>& watching, Informers& held);

  Env& env_;
  const FactoryCore& factory_;
  mutable base::Mutex mutex_;
  std::map<ResourceName, OfResource> resources_ KINFORMER_GUARDED_BY(mutex_);
};

}  // namespace kinformer::internal::delegating

#endif  // KINFORMER_CONTROLLER_DELEGATING_WRITE_TRACKERS_H_
