// controller/delegating/write_trackers.h
//
// WriteTrackers: distributes the writes of a client: for each resource, it has the UnseenWrites of
// all informers of the client's factory.

#ifndef KINFORMER_CONTROLLER_DELEGATING_WRITE_TRACKERS_H_
#define KINFORMER_CONTROLLER_DELEGATING_WRITE_TRACKERS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/cache/shared_informer_factory.h"
#include "kinformer/internal/block.h"
#include "kinformer/internal/informer_core.h"
#include "kinformer/object/kind_info.h"
#include "kinformer/object/object_name.h"

#include "base/core/mutex.h"
#include "controller/delegating/unseen_writes.h"

namespace kinformer::internal::delegating {

// Tracker of an informer that must show a write, and the informer's epoch before the write.
struct Watching {
  std::shared_ptr<UnseenWrites> unseen;
  std::uint64_t epoch;
};

// Thread-safe. Informers that exist when a write begins, or when its answer arrives, record the
// write itself. A later informer starts with the newest version that was written, the deletions
// that no informer could record, and the writes that destroyed informers had not shown.
//
// Lock order: this one's mutex before those of UnseenWrites.
class WriteTrackers {
 public:
  // `factory` must outlive this.
  WriteTrackers(Env& env, const FactoryCore& factory) : env_(env), factory_(factory) {}

  // Returns the tracker of an informer, which must be for the type's resource.
  [[nodiscard]] std::shared_ptr<UnseenWrites> Of(const KindInfo& type,
                                                 const std::shared_ptr<InformerCore>& informer);
  // Call it before a write is sent. Returns the trackers of all existing informers.
  [[nodiscard]] std::vector<Watching> Begin(const KindInfo& type);
  // Appends the trackers of informers that were created since Begin. `written`: version that later
  // informers must reach; empty if unknown.
  void Complete(const KindInfo& type, std::vector<Watching>& watching,
                std::string_view written = {});

  // ---- Called after the answer. `watching`: result of Begin.
  void Wrote(const KindInfo& type, std::vector<Watching> watching, const Block& object);
  // `uid`: empty if unknown. Returns false if the deletion cannot be tracked: there is no informer,
  // and the uid is unknown.
  [[nodiscard]] bool Deleted(const KindInfo& type, std::vector<Watching> watching,
                             const ObjectName& name, std::string_view uid);

  // Number of writes that some informer does not show yet.
  [[nodiscard]] std::size_t unseen() const;
  // Returns the informer, and the time of the answer, of the oldest write that one does not show.
  [[nodiscard]] std::optional<std::pair<std::string, SteadyTime>> OldestUnseen() const;

 private:
  // All versions and forms of a resource have the same objects and resourceVersions.
  using ResourceName = std::pair<std::string_view, std::string_view>;
  struct OfResource {
    // One per informer. Trackers of destroyed informers are kept for the next one.
    std::vector<std::shared_ptr<UnseenWrites>> trackers{};
    // The newest version written by this client.
    std::string newest{};
  };
  using Informers = std::vector<std::shared_ptr<InformerCore>>;

  static ResourceName NameOf(const KindInfo& type) { return {type.group, type.resource}; }
  std::shared_ptr<UnseenWrites> TrackerOf(OfResource& of,
                                          const std::shared_ptr<InformerCore>& informer)
      KINFORMER_REQUIRES(mutex_);
  // `held` must outlive the lock: the last handle of an informer must be released without it.
  static void Append(const OfResource& of, std::vector<Watching>& watching, Informers& held);

  Env& env_;
  const FactoryCore& factory_;
  mutable base::Mutex mutex_;
  std::map<ResourceName, OfResource> resources_ KINFORMER_GUARDED_BY(mutex_);
};

}  // namespace kinformer::internal::delegating

#endif  // KINFORMER_CONTROLLER_DELEGATING_WRITE_TRACKERS_H_
