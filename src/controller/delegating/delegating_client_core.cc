#include "kinformer/internal/delegating_client_core.h"

#include <utility>

#include "kinformer/base/task.h"
#include "kinformer/internal/async_delegating_client_core.h"
#include "kinformer/internal/indexer_core.h"
#include "kinformer/internal/written_struct.h"

#include "controller/causes/noted_writes.h"
#include "controller/delegating/cached_list.h"
#include "controller/delegating/cached_reads.h"
#include "controller/delegating/delegating_state.h"
#include "controller/delegating/read_waits.h"
#include "controller/delegating/watched_write.h"
#include "controller/delegating/write_match.h"

namespace kinformer::internal {

using delegating::AppliedObject;
using delegating::DelegatingState;
using delegating::JoinedStop;
using delegating::MatchedPatch;
using delegating::MatchedUpdate;
using delegating::ReadPlace;
using delegating::WatchedWrite;

namespace {

// Tells the reconcile that runs on this thread, if one does, of an object that it has written.
template <class Options>
Result<ObjectRef> Noted(const Env& env, std::string_view verb, const KindInfo& type,
                        const Options& options, Result<ObjectRef> written) {
  NotedWrites* const writes = NotedWrites::Current();
  if (writes == nullptr || !written || !*written || !options.dryRun.empty()) return written;
  const Block& now = **written;
  writes->Note({verb, &type, ObjectName{std::string(now.namespace_()), std::string(now.name())},
                std::string(now.resourceVersion()), env.Now()});
  return written;
}

}  // namespace

DelegatingClientCore::DelegatingClientCore(Client client,
                                           std::shared_ptr<SharedInformerFactory> factory,
                                           DelegatingClientOptions options)
    : state_(std::make_shared<DelegatingState>(std::move(client), std::move(factory),
                                               std::move(options))) {}

DelegatingClientCore::~DelegatingClientCore() = default;

AsyncDelegatingClientCore DelegatingClientCore::async() const {
  return AsyncDelegatingClientCore(state_);
}

Env& DelegatingClientCore::env() const { return state_->env(); }

const DelegatingClientOptions& DelegatingClientCore::options() const { return state_->options; }

const Client& DelegatingClientCore::client() const { return state_->client; }

std::size_t DelegatingClientCore::unseen_writes() const {
  return state_->trackers.unseen() + state_->unsettled.size();
}

std::optional<std::pair<std::string, Duration>> DelegatingClientCore::oldest_unseen_write() const {
  const auto oldest = state_->trackers.OldestUnseen();
  if (!oldest) return std::nullopt;
  return std::pair(oldest->first, Duration(env().Now() - oldest->second));
}

LiveReader DelegatingClientCore::Live(const KindInfo& type, const CallBounds& bounds) const {
  return LiveReader(state_->At(type, ""), type, {}).In(bounds.namespace_);
}

Result<std::shared_ptr<InformerCore>> DelegatingClientCore::Informer(const ObjectForm& form) {
  Result<delegating::ReadSource> source = state_->SourceOf(form);
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

// ---- Reads. Without a wait, they need no task.

Result<ObjectRef> DelegatingClientCore::Get(const ObjectForm& form, const ObjectName& asked,
                                            const CallBounds& bounds, const CallOptions& call) {
  const KindInfo& type = *form.type;
  const Result<ReadPlace> place = PlaceOfGet(*state_, form, asked, bounds);
  if (!place) return place.error();
  const ObjectName& which = place->which;
  if (place->source.live) {
    const JoinedStop stop(bounds.stop, call.stop);
    const Result<CallOptions> left = state_->CallOf(bounds, call, stop);
    if (!left) return left.error();
    return place->source.live->Get(which.namespace_, which.name, *left);
  }
  if (!state_->IsReady(place->source, type, which)) {
    if (!env().OnLoopThread()) return BlockOn(env(), async().Get(form, asked, bounds, call));
    const Result<void> readable = ReadableOnLoop(*state_, place->source, type, which, bounds, call);
    if (!readable) return readable.error();
  }
  return CachedObjectAt(*place, type);
}

Result<std::vector<ObjectRef>> DelegatingClientCore::List(const ObjectForm& form,
                                                          const ReadOptions& asked,
                                                          const CallBounds& bounds,
                                                          const CallOptions& call) {
  const KindInfo& type = *form.type;
  const Result<ReadPlace> place = PlaceOfList(*state_, form, asked, bounds);
  if (!place) return place.error();
  if (place->source.live) {
    const JoinedStop stop(bounds.stop, call.stop);
    const Result<CallOptions> left = state_->CallOf(bounds, call, stop);
    if (!left) return left.error();
    return place->source.live->List(place->which.namespace_, asked.label_selector, *left,
                                    asked.field_selector, asked.limit);
  }
  if (!state_->IsReady(place->source, type, place->which)) {
    if (!env().OnLoopThread()) return BlockOn(env(), async().List(form, asked, bounds, call));
    const Result<void> readable =
        ReadableOnLoop(*state_, place->source, type, place->which, bounds, call);
    if (!readable) return readable.error();
  }
  return CachedListAt(*place, type, asked);
}

// ---- Writes. Those that match the cache need no task.

namespace {

CallBounds Compared(CallBounds bounds) {
  bounds.compared = true;
  return bounds;
}

}  // namespace

Result<ObjectRef> DelegatingClientCore::Create(const KindInfo& type, RequestObject object,
                                               const CreateOptions& options,
                                               const CallBounds& bounds, const CallOptions& call) {
  const WatchedWrite watched(*state_, type, {}, "", bounds, !options.dryRun.empty());
  return watched.Answered(
      Noted(env(), "create", type, options,
            BlockOn(env(), async().Create(type, std::move(object), options, bounds, call))));
}

Result<ObjectRef> DelegatingClientCore::Update(const KindInfo& type, RequestObject object,
                                               std::string_view subresource,
                                               const UpdateOptions& options,
                                               const CallBounds& bounds, const CallOptions& call) {
  if (env().OnLoopThread()) {
    return BlockOn(env(), async().Update(type, std::move(object), std::string(subresource), options,
                                         bounds, call));
  }
  if (ObjectRef same = MatchedUpdate(*state_, type, object, subresource, options, bounds)) {
    return same;
  }
  WatchedWrite watched(*state_, type, {object.namespace_, object.name}, subresource, bounds,
                       !options.dryRun.empty());
  watched.Update(object);
  return watched.Answered(
      Noted(env(), "update", type, options,
            BlockOn(env(), async().Update(type, std::move(object), std::string(subresource),
                                          options, Compared(bounds), call))));
}

Result<ObjectRef> DelegatingClientCore::Update(const KindInfo& type, const WrittenStruct& object,
                                               std::string_view subresource,
                                               const UpdateOptions& options,
                                               const CallBounds& bounds, const CallOptions& call) {
  if (!env().OnLoopThread()) {
    if (ObjectRef same = MatchedUpdate(*state_, type, object, subresource, options, bounds)) {
      return same;
    }
  }
  return Update(type, object.Request(), subresource, options, bounds, call);
}

Result<ObjectRef> DelegatingClientCore::Patch(const KindInfo& type, const ObjectName& name,
                                              const kinformer::Patch& patch,
                                              std::string_view subresource,
                                              const PatchOptions& options, const CallBounds& bounds,
                                              const CallOptions& call) {
  if (env().OnLoopThread()) {
    return BlockOn(
        env(), async().Patch(type, name, patch, std::string(subresource), options, bounds, call));
  }
  if (ObjectRef same = MatchedPatch(*state_, type, name, patch, subresource, options, bounds)) {
    return same;
  }
  WatchedWrite watched(*state_, type, name, subresource, bounds, !options.dryRun.empty());
  watched.Patch(patch);
  return watched.Answered(
      Noted(env(), "patch", type, options,
            BlockOn(env(), async().Patch(type, name, patch, std::string(subresource), options,
                                         Compared(bounds), call))));
}

Result<ObjectRef> DelegatingClientCore::Apply(const KindInfo& type, RequestObject object,
                                              std::string_view subresource,
                                              const ApplyOptions& options, const CallBounds& bounds,
                                              const CallOptions& call) {
  const ObjectName name{object.namespace_, object.name};
  return ApplyPart(type, name, subresource, type, std::move(object), options, bounds, call);
}

// ---- Parts

Result<ObjectRef> DelegatingClientCore::GetPart(const KindInfo& type, const ObjectName& name,
                                                std::string_view subresource, const KindInfo& part,
                                                const CallBounds& bounds, const CallOptions& call) {
  return BlockOn(env(), async().GetPart(type, name, std::string(subresource), part, bounds, call));
}

Result<ObjectRef> DelegatingClientCore::CreatePart(const KindInfo& type, const ObjectName& name,
                                                   std::string_view subresource,
                                                   const KindInfo& part, RequestObject object,
                                                   const CreateOptions& options,
                                                   const CallBounds& bounds,
                                                   const CallOptions& call) {
  return BlockOn(env(), async().SendPart("POST", type, name, std::string(subresource), part,
                                         std::move(object), options, bounds, call));
}

Result<ObjectRef> DelegatingClientCore::UpdatePart(const KindInfo& type, const ObjectName& name,
                                                   std::string_view subresource,
                                                   const KindInfo& part, RequestObject object,
                                                   const UpdateOptions& options,
                                                   const CallBounds& bounds,
                                                   const CallOptions& call) {
  return BlockOn(env(), async().SendPart("PUT", type, name, std::string(subresource), part,
                                         std::move(object), options, bounds, call));
}

Result<ObjectRef> DelegatingClientCore::ApplyPart(const KindInfo& type, const ObjectName& name,
                                                  std::string_view subresource,
                                                  const KindInfo& part, RequestObject object,
                                                  const ApplyOptions& options,
                                                  const CallBounds& bounds,
                                                  const CallOptions& call) {
  if (&type == &part && !env().OnLoopThread()) {
    const AppliedObject applied(type, name, subresource, object, options);
    if (ObjectRef same = applied.Known(*state_, bounds)) return same;
  }
  WatchedWrite watched(*state_, type, name, subresource, bounds, !options.dryRun.empty());
  if (&type == &part) watched.Apply(part, object);
  return watched.Answered(
      Noted(env(), "apply", type, options,
            BlockOn(env(), async().Apply(type, name, std::string(subresource), part,
                                         std::move(object), options, bounds, call))));
}

// ---- Deletions

Result<void> DelegatingClientCore::Delete(const KindInfo& type, const ObjectName& asked,
                                          const DeleteOptions& options, const CallBounds& bounds,
                                          const CallOptions& call) {
  const Result<void> deleted = BlockOn(env(), async().Delete(type, asked, options, bounds, call));
  NotedWrites* const writes = NotedWrites::Current();
  if (writes != nullptr && deleted && options.dryRun.empty()) {
    writes->Note({"delete", &type, asked, "", env().Now()});
  }
  return deleted;
}

Result<DeletionAnswer> DelegatingClientCore::DeleteForAnswer(const KindInfo& type,
                                                             const ObjectName& asked,
                                                             const DeleteOptions& options,
                                                             const CallBounds& bounds,
                                                             const CallOptions& call) {
  return BlockOn(env(), async().DeleteForAnswer(type, asked, options, bounds, call));
}

Result<void> DelegatingClientCore::DeleteAllOf(const KindInfo& type, const ReadOptions& which,
                                               const DeleteOptions& options,
                                               const CallBounds& bounds, const CallOptions& call) {
  return BlockOn(env(), async().DeleteAllOf(type, which, options, bounds, call));
}

}  // namespace kinformer::internal
