// controller/delegating/delegating_state.h
//
// DelegatingState: what the copies of a DelegatingClient share, with the parts of its calls that
// wait for nothing.

#ifndef KINFORMER_CONTROLLER_DELEGATING_DELEGATING_STATE_H_
#define KINFORMER_CONTROLLER_DELEGATING_DELEGATING_STATE_H_

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/metrics.h"
#include "kinformer/internal/async_resource_core.h"
#include "kinformer/internal/delegating_client_core.h"

#include "base/core/deadline.h"
#include "base/core/mutex.h"
#include "base/loop/parked_waits.h"
#include "controller/delegating/blocked_reads.h"
#include "controller/delegating/joined_stop.h"
#include "controller/delegating/unseen_writes.h"
#include "controller/delegating/unsettled_writes.h"
#include "controller/delegating/write_trackers.h"
#include "controller/delegating/writes_under_way.h"
#include "controller/matching/known_matches.h"

namespace kinformer::internal::delegating {

// Where reads of a form are answered: by the server, or by the cache of an informer.
struct ReadSource {
  std::optional<LiveReader> live{};
  std::shared_ptr<UnseenWrites> unseen{};
  std::shared_ptr<InformerCore> informer{};
};

// Thread-safe. Blocks nowhere.
struct DelegatingState {
  // State for one form of a resource.
  struct View {
    std::optional<LiveReader> live{};        // set if it is read from the server
    std::shared_ptr<UnseenWrites> unseen{};  // else the unseen writes of its informer
  };

  DelegatingState(Client c, std::shared_ptr<SharedInformerFactory> f, DelegatingClientOptions o);

  const Client client;
  const std::shared_ptr<SharedInformerFactory> factory;
  const DelegatingClientOptions options;

  base::Mutex mutex;
  std::map<ObjectForm, View> views KINFORMER_GUARDED_BY(mutex);
  BlockedReads blocked;
  WriteTrackers trackers;
  UnsettledWrites unsettled{};
  const std::shared_ptr<WritesUnderWay> under_way;
  matching::KnownMatches matches;
  // Writes that were not sent, since they would have changed nothing.
  struct Matched {
    explicit Matched(MetricsSink& metrics);
    std::shared_ptr<Counter> updates;
    std::shared_ptr<Counter> patches;
    std::shared_ptr<Counter> applies;
  } matched;

  [[nodiscard]] Env& env() const { return client.env(); }
  [[nodiscard]] ResourceCore At(const KindInfo& type, std::string_view namespace_) const {
    return ResourceCore(client.core(), type, std::string(namespace_));
  }

  // ---- Limits
  [[nodiscard]] SteadyTime Deadline(const CallBounds& bounds, const CallOptions& call) const {
    if (call.timeout <= Duration(0)) return bounds.deadline;
    return std::min(bounds.deadline, base::After(env().Now(), call.timeout));
  }
  // Moves the timeout of the call, which begins now, into the bounds.
  void Begin(CallBounds& bounds, CallOptions& call) const {
    bounds.deadline = Deadline(bounds, call);
    call.timeout = {};
  }
  // Returns the options for a request, limited by the time left; an error if none is left.
  [[nodiscard]] Result<CallOptions> CallOf(const CallBounds& bounds, const CallOptions& call,
                                           const JoinedStop& stop) const;
  [[nodiscard]] ReadPatience PatienceOf(const CallBounds& bounds, const CallOptions& call) const {
    const SteadyTime most = base::After(env().Now(), options.read_your_writes_timeout);
    return {std::min(most, Deadline(bounds, call)), bounds.stop, call.stop};
  }

  // ---- Reads
  // Makes and starts the informer if there is none yet.
  [[nodiscard]] Result<ReadSource> SourceOf(const ObjectForm& form);
  // Returns the source of whole objects, if an informer of them has been started already.
  [[nodiscard]] std::optional<ReadSource> CachedSource(const KindInfo& type);
  // Whether the first list of the namespace is there, or need not be; empty: all namespaces.
  [[nodiscard]] static bool HasSynced(const ReadSource& source, std::string_view namespace_) {
    return source.informer->HasSynced() || BlockedReads::NeedsNoWait(*source.informer, namespace_);
  }
  // Returns the writes whose version must be read first. `which`: see UnsettledWrites::Find.
  [[nodiscard]] std::vector<UnsettledWrites::Entry> Unsettled(const KindInfo& type,
                                                              const ObjectName& which) const {
    if (!Waits() || unsettled.size() == 0) return {};
    return unsettled.Find(type, which);
  }
  // Whether a read on this thread has to wait for writes of other workers. Only those of reconciles
  // do, which can be put aside: a webhook that is asked about a write must not wait for its answer.
  [[nodiscard]] bool AwaitsOthers(const KindInfo& type, const ObjectName& which) const {
    return Waits() && base::ParkedWaits::Current() != nullptr && under_way->Concern(type, which);
  }
  // Whether a read of the cache has nothing to wait for. `which`: see UnseenWrites.
  [[nodiscard]] bool IsReady(const ReadSource& source, const KindInfo& type,
                             const ObjectName& which) const {
    return HasSynced(source, which.namespace_) && Unsettled(type, which).empty() &&
           (!Waits() || source.unseen->Shows(which)) && !AwaitsOthers(type, which);
  }

  // ---- Writes
  // Whether reads wait for writes.
  [[nodiscard]] bool Waits() const { return options.read_your_writes_timeout > Duration(0); }
  // Sets options of a write that the caller has left empty.
  template <class O>
  void Complete(O& of_write) const {
    if (options.dry_run) of_write.dryRun = {"All"};
    if constexpr (requires { of_write.fieldManager; }) {
      if (of_write.fieldManager.empty()) of_write.fieldManager = options.field_owner;
      if (of_write.fieldValidation.empty()) of_write.fieldValidation = options.field_validation;
    }
  }
  // Returns the trackers that must show the write that is about to be sent.
  [[nodiscard]] std::vector<Watching> BeginWrite(const KindInfo& type) {
    return Waits() ? trackers.Begin(type) : std::vector<Watching>();
  }
  // Records that the version must be read later: there is no cache yet. The next read does it.
  void SettleLater(const KindInfo& type, const ObjectName& name);

 private:
  [[nodiscard]] Result<ReadSource> NewSource(const ObjectForm& form);
};

}  // namespace kinformer::internal::delegating

#endif  // KINFORMER_CONTROLLER_DELEGATING_DELEGATING_STATE_H_
