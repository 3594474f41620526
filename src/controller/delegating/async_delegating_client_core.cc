#include "kinformer/internal/async_delegating_client_core.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <utility>

#include "kinformer/internal/indexer_core.h"

#include "base/loop/own_writes.h"
#include "client/applied_fields.h"
#include "controller/delegating/cached_reads.h"
#include "controller/delegating/delegating_state.h"
#include "controller/delegating/placement.h"
#include "controller/delegating/read_waits.h"
#include "controller/delegating/write_match.h"
#include "controller/matching/updated.h"

namespace kinformer::internal {

using delegating::AppliedObject;
using delegating::CachedListAt;
using delegating::CachedObjectAt;
using delegating::JoinedStop;
using delegating::LearnFromPatch;
using delegating::Matchable;
using delegating::MatchedPatch;
using delegating::MatchedUpdate;
using delegating::PatchedVersion;
using delegating::PlacedName;
using delegating::PlacedWrite;
using delegating::ReadableTask;
using delegating::ReadPlace;
using delegating::Watching;
using delegating::WritesUnderWay;
using delegating::WroteTask;

// `state` keeps all that a task needs.
struct AsyncDelegatingClientCore::Calls {
  using State = std::shared_ptr<delegating::DelegatingState>;
  using Answer = Result<ObjectRef>;
  // Sends a write with complete options.
  template <class O>
  using Send = std::function<Task<Answer>(const AsyncResourceCore& there, O options, CallOptions)>;

  static Task<Answer> Get(State state, ObjectForm form, ObjectName asked, CallBounds bounds,
                          CallOptions call) {
    state->Begin(bounds, call);
    const Result<ReadPlace> place = PlaceOfGet(*state, form, asked, bounds);
    if (!place) co_return place.error();
    const ObjectName& which = place->which;
    if (place->source.live) {
      const JoinedStop stop(bounds.stop, call.stop);
      const Result<CallOptions> left = state->CallOf(bounds, call, stop);
      if (!left) co_return left.error();
      Task<Answer> reading = place->source.live->GetTask(which.namespace_, which.name, *left);
      co_return co_await reading;
    }
    Task<Result<void>> waiting =
        ReadableTask(state, place->source, *form.type, which, bounds, call);
    const Result<void> readable = co_await waiting;
    if (!readable) co_return readable.error();
    co_return CachedObjectAt(*place, *form.type);
  }

  static Task<Result<std::vector<ObjectRef>>> List(State state, ObjectForm form, ReadOptions asked,
                                                   CallBounds bounds, CallOptions call) {
    state->Begin(bounds, call);
    const Result<ReadPlace> place = PlaceOfList(*state, form, asked, bounds);
    if (!place) co_return place.error();
    if (place->source.live) {
      const JoinedStop stop(bounds.stop, call.stop);
      const Result<CallOptions> left = state->CallOf(bounds, call, stop);
      if (!left) co_return left.error();
      Task<Result<std::vector<ObjectRef>>> reading = place->source.live->ListTask(
          place->which.namespace_, asked.label_selector, *left, asked.field_selector, asked.limit);
      co_return co_await reading;
    }
    Task<Result<void>> waiting =
        ReadableTask(state, place->source, *form.type, place->which, bounds, call);
    const Result<void> readable = co_await waiting;
    if (!readable) co_return readable.error();
    co_return CachedListAt(*place, *form.type, std::move(asked));
  }

  // Completes the options of a write, sends it, and records what reads have to wait for. `name`:
  // name of the object; if it is empty, the answer has it. `created`: its name, if it is known.
  template <class O>
  static Task<Answer> Write(State state, const KindInfo& type, ObjectName name, O of_write,
                            CallBounds bounds, CallOptions call, Send<O> send,
                            std::string created = {}) {
    // The deadline counts from now, however much of it the write uses.
    state->Begin(bounds, call);
    const JoinedStop stop(bounds.stop, call.stop);
    const Result<CallOptions> left = state->CallOf(bounds, call, stop);
    if (!left) co_return left.error();
    const Result<ObjectName> placed =
        PlacedWrite(type, name, bounds.namespace_, "its namespace (metadata.namespace)");
    if (!placed) co_return placed.error();
    state->Complete(of_write);
    const bool changes = of_write.dryRun.empty();
    std::vector<Watching> watching = state->BeginWrite(type);
    const std::shared_ptr<void> under_way =
        changes ? state->under_way->Begin(
                      type, {placed->namespace_, name.name.empty() ? created : name.name},
                      WritesUnderWay::What::kOne)
                : nullptr;
    const AsyncResourceCore there = state->At(type, placed->namespace_).async();
    Task<Answer> sending = send(there, std::move(of_write), *left);
    Answer answer = co_await sending;
    if (!answer || !changes) co_return answer;
    ObjectName written = name.name.empty() ? internal::NameOf(**answer) : *placed;
    Task<void> recording = WroteTask(state, type, std::move(watching), *answer, std::move(written),
                                     state->PatienceOf(bounds, call));
    co_await recording;
    co_return answer;
  }

  static Task<Answer> Apply(State state, const KindInfo& type, ObjectName name,
                            std::string subresource, const KindInfo& part, RequestObject object,
                            ApplyOptions options, CallBounds bounds, CallOptions call) {
    if (options.fieldManager.empty() && state->options.field_owner.empty()) {
      co_return Error(Reason::kInvalidArgument,
                      "server-side apply needs ApplyOptions::fieldManager, or "
                      "DelegatingClientOptions::field_owner for all writes: who owns the fields");
    }
    const bool whole = &type == &part;
    const AppliedObject applied(type, name, subresource, object, options);
    if (whole) {
      if (ObjectRef same = applied.Known(*state, bounds)) co_return same;
    }
    Result<std::string> body = client::AppliedFields(part, object.json());
    if (!body) co_return std::move(body).error();
    kinformer::Patch patch{PatchType::kApply, *std::move(body)};
    PatchOptions of_patch{
        .dryRun = options.dryRun, .force = options.force, .fieldManager = options.fieldManager};
    Task<Answer> patching = Patch(state, type, std::move(name), std::move(patch), subresource,
                                  std::move(of_patch), std::move(bounds), std::move(call));
    Answer answer = co_await patching;
    if (answer && *answer && whole) applied.Learn(*state, **answer);
    co_return answer;
  }

  // Notes a write of a reconcile that has turned version `from` into that of the answer.
  static void NoteOwn(const std::shared_ptr<base::OwnWrites::Notes>& own, const ObjectRef& answer,
                      std::string from) {
    if (from.empty() || !answer || answer->resourceVersion() == from) return;
    own->Note(
        {std::string(answer->uid()), std::move(from), std::string(answer->resourceVersion())});
  }

  static Task<Answer> Update(State state, const KindInfo& type, RequestObject object,
                             std::string subresource, UpdateOptions options, CallBounds bounds,
                             CallOptions call) {
    if (ObjectRef same = MatchedUpdate(*state, type, object, subresource, options, bounds)) {
      co_return same;
    }
    const auto own = base::OwnWrites::Current();
    std::string from = own ? matching::VersionOf(type, object) : std::string();
    ObjectName name{object.namespace_, object.name};
    const bool changes = options.dryRun.empty() && !state->options.dry_run;
    Task<Answer> writing = Write<UpdateOptions>(
        state, type, std::move(name), std::move(options), std::move(bounds), std::move(call),
        [object = std::move(object), subresource = std::move(subresource)](
            const AsyncResourceCore& there, UpdateOptions complete, CallOptions left) mutable {
          return there.Update(std::move(object), std::move(subresource), std::move(complete),
                              std::move(left));
        });
    Answer answer = co_await writing;
    if (own && answer && changes) NoteOwn(own, *answer, std::move(from));
    co_return answer;
  }

  static Task<Answer> Patch(State state, const KindInfo& type, ObjectName name,
                            kinformer::Patch patch, std::string subresource, PatchOptions options,
                            CallBounds bounds, CallOptions call) {
    if (ObjectRef same = MatchedPatch(*state, type, name, patch, subresource, options, bounds)) {
      co_return same;
    }
    const auto own = base::OwnWrites::Current();
    const ObjectRef before = own ? Matchable(*state, type, name, bounds).object : ObjectRef();
    const kinformer::Patch sent = patch;
    const PatchOptions asked = options;
    const std::string part = subresource;
    std::string of_object = name.name;
    Task<Answer> writing = Write<PatchOptions>(
        state, type, std::move(name), std::move(options), std::move(bounds), std::move(call),
        [of_object = std::move(of_object), patch = std::move(patch),
         subresource = std::move(subresource)](const AsyncResourceCore& there,
                                               PatchOptions complete, CallOptions left) mutable {
          return there.Patch(std::move(of_object), std::move(patch), std::move(subresource),
                             std::move(complete), std::move(left));
        });
    Answer answer = co_await writing;
    if (!answer || !*answer || !asked.dryRun.empty() || state->options.dry_run) co_return answer;
    LearnFromPatch(*state, type, sent, part, asked, **answer);
    if (before) NoteOwn(own, *answer, PatchedVersion(*before, **answer, sent));
    co_return answer;
  }

  static Task<Answer> GetPart(State state, const KindInfo& type, ObjectName name,
                              std::string subresource, const KindInfo& part, CallBounds bounds,
                              CallOptions call) {
    const JoinedStop stop(bounds.stop, call.stop);
    const Result<CallOptions> left = state->CallOf(bounds, call, stop);
    if (!left) co_return left.error();
    const Result<ObjectName> placed = PlacedName(type, name, bounds.namespace_);
    if (!placed) co_return placed.error();
    const AsyncResourceCore there = state->At(type, placed->namespace_).async();
    Task<Answer> reading = there.GetPart(name.name, std::move(subresource), part, *left);
    co_return co_await reading;
  }

  static Task<Result<DeletionAnswer>> DeleteForAnswer(State state, const KindInfo& type,
                                                      ObjectName asked, DeleteOptions options,
                                                      CallBounds bounds, CallOptions call) {
    const JoinedStop stop(bounds.stop, call.stop);
    const Result<CallOptions> left = state->CallOf(bounds, call, stop);
    if (!left) co_return left.error();
    const Result<ObjectName> placed = PlacedName(type, asked, bounds.namespace_);
    if (!placed) co_return placed.error();
    const ObjectName& name = *placed;
    state->Complete(options);
    std::vector<Watching> watching = state->BeginWrite(type);
    const bool changes = options.dryRun.empty();
    const std::shared_ptr<void> under_way =
        changes ? state->under_way->Begin(type, name, WritesUnderWay::What::kOne) : nullptr;
    const AsyncResourceCore there = state->At(type, name.namespace_).async();
    Task<Result<DeletionAnswer>> sending =
        there.DeleteForAnswer(name.name, std::move(options), *left);
    Result<DeletionAnswer> answer = co_await sending;
    if (!state->Waits() || !changes) co_return answer;
    if (!answer && answer.error().reason() != Reason::kDecode) co_return answer;
    const std::string uid = answer ? answer->uid : "";
    if (!state->trackers.Deleted(type, std::move(watching), name, uid)) {
      state->SettleLater(type, name);
    }
    co_return answer;
  }

  static Task<Result<void>> Delete(Task<Result<DeletionAnswer>> deleting) {
    const Result<DeletionAnswer> answer = co_await deleting;
    // An answer that cannot be read is one to a delete that has worked.
    if (!answer && answer.error().reason() != Reason::kDecode) co_return answer.error();
    co_return Result<void>();
  }

  static Task<Result<void>> DeleteAllOf(State state, const KindInfo& type, ReadOptions which,
                                        DeleteOptions options, CallBounds bounds,
                                        CallOptions call) {
    state->Begin(bounds, call);
    const JoinedStop stop(bounds.stop, call.stop);
    const Result<CallOptions> left = state->CallOf(bounds, call, stop);
    if (!left) co_return left.error();
    if (which.limit > 0) {
      co_return Error(Reason::kInvalidArgument,
                      "a deletion of many has no limit: it is of all that match");
    }
    const Result<ObjectName> placed =
        PlacedWrite(type, {which.namespace_, ""}, bounds.namespace_, "ReadOptions::namespace_");
    if (!placed) co_return placed.error();
    const std::string& where = placed->namespace_;
    if (which.label_selector.MatchesNothing()) co_return Result<void>();
    state->Complete(options);
    const bool changes = options.dryRun.empty();
    std::vector<Watching> watching = state->BeginWrite(type);
    std::vector<std::shared_ptr<const SnapshotCore>> before;
    before.reserve(watching.size());
    for (const Watching& one : watching) before.push_back(one.unseen->Snapshot());
    ListOptions list;
    list.labelSelector = which.label_selector.ToString();
    list.fieldSelector = which.field_selector.ToString();
    const std::shared_ptr<void> under_way =
        changes ? state->under_way->Begin(type, *placed, WritesUnderWay::What::kMany) : nullptr;
    const AsyncResourceCore there = state->At(type, where).async();
    Task<Result<void>> sending = there.DeleteCollection(std::move(options), std::move(list), *left);
    const Result<void> done = co_await sending;
    if (!done || !changes || !state->Waits()) co_return done;
    state->trackers.Complete(type, watching);
    before.resize(watching.size());
    for (std::size_t i = 0; i < watching.size(); ++i) {
      const Watching& one = watching[i];
      const std::vector<ObjectName> unknown = one.unseen->DeletedAllOf(
          where, which.label_selector, which.field_selector, one.epoch, before[i].get());
      for (const ObjectName& name : unknown) {
        std::vector<Watching> only(1, one);
        Task<void> recording = WroteTask(state, type, std::move(only), ObjectRef(), name,
                                         state->PatienceOf(bounds, call));
        co_await recording;
      }
    }
    co_return done;
  }
};

const Client& AsyncDelegatingClientCore::client() const { return state_->client; }

const DelegatingClientOptions& AsyncDelegatingClientCore::options() const {
  return state_->options;
}

Task<Result<ObjectRef>> AsyncDelegatingClientCore::Get(ObjectForm form, ObjectName asked,
                                                       CallBounds bounds, CallOptions call) const {
  return Calls::Get(state_, form, std::move(asked), std::move(bounds), std::move(call));
}

Task<Result<std::vector<ObjectRef>>> AsyncDelegatingClientCore::List(ObjectForm form,
                                                                     ReadOptions asked,
                                                                     CallBounds bounds,
                                                                     CallOptions call) const {
  return Calls::List(state_, form, std::move(asked), std::move(bounds), std::move(call));
}

Task<Result<ObjectRef>> AsyncDelegatingClientCore::Create(const KindInfo& type,
                                                          RequestObject object,
                                                          CreateOptions options, CallBounds bounds,
                                                          CallOptions call) const {
  ObjectName name{object.namespace_, ""};
  std::string created = object.name;
  return Calls::Write<CreateOptions>(
      state_, type, std::move(name), std::move(options), std::move(bounds), std::move(call),
      [object = std::move(object)](const AsyncResourceCore& there, CreateOptions complete,
                                   CallOptions left) mutable {
        return there.Create(std::move(object), std::move(complete), std::move(left));
      },
      std::move(created));
}

Task<Result<ObjectRef>> AsyncDelegatingClientCore::Update(const KindInfo& type,
                                                          RequestObject object,
                                                          std::string subresource,
                                                          UpdateOptions options, CallBounds bounds,
                                                          CallOptions call) const {
  return Calls::Update(state_, type, std::move(object), std::move(subresource), std::move(options),
                       std::move(bounds), std::move(call));
}

Task<Result<ObjectRef>> AsyncDelegatingClientCore::Patch(const KindInfo& type, ObjectName name,
                                                         kinformer::Patch patch,
                                                         std::string subresource,
                                                         PatchOptions options, CallBounds bounds,
                                                         CallOptions call) const {
  return Calls::Patch(state_, type, std::move(name), std::move(patch), std::move(subresource),
                      std::move(options), std::move(bounds), std::move(call));
}

Task<Result<ObjectRef>> AsyncDelegatingClientCore::Apply(const KindInfo& type, ObjectName name,
                                                         std::string subresource,
                                                         const KindInfo& part, RequestObject object,
                                                         ApplyOptions options, CallBounds bounds,
                                                         CallOptions call) const {
  return Calls::Apply(state_, type, std::move(name), std::move(subresource), part,
                      std::move(object), std::move(options), std::move(bounds), std::move(call));
}

Task<Result<ObjectRef>> AsyncDelegatingClientCore::GetPart(const KindInfo& type, ObjectName name,
                                                           std::string subresource,
                                                           const KindInfo& part, CallBounds bounds,
                                                           CallOptions call) const {
  return Calls::GetPart(state_, type, std::move(name), std::move(subresource), part,
                        std::move(bounds), std::move(call));
}

Task<Result<ObjectRef>> AsyncDelegatingClientCore::SendPart(
    std::string method, const KindInfo& type, ObjectName name, std::string subresource,
    const KindInfo& part, RequestObject object, CreateOptions options, CallBounds bounds,
    CallOptions call) const {
  std::string of_object = name.name;
  return Calls::Write<CreateOptions>(
      state_, type, std::move(name), std::move(options), std::move(bounds), std::move(call),
      [method = std::move(method), of_object = std::move(of_object),
       subresource = std::move(subresource), &part, object = std::move(object)](
          const AsyncResourceCore& there, CreateOptions complete, CallOptions left) mutable {
        return there.SendPart(std::move(method), std::move(of_object), std::move(subresource), part,
                              std::move(object), std::move(complete), std::move(left));
      });
}

Task<Result<void>> AsyncDelegatingClientCore::Delete(const KindInfo& type, ObjectName asked,
                                                     DeleteOptions options, CallBounds bounds,
                                                     CallOptions call) const {
  return Calls::Delete(DeleteForAnswer(type, std::move(asked), std::move(options),
                                       std::move(bounds), std::move(call)));
}

Task<Result<DeletionAnswer>> AsyncDelegatingClientCore::DeleteForAnswer(const KindInfo& type,
                                                                        ObjectName asked,
                                                                        DeleteOptions options,
                                                                        CallBounds bounds,
                                                                        CallOptions call) const {
  return Calls::DeleteForAnswer(state_, type, std::move(asked), std::move(options),
                                std::move(bounds), std::move(call));
}

Task<Result<void>> AsyncDelegatingClientCore::DeleteAllOf(const KindInfo& type, ReadOptions which,
                                                          DeleteOptions options, CallBounds bounds,
                                                          CallOptions call) const {
  return Calls::DeleteAllOf(state_, type, std::move(which), std::move(options), std::move(bounds),
                            std::move(call));
}

}  // namespace kinformer::internal
