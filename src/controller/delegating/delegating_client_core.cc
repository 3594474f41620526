#include "kinformer/internal/delegating_client_core.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "kinformer/internal/indexer_core.h"

#include "base/core/deadline.h"
#include "base/core/mutex.h"
#include "controller/delegating/applied_fields.h"
#include "controller/delegating/blocked_reads.h"
#include "controller/delegating/cached_list.h"
#include "controller/delegating/joined_stop.h"
#include "controller/delegating/placement.h"
#include "controller/delegating/unseen_writes.h"
#include "controller/delegating/unsettled_writes.h"
#include "controller/delegating/write_trackers.h"

namespace kinformer::internal {
namespace {

using delegating::BlockedReads;
using delegating::JoinedStop;
using delegating::OfStoppedCache;
using delegating::Placed;
using delegating::PlacedName;
using delegating::PlacedRead;
using delegating::PlacedWrite;
using delegating::Quoted;
using delegating::ReadPatience;
using delegating::UnseenWrites;
using delegating::UnsettledWrites;
using delegating::Watching;
using delegating::WriteTrackers;

// Interval at which a wait for one namespace checks it while other namespaces are not synced.
constexpr Duration kLookAgain = std::chrono::milliseconds(100);

}  // namespace

struct DelegatingClientCore::Impl {
  // State for one form of a resource.
  struct View {
    std::optional<LiveReader> live{};        // set if it is read from the server
    std::shared_ptr<UnseenWrites> unseen{};  // else the unseen writes of its informer
  };

  Impl(Client c, std::shared_ptr<SharedInformerFactory> f, DelegatingClientOptions o)
      : client(std::move(c)),
        factory(std::move(f)),
        options(std::move(o)),
        blocked(client.env()),
        trackers(client.env(), factory->core()) {}

  const Client client;
  const std::shared_ptr<SharedInformerFactory> factory;
  const DelegatingClientOptions options;

  mutable base::Mutex mutex;
  std::map<ObjectForm, View> views KINFORMER_GUARDED_BY(mutex);
  mutable BlockedReads blocked;
  WriteTrackers trackers;
  UnsettledWrites unsettled{};

  [[nodiscard]] Env& env() const { return client.env(); }
  [[nodiscard]] ResourceCore At(const KindInfo& type, std::string_view namespace_) const {
    return ResourceCore(client.core(), type, std::string(namespace_));
  }

  // ---- Reads
  // Where reads of a form are answered: by the server, or by the cache of an informer.
  struct Source {
    std::optional<LiveReader> live{};
    std::shared_ptr<UnseenWrites> unseen{};
    std::shared_ptr<InformerCore> informer{};
  };
  Result<Source> SourceOf(const ObjectForm& form);
  Result<Source> NewSource(const ObjectForm& form);
  [[nodiscard]] SteadyTime Deadline(const CallBounds& bounds, const CallOptions& call) const {
    if (call.timeout <= Duration(0)) return bounds.deadline;
    return std::min(bounds.deadline, base::After(env().Now(), call.timeout));
  }
  // Returns the options for a request, limited by the time left; an error if none is left.
  Result<CallOptions> CallOf(const CallBounds& bounds, const CallOptions& call,
                             const JoinedStop& stop) const;
  // Waits for the first list of the namespace; empty means all namespaces.
  Result<void> WaitForSync(const Source& source, std::string_view namespace_,
                           const CallBounds& bounds, const CallOptions& call) const;
  [[nodiscard]] ReadPatience PatienceUntil(SteadyTime deadline, const CallBounds& bounds,
                                           const CallOptions& call) const {
    const SteadyTime most = base::After(env().Now(), options.read_your_writes_timeout);
    return {std::min(most, deadline), bounds.stop, call.stop};
  }
  [[nodiscard]] ReadPatience PatienceOf(const CallBounds& bounds, const CallOptions& call) const {
    return PatienceUntil(Deadline(bounds, call), bounds, call);
  }
  // Reads from the server the versions of writes whose version is unknown, so that reads can wait
  // for them. kStale: no answer in time. `which`: see UnsettledWrites::Find.
  Result<void> SettleWrites(const KindInfo& type, const ObjectName& which, const CallBounds& bounds,
                            const CallOptions& call);
  [[nodiscard]] bool Waits() const { return options.read_your_writes_timeout > Duration(0); }

  // ---- Writes
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
  std::vector<Watching> Begin(const KindInfo& type) {
    return Waits() ? trackers.Begin(type) : std::vector<Watching>();
  }
  // `answer`: the object, a part of it with a kind of its own, or null. `patience`: limits for the
  // GET that may be necessary.
  void Wrote(const KindInfo& type, std::vector<Watching> watching, const ObjectRef& answer,
             const ObjectName& name, const ReadPatience& patience);
  // Reads the object from the server: that version is the written one or a later one, so the
  // trackers wait for it. On an error nothing is recorded.
  Result<void> Settle(const KindInfo& type, const std::vector<Watching>& watching,
                      const ObjectName& name, const ReadPatience& patience);
  // Records that the version must be read later: there is no cache yet. The next read does it.
  void SettleLater(const KindInfo& type, const ObjectName& name);
  // Completes the options of a write, sends it, and records what reads have to wait for. `name`:
  // name of the object; if it is empty, the answer has it.
  template <class O, class Send>
  Result<ObjectRef> Write(const KindInfo& type, const ObjectName& name, O of_write,
                          const CallBounds& bounds, const CallOptions& call, Send send);
};

template <class O, class Send>
Result<ObjectRef> DelegatingClientCore::Impl::Write(const KindInfo& type, const ObjectName& name,
                                                    O of_write, const CallBounds& bounds,
                                                    const CallOptions& call, Send send) {
  const JoinedStop stop(bounds.stop, call.stop);
  const Result<CallOptions> left = CallOf(bounds, call, stop);
  if (!left) return left.error();
  const Result<ObjectName> placed =
      PlacedWrite(type, name, bounds.namespace_, "its namespace (metadata.namespace)");
  if (!placed) return placed.error();
  Complete(of_write);
  // The deadline counts from now, however much of it the write uses.
  const SteadyTime deadline = Deadline(bounds, call);
  const auto watching = Begin(type);
  Result<ObjectRef> answer = send(At(type, placed->namespace_), of_write, *left);
  if (!answer || !of_write.dryRun.empty()) return answer;
  Wrote(type, watching, *answer, name.name.empty() ? internal::NameOf(**answer) : *placed,
        PatienceUntil(deadline, bounds, call));
  return answer;
}

Result<CallOptions> DelegatingClientCore::Impl::CallOf(const CallBounds& bounds,
                                                       const CallOptions& call,
                                                       const JoinedStop& stop) const {
  CallOptions out = call;
  out.stop = stop.token();
  out.timeout = {};
  if (out.traceparent.empty() && out.tracestate.empty()) {
    out.traceparent = bounds.traceparent;
    out.tracestate = bounds.tracestate;
  }
  const SteadyTime deadline = Deadline(bounds, call);
  if (deadline == SteadyTime::max()) return out;
  out.timeout = deadline - env().Now();
  if (out.timeout <= Duration(0)) {
    return Error(Reason::kDeadlineExceeded, "the caller's time is up, so nothing was sent");
  }
  return out;
}

Result<DelegatingClientCore::Impl::Source> DelegatingClientCore::Impl::NewSource(
    const ObjectForm& form) {
  const KindInfo& type = *form.type;
  FactoryCore& informers = factory->core();
  if (form.live) return Source{.live = LiveReader(At(type, ""), type, {})};
  if (!form.metadata_only) {
    if (auto live = informers.LiveReaderOf(type)) return Source{.live = std::move(live)};
  }
  std::shared_ptr<InformerCore> informer = options.reader_fail_on_missing_informer
                                               ? informers.Find(type, form.metadata_only)
                                               : informers.Get(type, {}, form.metadata_only);
  if (informer == nullptr) {
    return Error(Reason::kInvalidArgument,
                 std::string(type.resource) +
                     " are not cached: nobody has asked for their informer, and "
                     "reader_fail_on_missing_informer is set; ask the factory for it, or read "
                     "through APIReader");
  }
  if (!informer->HasStarted()) informer->Start();
  return Source{.informer = std::move(informer)};
}

Result<DelegatingClientCore::Impl::Source> DelegatingClientCore::Impl::SourceOf(
    const ObjectForm& form) {
  {
    base::MutexLock lock(mutex);
    if (const auto found = views.find(form); found != views.end()) {
      const View& view = found->second;
      if (view.live) return Source{.live = view.live};
      if (std::shared_ptr<InformerCore> informer = view.unseen->informer()) {
        return Source{.unseen = view.unseen, .informer = std::move(informer)};
      }
    }
  }
  Result<Source> source = NewSource(form);
  if (!source) return source;
  if (source->informer != nullptr) source->unseen = trackers.Of(*form.type, source->informer);
  base::MutexLock lock(mutex);
  views[form] = {.live = source->live, .unseen = source->unseen};
  return source;
}

Result<void> DelegatingClientCore::Impl::WaitForSync(const Source& source,
                                                     std::string_view namespace_,
                                                     const CallBounds& bounds,
                                                     const CallOptions& call) const {
  if (source.informer->HasSynced() || BlockedReads::NeedsNoWait(*source.informer, namespace_))
    return {};
  const JoinedStop stop(bounds.stop, call.stop);
  const Result<CallOptions> left = CallOf(bounds, call, stop);
  if (!left) return left.error();
  const SteadyTime deadline =
      left->timeout > Duration(0) ? base::After(env().Now(), left->timeout) : SteadyTime::max();
  while (true) {
    const Duration most = std::min<Duration>(kLookAgain, deadline - env().Now());
    Result<void> synced =
        internal::WaitForSync(env(), {source.informer}, left->stop, {.timeout = most});
    if (synced) return synced;
    const bool goes_on = synced.error().reason() == Reason::kDeadlineExceeded;
    if (goes_on && BlockedReads::NeedsNoWait(*source.informer, namespace_)) return {};
    const std::string_view refused = blocked.WhyRefused(*source.informer);
    if (goes_on && env().Now() < deadline) continue;
    if (refused.empty()) return synced;
    return Error(synced.error().reason(), synced.error().message() + "; " + std::string(refused));
  }
}

// ---- The core

DelegatingClientCore::DelegatingClientCore(Client client,
                                           std::shared_ptr<SharedInformerFactory> factory,
                                           DelegatingClientOptions options)
    : impl_(std::make_unique<Impl>(std::move(client), std::move(factory), std::move(options))) {}

DelegatingClientCore::~DelegatingClientCore() = default;

const DelegatingClientOptions& DelegatingClientCore::options() const { return impl_->options; }

const Client& DelegatingClientCore::client() const { return impl_->client; }

std::size_t DelegatingClientCore::unseen_writes() const {
  return impl_->trackers.unseen() + impl_->unsettled.size();
}

LiveReader DelegatingClientCore::Live(const KindInfo& type, const CallBounds& bounds) const {
  return LiveReader(impl_->At(type, ""), type, {}).In(bounds.namespace_);
}

Result<std::shared_ptr<InformerCore>> DelegatingClientCore::Informer(const ObjectForm& form) {
  Result<Impl::Source> source = impl_->SourceOf(form);
  if (!source) return std::move(source).error();
  if (source->informer != nullptr) return std::move(source->informer);
  return Error(Reason::kInvalidArgument, std::string(form.type->resource) +
                                             " are read from the server: there is no informer");
}

Result<void> DelegatingClientCore::IndexField(const ObjectForm& form, std::string_view field,
                                              IndexFunction function) {
  const Result<std::shared_ptr<InformerCore>> informer = Informer(form);
  if (!informer) return informer.error();
  return AddIndexesTo(**informer, {{delegating::IndexOfField(field), std::move(function)}}, false);
}

Result<ObjectRef> DelegatingClientCore::Get(const ObjectForm& form, const ObjectName& asked,
                                            const CallBounds& bounds, const CallOptions& call) {
  const KindInfo& type = *form.type;
  const Result<ObjectName> placed = PlacedRead(type, asked, bounds.namespace_);
  if (!placed) return placed.error();
  const ObjectName& name = *placed;
  const Result<Impl::Source> source = impl_->SourceOf(form);
  if (!source) return source.error();
  if (source->live) {
    const JoinedStop stop(bounds.stop, call.stop);
    const Result<CallOptions> left = impl_->CallOf(bounds, call, stop);
    if (!left) return left.error();
    return source->live->Get(name.namespace_, name.name, *left);
  }
  const std::shared_ptr<IndexerCore> cache = IndexerOf(source->informer);
  if (Result<void> synced = impl_->WaitForSync(*source, name.namespace_, bounds, call); !synced) {
    return std::move(synced).error().WithContext("reading " + Quoted(type, name));
  }
  if (Result<void> settled = impl_->SettleWrites(type, name, bounds, call); !settled) {
    return std::move(settled).error();
  }
  if (impl_->Waits() && source->unseen->size() > 0) {
    const Result<void> seen = source->unseen->WaitFor(name, impl_->PatienceOf(bounds, call));
    if (!seen) return seen.error();
  }
  Result<ObjectRef> object = cache->GetOrWhyNot(type.resource, name.namespace_, name.name);
  if (object) return object;
  return OfStoppedCache(std::move(object).error(), type);
}

Result<std::vector<ObjectRef>> DelegatingClientCore::List(const ObjectForm& form,
                                                          const ReadOptions& asked,
                                                          const CallBounds& bounds,
                                                          const CallOptions& call) {
  const Result<ObjectName> placed = Placed(*form.type, {asked.namespace_, ""}, bounds.namespace_);
  if (!placed) return placed.error();
  ReadOptions options = asked;
  options.namespace_ = placed->namespace_;
  const Result<Impl::Source> source = impl_->SourceOf(form);
  if (!source) return source.error();
  if (source->live) {
    const JoinedStop stop(bounds.stop, call.stop);
    const Result<CallOptions> left = impl_->CallOf(bounds, call, stop);
    if (!left) return left.error();
    return source->live->List(options.namespace_, options.label_selector, *left,
                              options.field_selector, options.limit);
  }
  const std::shared_ptr<IndexerCore> cache = IndexerOf(source->informer);
  const std::string_view resource = form.type->resource;
  const Result<void> synced = impl_->WaitForSync(*source, options.namespace_, bounds, call);
  if (!synced) return Error(synced.error()).WithContext("listing " + std::string(resource));
  const Result<void> settled =
      impl_->SettleWrites(*form.type, {options.namespace_, ""}, bounds, call);
  if (!settled) return settled.error();
  if (impl_->Waits() && source->unseen->size() > 0) {
    const Result<void> seen =
        source->unseen->WaitForAll(options.namespace_, impl_->PatienceOf(bounds, call));
    if (!seen) return seen.error();
  }
  Result<std::vector<ObjectRef>> all = delegating::ListCached(*cache, resource, options);
  if (all) return all;
  return OfStoppedCache(std::move(all).error(), *form.type);
}

// ---- Writes

void DelegatingClientCore::Impl::Wrote(const KindInfo& type, std::vector<Watching> watching,
                                       const ObjectRef& answer, const ObjectName& name,
                                       const ReadPatience& patience) {
  if (!Waits()) return;
  trackers.Complete(type, watching);
  // The answer's version is usable only if it is an object of the type, or if no cache is affected.
  // Otherwise the object is read again.
  const bool has_version = answer && !answer->resourceVersion().empty();
  if (has_version && (watching.empty() || answer->type().kind == type.kind)) {
    return trackers.Wrote(type, std::move(watching), *answer);
  }
  if (watching.empty()) return SettleLater(type, name);
  const Result<void> settled = Settle(type, watching, name, patience);
  if (settled) return;
  if (delegating::MayPass(settled.error()) && unsettled.Add(type, name)) return;
  env().log().Log(LogLevel::kWarning,
                  "a write was answered without a resourceVersion, and the object cannot be read: "
                  "reads do not wait for this write",
                  {{"object", Quoted(type, name)}, {"err", settled.error().ToString()}});
}

void DelegatingClientCore::Impl::SettleLater(const KindInfo& type, const ObjectName& name) {
  if (!Waits() || factory->core().LiveReaderOf(type)) return;
  // If it is full, the client writes a lot and has no cache, so a log each time would not help.
  static_cast<void>(unsettled.Add(type, name));
}

Result<void> DelegatingClientCore::Impl::Settle(const KindInfo& type,
                                                const std::vector<Watching>& watching,
                                                const ObjectName& name,
                                                const ReadPatience& patience) {
  const JoinedStop stop(patience.stop, patience.other_stop);
  const Duration left = patience.deadline - env().Now();
  if (left <= Duration(0)) return Error(Reason::kDeadlineExceeded, "the caller's time is up");
  const Result<ObjectRef> now =
      At(type, name.namespace_).Get(name.name, {}, {.stop = stop.token(), .timeout = left});
  if (now) {
    if (!(*now)->resourceVersion().empty()) trackers.Wrote(type, watching, **now);
    return {};
  }
  if (!IsNotFound(now.error())) return now.error();
  static_cast<void>(trackers.Deleted(type, watching, name, ""));
  return {};
}

Result<void> DelegatingClientCore::Impl::SettleWrites(const KindInfo& type, const ObjectName& which,
                                                      const CallBounds& bounds,
                                                      const CallOptions& call) {
  if (!Waits() || unsettled.size() == 0) return {};
  const ReadPatience patience = PatienceOf(bounds, call);
  for (const UnsettledWrites::Entry& entry : unsettled.Find(type, which)) {
    const Result<void> settled = Settle(*entry.type, Begin(type), entry.name, patience);
    if (settled) {
      unsettled.Settled(entry);
      continue;
    }
    const Error& error = settled.error();
    if (!delegating::MayPass(error)) {
      env().log().Log(LogLevel::kWarning,
                      "an object cannot be read: reads do not wait for what was written to it",
                      {{"object", Quoted(type, entry.name)}, {"err", error.ToString()}});
      unsettled.Settled(entry);
      continue;
    }
    const bool theirs =
        error.reason() == Reason::kCanceled || error.reason() == Reason::kWouldDeadlock;
    return Error(theirs ? error.reason() : Reason::kStale,
                 "this client wrote to " + Quoted(type, entry.name) +
                     ", the answer had no resourceVersion, and what the server has now could not "
                     "be read: " +
                     error.ToString() + "; try again later");
  }
  return {};
}

Result<ObjectRef> DelegatingClientCore::Create(const KindInfo& type, const RequestObject& object,
                                               const CreateOptions& options,
                                               const CallBounds& bounds, const CallOptions& call) {
  return impl_->Write(type, {object.namespace_, ""}, options, bounds, call,
                      [&](const ResourceCore& there, const auto& complete, const auto& left) {
                        return there.Create(object, complete, left);
                      });
}

Result<ObjectRef> DelegatingClientCore::Update(const KindInfo& type, const RequestObject& object,
                                               std::string_view subresource,
                                               const UpdateOptions& options,
                                               const CallBounds& bounds, const CallOptions& call) {
  return impl_->Write(type, {object.namespace_, object.name}, options, bounds, call,
                      [&](const ResourceCore& there, const auto& complete, const auto& left) {
                        return there.Update(object, subresource, complete, left);
                      });
}

Result<ObjectRef> DelegatingClientCore::Patch(const KindInfo& type, const ObjectName& name,
                                              const kinformer::Patch& patch,
                                              std::string_view subresource,
                                              const PatchOptions& options, const CallBounds& bounds,
                                              const CallOptions& call) {
  return impl_->Write(type, name, options, bounds, call,
                      [&](const ResourceCore& there, const auto& complete, const auto& left) {
                        return there.Patch(name.name, patch, subresource, complete, left);
                      });
}

Result<ObjectRef> DelegatingClientCore::Apply(const KindInfo& type, const RequestObject& object,
                                              std::string_view subresource,
                                              const ApplyOptions& options, const CallBounds& bounds,
                                              const CallOptions& call) {
  return ApplyPart(type, {object.namespace_, object.name}, subresource, type, object, options,
                   bounds, call);
}

// ---- Parts

Result<ObjectRef> DelegatingClientCore::GetPart(const KindInfo& type, const ObjectName& name,
                                                std::string_view subresource, const KindInfo& part,
                                                const CallBounds& bounds, const CallOptions& call) {
  const JoinedStop stop(bounds.stop, call.stop);
  const Result<CallOptions> left = impl_->CallOf(bounds, call, stop);
  if (!left) return left.error();
  const Result<ObjectName> placed = PlacedName(type, name, bounds.namespace_);
  if (!placed) return placed.error();
  return impl_->At(type, placed->namespace_).GetPart(name.name, subresource, part, *left);
}

Result<ObjectRef> DelegatingClientCore::CreatePart(
    const KindInfo& type, const ObjectName& name, std::string_view subresource,
    const KindInfo& part, const RequestObject& object, const CreateOptions& options,
    const CallBounds& bounds, const CallOptions& call) {
  return impl_->Write(type, name, options, bounds, call,
                      [&](const ResourceCore& there, const auto& complete, const auto& left) {
                        return there.CreatePart(name.name, subresource, part, object, complete,
                                                left);
                      });
}

Result<ObjectRef> DelegatingClientCore::UpdatePart(
    const KindInfo& type, const ObjectName& name, std::string_view subresource,
    const KindInfo& part, const RequestObject& object, const UpdateOptions& options,
    const CallBounds& bounds, const CallOptions& call) {
  return impl_->Write(type, name, options, bounds, call,
                      [&](const ResourceCore& there, const auto& complete, const auto& left) {
                        return there.UpdatePart(name.name, subresource, part, object, complete,
                                                left);
                      });
}

Result<ObjectRef> DelegatingClientCore::ApplyPart(const KindInfo& type, const ObjectName& name,
                                                  std::string_view subresource,
                                                  const KindInfo& part, const RequestObject& object,
                                                  const ApplyOptions& options,
                                                  const CallBounds& bounds,
                                                  const CallOptions& call) {
  if (options.fieldManager.empty() && impl_->options.field_owner.empty()) {
    return Error(Reason::kInvalidArgument,
                 "server-side apply needs ApplyOptions::fieldManager, or "
                 "DelegatingClientOptions::field_owner for all writes: who owns the fields");
  }
  Result<std::string> body = delegating::AppliedFields(part, object.json());
  if (!body) return std::move(body).error();
  return Patch(
      type, name, {PatchType::kApply, *std::move(body)}, subresource,
      {.dryRun = options.dryRun, .force = options.force, .fieldManager = options.fieldManager},
      bounds, call);
}

// ---- Deletions

Result<void> DelegatingClientCore::Delete(const KindInfo& type, const ObjectName& asked,
                                          const DeleteOptions& given, const CallBounds& bounds,
                                          const CallOptions& call) {
  const Result<DeletionAnswer> answer = DeleteForAnswer(type, asked, given, bounds, call);
  // An answer that cannot be read is one to a delete that has worked.
  if (!answer && answer.error().reason() != Reason::kDecode) return answer.error();
  return {};
}

Result<DeletionAnswer> DelegatingClientCore::DeleteForAnswer(const KindInfo& type,
                                                             const ObjectName& asked,
                                                             const DeleteOptions& given,
                                                             const CallBounds& bounds,
                                                             const CallOptions& call) {
  const JoinedStop stop(bounds.stop, call.stop);
  const Result<CallOptions> left = impl_->CallOf(bounds, call, stop);
  if (!left) return left.error();
  const Result<ObjectName> placed = PlacedName(type, asked, bounds.namespace_);
  if (!placed) return placed.error();
  const ObjectName& name = *placed;
  DeleteOptions options = given;
  impl_->Complete(options);
  const auto watching = impl_->Begin(type);
  Result<DeletionAnswer> answer =
      impl_->At(type, name.namespace_).DeleteForAnswer(name.name, options, *left);
  if (!impl_->Waits() || !options.dryRun.empty()) return answer;
  if (!answer && answer.error().reason() != Reason::kDecode) return answer;
  const std::string uid = answer ? answer->uid : "";
  if (!impl_->trackers.Deleted(type, watching, name, uid)) impl_->SettleLater(type, name);
  return answer;
}

Result<void> DelegatingClientCore::DeleteAllOf(const KindInfo& type, const ReadOptions& which,
                                               const DeleteOptions& given, const CallBounds& bounds,
                                               const CallOptions& call) {
  const JoinedStop stop(bounds.stop, call.stop);
  const Result<CallOptions> left = impl_->CallOf(bounds, call, stop);
  if (!left) return left.error();
  if (which.limit > 0) {
    return Error(Reason::kInvalidArgument,
                 "a deletion of many has no limit: it is of all that match");
  }
  const Result<ObjectName> placed =
      PlacedWrite(type, {which.namespace_, ""}, bounds.namespace_, "ReadOptions::namespace_");
  if (!placed) return placed.error();
  const std::string& where = placed->namespace_;
  if (which.label_selector.MatchesNothing()) return {};
  DeleteOptions options = given;
  impl_->Complete(options);
  const SteadyTime deadline = impl_->Deadline(bounds, call);
  auto watching = impl_->Begin(type);
  std::vector<std::shared_ptr<const SnapshotCore>> before;
  before.reserve(watching.size());
  for (const Watching& one : watching) before.push_back(one.unseen->Snapshot());
  Result<void> done = impl_->At(type, where)
                          .DeleteCollection(options,
                                            {.labelSelector = which.label_selector.ToString(),
                                             .fieldSelector = which.field_selector.ToString()},
                                            *left);
  if (!done || !options.dryRun.empty() || !impl_->Waits()) return done;
  impl_->trackers.Complete(type, watching);
  before.resize(watching.size());
  for (std::size_t i = 0; i < watching.size(); ++i) {
    const Watching& one = watching[i];
    const std::vector<ObjectName> unknown = one.unseen->DeletedAllOf(
        where, which.label_selector, which.field_selector, one.epoch, before[i].get());
    for (const ObjectName& name : unknown) {
      impl_->Wrote(type, {one}, ObjectRef(), name, impl_->PatienceUntil(deadline, bounds, call));
    }
  }
  return {};
}

}  // namespace kinformer::internal
