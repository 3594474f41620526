#include "kinformer/internal/delegating_client_core.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "kinformer/internal/indexer_core.h"
#include "kinformer/json.h"

#include "base/deadline.h"
#include "base/mutex.h"
#include "cache/store/coverage.h"
#include "cache/store/resource_version.h"
#include "controller/client/applied_fields.h"
#include "controller/client/cached_list.h"
#include "controller/client/joined_stop.h"
#include "controller/client/unseen_writes.h"

namespace kinformer::internal {
namespace {

using delegating::JoinedStop;
using delegating::ReadPatience;
using delegating::UnseenWrites;

// All versions and forms of a resource show the same objects, and have the same resourceVersions.
using ResourceName = std::pair<std::string_view, std::string_view>;

ResourceName NameOf(const TypeInfo& type) { return {type.group, type.resource}; }

std::string Quoted(const TypeInfo& type, const ObjectName& name) {
  return std::string(type.resource) + " \"" + name.ToString() + '"';
}

}  // namespace

struct DelegatingClientCore::Impl {
  // One form of a resource.
  struct View {
    std::optional<LiveReader> live{};  // empty: it is read from the cache
    std::shared_ptr<UnseenWrites> unseen{};
  };
  // What a write was begun with: who is to show it, and the epoch of each.
  struct Watching {
    std::shared_ptr<UnseenWrites> unseen;
    std::uint64_t epoch;
  };

  Impl(Client c, std::shared_ptr<SharedInformerFactory> f, DelegatingClientOptions o)
      : client(std::move(c)), factory(std::move(f)), options(std::move(o)) {}

  const Client client;
  const std::shared_ptr<SharedInformerFactory> factory;
  const DelegatingClientOptions options;

  mutable base::Mutex mutex;
  std::map<ObjectForm, View> views KINFORMER_GUARDED_BY(mutex);
  // The newest version that has been written of each resource: an informer that begins later must
  // not begin before.
  std::map<ResourceName, std::string> newest KINFORMER_GUARDED_BY(mutex);

  [[nodiscard]] Env& env() const { return client.env(); }
  [[nodiscard]] ResourceCore At(const TypeInfo& type, std::string_view namespace_) const {
    return ResourceCore(client.core(), type, std::string(namespace_));
  }

  // ---- Reads
  // What reads of that form come from. With the informer, where that is a cache.
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
  // What a request may take; an error: nothing any more.
  Result<CallOptions> CallOf(const CallBounds& bounds, const CallOptions& call,
                             const JoinedStop& stop) const;
  // Until the first list is in the store, or what there is of that namespace; empty: of all.
  Result<void> WaitForSync(const Source& source, std::string_view namespace_,
                           const CallBounds& bounds, const CallOptions& call) const;
  [[nodiscard]] ReadPatience PatienceOf(const CallBounds& bounds, const CallOptions& call) const {
    const SteadyTime most = base::After(env().Now(), options.read_your_writes_timeout);
    return {std::min(most, Deadline(bounds, call)), bounds.stop, call.stop};
  }
  [[nodiscard]] bool Waits() const { return options.read_your_writes_timeout > Duration(0); }

  // ---- Writes
  // What a write does not say itself.
  template <class O>
  void Complete(O& of_write) const {
    if (options.dry_run) of_write.dryRun = {"All"};
    if constexpr (requires { of_write.fieldManager; }) {
      if (of_write.fieldManager.empty()) of_write.fieldManager = options.field_owner;
      if (of_write.fieldValidation.empty()) of_write.fieldValidation = options.field_validation;
    }
  }
  std::vector<Watching> Begin(const TypeInfo& type) const;
  // `answer`: the object, or a part of it that is of a kind of its own, or null.
  void Wrote(const TypeInfo& type, const std::vector<Watching>& watching, const ObjectRef& answer,
             const ObjectName& name, const CallOptions& call);
  // Sends a write, whose options are complete then, and notes what reads have to wait for. `name`:
  // of the object; without one the answer says it.
  template <class O, class Send>
  Result<ObjectRef> Write(const TypeInfo& type, const ObjectName& name, O of_write,
                          const CallBounds& bounds, const CallOptions& call, Send send);
};

template <class O, class Send>
Result<ObjectRef> DelegatingClientCore::Impl::Write(const TypeInfo& type, const ObjectName& name,
                                                    O of_write, const CallBounds& bounds,
                                                    const CallOptions& call, Send send) {
  const JoinedStop stop(bounds.stop, call.stop);
  const Result<CallOptions> left = CallOf(bounds, call, stop);
  if (!left) return left.error();
  Complete(of_write);
  const auto watching = Begin(type);
  Result<ObjectRef> answer = send(At(type, name.namespace_), of_write, *left);
  if (!answer || !of_write.dryRun.empty()) return answer;
  Wrote(type, watching, *answer, name.name.empty() ? internal::NameOf(**answer) : name, *left);
  return answer;
}

Result<CallOptions> DelegatingClientCore::Impl::CallOf(const CallBounds& bounds,
                                                       const CallOptions& call,
                                                       const JoinedStop& stop) const {
  CallOptions out{.stop = stop.token()};
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
  const TypeInfo& type = *form.type;
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
  std::string must_reach;
  {
    base::MutexLock lock(mutex);
    View& view = views[form];
    view.live = source->live;
    if (view.unseen == nullptr) {
      view.unseen = std::make_shared<UnseenWrites>(env());
      if (const auto found = newest.find(NameOf(*form.type)); found != newest.end()) {
        must_reach = found->second;
      }
    }
    source->unseen = view.unseen;
  }
  if (source->informer != nullptr) {
    source->unseen->Attach(source->informer);
    if (Waits()) source->unseen->MustReach(must_reach);
  }
  return source;
}

Result<void> DelegatingClientCore::Impl::WaitForSync(const Source& source,
                                                     std::string_view namespace_,
                                                     const CallBounds& bounds,
                                                     const CallOptions& call) const {
  if (source.informer->HasSynced()) return {};
  // What is known of one namespace need not wait for the others.
  const std::shared_ptr<const SnapshotCore> snapshot = source.informer->indexer().Snapshot();
  if (const cache::Coverage* coverage = snapshot->coverage()) {
    if (coverage->IsComplete(namespace_)) return {};
    if (!namespace_.empty() && !coverage->Includes(namespace_)) return {};
  }
  const JoinedStop stop(bounds.stop, call.stop);
  const Result<CallOptions> left = CallOf(bounds, call, stop);
  if (!left) return left.error();
  SyncWaitOptions patience;
  if (left->timeout > Duration(0)) patience.timeout = left->timeout;
  return internal::WaitForSync(env(), {source.informer}, left->stop, patience);
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
  base::MutexLock lock(impl_->mutex);
  std::size_t sum = 0;
  for (const auto& [form, view] : impl_->views) sum += view.unseen->size();
  return sum;
}

LiveReader DelegatingClientCore::Live(const TypeInfo& type) const {
  return LiveReader(impl_->At(type, ""), type, {});
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

Result<ObjectRef> DelegatingClientCore::Get(const ObjectForm& form, const ObjectName& name,
                                            const CallBounds& bounds, const CallOptions& call) {
  const TypeInfo& type = *form.type;
  const Result<Impl::Source> source = impl_->SourceOf(form);
  if (!source) return source.error();
  if (source->live) {
    const JoinedStop stop(bounds.stop, call.stop);
    const Result<CallOptions> left = impl_->CallOf(bounds, call, stop);
    if (!left) return left.error();
    return source->live->Get(name.namespace_, name.name, *left);
  }
  const std::shared_ptr<IndexerCore> cache = IndexerOf(source->informer);
  const auto read = [&] { return cache->GetOrWhyNot(type.resource, name.namespace_, name.name); };
  if (Result<void> synced = impl_->WaitForSync(*source, name.namespace_, bounds, call); !synced) {
    return std::move(synced).error().WithContext("reading " + Quoted(type, name));
  }
  if (impl_->Waits() && source->unseen->size() > 0) {
    const Result<void> seen = source->unseen->WaitFor(name, impl_->PatienceOf(bounds, call));
    if (!seen) return seen.error();
  }
  Result<ObjectRef> object = read();
  if (object) return object;
  if (Result<void> fits = CheckNamespace(type, name.namespace_, name.name); !fits) {
    return std::move(fits).error();
  }
  return object;
}

Result<std::vector<ObjectRef>> DelegatingClientCore::List(const ObjectForm& form,
                                                          const ReadOptions& options,
                                                          const CallBounds& bounds,
                                                          const CallOptions& call) {
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
  if (impl_->Waits() && source->unseen->size() > 0) {
    const Result<void> seen =
        source->unseen->WaitForAll(options.namespace_, impl_->PatienceOf(bounds, call));
    if (!seen) return seen.error();
  }
  return delegating::ListCached(*cache, resource, options);
}

// ---- Writes

std::vector<DelegatingClientCore::Impl::Watching> DelegatingClientCore::Impl::Begin(
    const TypeInfo& type) const {
  std::vector<Watching> watching;
  if (!Waits()) return watching;
  base::MutexLock lock(mutex);
  for (const auto& [form, view] : views) {
    if (view.live || NameOf(*form.type) != NameOf(type)) continue;
    const std::shared_ptr<InformerCore> informer = view.unseen->informer();
    if (informer != nullptr) watching.push_back({view.unseen, informer->Epochs()});
  }
  return watching;
}

void DelegatingClientCore::Impl::Wrote(const TypeInfo& type, const std::vector<Watching>& watching,
                                       const ObjectRef& answer, const ObjectName& name,
                                       const CallOptions& call) {
  ObjectRef object = answer;
  // Of a part that is of a kind of its own, or without a version: the object says what it is now.
  if (!watching.empty() &&
      (!object || object->resourceVersion().empty() || object->type().kind != type.kind)) {
    Result<ObjectRef> now = At(type, name.namespace_).Get(name.name, {}, call);
    if (!now && !IsNotFound(now.error())) {
      env().log().Log(LogLevel::kWarning,
                      "a write was answered without a resourceVersion, and the object could not be "
                      "read: reads do not wait for this write",
                      {{"object", Quoted(type, name)}, {"err", now.error().ToString()}});
      return;
    }
    if (!now) {
      for (const Watching& one : watching) one.unseen->Deleted(name, "", one.epoch);
      return;
    }
    object = *std::move(now);
  }
  if (!object || object->resourceVersion().empty()) return;
  for (const Watching& one : watching) one.unseen->Wrote(*object, one.epoch);
  base::MutexLock lock(mutex);
  std::string& version = newest[NameOf(type)];
  if (version.empty() || cache::IsOlderResourceVersion(version, object->resourceVersion())) {
    version = object->resourceVersion();
  }
}

Result<ObjectRef> DelegatingClientCore::Create(const TypeInfo& type, const RequestObject& object,
                                               CreateOptions options, const CallBounds& bounds,
                                               const CallOptions& call) {
  return impl_->Write(type, {object.namespace_, ""}, std::move(options), bounds, call,
                      [&](const ResourceCore& there, const auto& complete, const auto& left) {
                        return there.Create(object, complete, left);
                      });
}

Result<ObjectRef> DelegatingClientCore::Update(const TypeInfo& type, const RequestObject& object,
                                               std::string_view subresource, UpdateOptions options,
                                               const CallBounds& bounds, const CallOptions& call) {
  return impl_->Write(type, {object.namespace_, object.name}, std::move(options), bounds, call,
                      [&](const ResourceCore& there, const auto& complete, const auto& left) {
                        return there.Update(object, subresource, complete, left);
                      });
}

Result<ObjectRef> DelegatingClientCore::Patch(const TypeInfo& type, const ObjectName& name,
                                              const kinformer::Patch& patch,
                                              std::string_view subresource, PatchOptions options,
                                              const CallBounds& bounds, const CallOptions& call) {
  return impl_->Write(type, name, std::move(options), bounds, call,
                      [&](const ResourceCore& there, const auto& complete, const auto& left) {
                        return there.Patch(name.name, patch, subresource, complete, left);
                      });
}

Result<ObjectRef> DelegatingClientCore::Apply(const TypeInfo& type, const RequestObject& object,
                                              std::string_view subresource,
                                              const ApplyOptions& options, const CallBounds& bounds,
                                              const CallOptions& call) {
  return ApplyPart(type, {object.namespace_, object.name}, subresource, type, object, options,
                   bounds, call);
}

// ---- Parts

Result<ObjectRef> DelegatingClientCore::GetPart(const TypeInfo& type, const ObjectName& name,
                                                std::string_view subresource, const TypeInfo& part,
                                                const CallBounds& bounds, const CallOptions& call) {
  const JoinedStop stop(bounds.stop, call.stop);
  const Result<CallOptions> left = impl_->CallOf(bounds, call, stop);
  if (!left) return left.error();
  return impl_->At(type, name.namespace_).GetPart(name.name, subresource, part, *left);
}

Result<ObjectRef> DelegatingClientCore::CreatePart(const TypeInfo& type, const ObjectName& name,
                                                   std::string_view subresource,
                                                   const TypeInfo& part,
                                                   const RequestObject& object,
                                                   CreateOptions options, const CallBounds& bounds,
                                                   const CallOptions& call) {
  return impl_->Write(type, name, std::move(options), bounds, call,
                      [&](const ResourceCore& there, const auto& complete, const auto& left) {
                        return there.CreatePart(name.name, subresource, part, object, complete,
                                                left);
                      });
}

Result<ObjectRef> DelegatingClientCore::UpdatePart(const TypeInfo& type, const ObjectName& name,
                                                   std::string_view subresource,
                                                   const TypeInfo& part,
                                                   const RequestObject& object,
                                                   UpdateOptions options, const CallBounds& bounds,
                                                   const CallOptions& call) {
  return impl_->Write(type, name, std::move(options), bounds, call,
                      [&](const ResourceCore& there, const auto& complete, const auto& left) {
                        return there.UpdatePart(name.name, subresource, part, object, complete,
                                                left);
                      });
}

Result<ObjectRef> DelegatingClientCore::ApplyPart(const TypeInfo& type, const ObjectName& name,
                                                  std::string_view subresource,
                                                  const TypeInfo& part, const RequestObject& object,
                                                  const ApplyOptions& options,
                                                  const CallBounds& bounds,
                                                  const CallOptions& call) {
  Result<std::string> body = delegating::AppliedFields(part, object.json());
  if (!body) return std::move(body).error();
  return Patch(
      type, name, {PatchType::kApply, *std::move(body)}, subresource,
      {.dryRun = options.dryRun, .force = options.force, .fieldManager = options.fieldManager},
      bounds, call);
}

// ---- Deletions

Result<void> DelegatingClientCore::Delete(const TypeInfo& type, const ObjectName& name,
                                          DeleteOptions options, const CallBounds& bounds,
                                          const CallOptions& call) {
  const JoinedStop stop(bounds.stop, call.stop);
  const Result<CallOptions> left = impl_->CallOf(bounds, call, stop);
  if (!left) return left.error();
  impl_->Complete(options);
  const auto watching = impl_->Begin(type);
  const ResourceCore there = impl_->At(type, name.namespace_);
  if (watching.empty() || !options.dryRun.empty()) return there.Delete(name.name, options, *left);
  const Result<std::string> answer = there.DeleteForAnswer(name.name, options, *left);
  if (!answer) return answer.error();
  // A Status names the object in its details, any other answer is the object.
  const json::Value body = json::Parse(*answer).value_or(json::Value());
  std::string_view uid = body["metadata"]["uid"].StringOrEmpty();
  if (uid.empty()) uid = body["details"]["uid"].StringOrEmpty();
  for (const Impl::Watching& one : watching) one.unseen->Deleted(name, uid, one.epoch);
  return {};
}

Result<void> DelegatingClientCore::DeleteAllOf(const TypeInfo& type, const ReadOptions& which,
                                               DeleteOptions options, const CallBounds& bounds,
                                               const CallOptions& call) {
  const JoinedStop stop(bounds.stop, call.stop);
  const Result<CallOptions> left = impl_->CallOf(bounds, call, stop);
  if (!left) return left.error();
  if (which.limit > 0) {
    return Error(Reason::kInvalidArgument,
                 "a deletion of many has no limit: it is of all that match");
  }
  if (which.label_selector.MatchesNothing()) return {};
  impl_->Complete(options);
  const auto watching = impl_->Begin(type);
  Result<void> done = impl_->At(type, which.namespace_)
                          .DeleteCollection(options,
                                            {.labelSelector = which.label_selector.ToString(),
                                             .fieldSelector = which.field_selector.ToString()},
                                            *left);
  if (!done || !options.dryRun.empty()) return done;
  for (const Impl::Watching& one : watching) {
    const std::vector<ObjectName> unknown = one.unseen->DeletedAllOf(
        which.namespace_, which.label_selector, which.field_selector, one.epoch);
    for (const ObjectName& name : unknown) {
      impl_->Wrote(type, {one}, ObjectRef(), name, *left);
    }
  }
  return {};
}

}  // namespace kinformer::internal
