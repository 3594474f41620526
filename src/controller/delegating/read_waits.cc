#include "controller/delegating/read_waits.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <utility>

#include "kinformer/base/log.h"
#include "kinformer/internal/cache_tasks.h"

#include "base/loop/parked_waits.h"
#include "controller/delegating/placement.h"

namespace kinformer::internal::delegating {
namespace {

using State = std::shared_ptr<DelegatingState>;
using Entry = UnsettledWrites::Entry;

// Interval at which a wait for one namespace checks it while other namespaces are not synced.
constexpr Duration kLookAgain = std::chrono::milliseconds(100);

// Time that the watch usually takes to show a write.
constexpr Duration kMoment = std::chrono::milliseconds(50);

Error WithRefusal(const Error& error, std::string_view refused) {
  if (refused.empty()) return error;
  return Error(error.reason(), error.message() + "; " + std::string(refused));
}

Error OfSync(Error error, const KindInfo& type, const ObjectName& which) {
  return std::move(error).WithContext(which.name.empty() ? "listing " + std::string(type.resource)
                                                         : "reading " + Quoted(type, which));
}

// Returns the error of a read that needs the version of this write, whose GET has failed.
Error OfUnsettled(const KindInfo& type, const Entry& entry, const Error& error) {
  const bool theirs =
      error.reason() == Reason::kCanceled || error.reason() == Reason::kWouldDeadlock;
  return Error(theirs ? error.reason() : Reason::kStale,
               "this client wrote to " + Quoted(type, entry.name) +
                   ", the answer had no resourceVersion, and what the server has now could not "
                   "be read: " +
                   error.ToString() + "; try again later");
}

// Awaits the first list of the namespace; empty means all namespaces.
Task<Result<void>> SyncedTask(State state, ReadSource source, std::string namespace_,
                              CallBounds bounds, CallOptions call) {
  if (DelegatingState::HasSynced(source, namespace_)) co_return Result<void>();
  const JoinedStop stop(bounds.stop, call.stop);
  const Result<CallOptions> left = state->CallOf(bounds, call, stop);
  if (!left) co_return left.error();
  Env& env = state->env();
  const std::vector<std::shared_ptr<InformerCore>> informers(1, source.informer);
  while (true) {
    SyncWaitOptions options;
    options.timeout = std::min<Duration>(kLookAgain, bounds.deadline - env.Now());
    const Result<void> synced = co_await SyncTask(env, informers, left->stop, options);
    if (synced) co_return synced;
    const bool goes_on = synced.error().reason() == Reason::kDeadlineExceeded;
    if (goes_on && BlockedReads::NeedsNoWait(*source.informer, namespace_)) {
      co_return Result<void>();
    }
    const std::string_view refused = state->blocked.WhyRefused(*source.informer);
    if (goes_on && env.Now() < bounds.deadline) continue;
    co_return WithRefusal(synced.error(), refused);
  }
}

// Reads the object from the server: that version is the written one or a later one, so the
// trackers wait for it. On an error nothing is recorded.
Task<Result<void>> SettleTask(State state, const KindInfo& type, std::vector<Watching> watching,
                              ObjectName name, ReadPatience patience) {
  const JoinedStop stop(patience.stop, patience.other_stop);
  const GetOptions newest;
  CallOptions call;
  call.stop = stop.token();
  call.timeout = patience.deadline - state->env().Now();
  if (call.timeout <= Duration(0)) {
    co_return Error(Reason::kDeadlineExceeded, "the caller's time is up");
  }
  const AsyncResourceCore there = state->At(type, name.namespace_).async();
  const Result<ObjectRef> now = co_await there.Get(name.name, newest, call);
  if (now) {
    if (!(*now)->resourceVersion().empty()) state->trackers.Wrote(type, watching, **now);
    co_return Result<void>();
  }
  if (!IsNotFound(now.error())) co_return now.error();
  static_cast<void>(state->trackers.Deleted(type, watching, name, ""));
  co_return Result<void>();
}

// Reads from the server the versions of writes whose version is unknown, so that reads can wait
// for them. kStale: no answer in time.
Task<Result<void>> SettleWritesTask(State state, const KindInfo& type, ObjectName which,
                                    CallBounds bounds, CallOptions call) {
  const ReadPatience patience = state->PatienceOf(bounds, call);
  const std::vector<Entry> entries = state->Unsettled(type, which);
  for (const Entry& entry : entries) {
    Task<Result<void>> settling =
        SettleTask(state, *entry.type, state->BeginWrite(type), entry.name, patience);
    const Result<void> settled = co_await settling;
    if (settled) {
      state->unsettled.Settled(entry);
      continue;
    }
    const Error& error = settled.error();
    if (MayPass(error)) co_return OfUnsettled(type, entry, error);
    state->env().log().Log(LogLevel::kWarning,
                           "an object cannot be read: reads do not wait for what was written to it",
                           {{"object", Quoted(type, entry.name)}, {"err", error.ToString()}});
    state->unsettled.Settled(entry);
  }
  co_return Result<void>();
}

}  // namespace

Task<Result<void>> ReadableTask(std::shared_ptr<DelegatingState> state, ReadSource source,
                                const KindInfo& type, ObjectName which, CallBounds bounds,
                                CallOptions call) {
  Task<Result<void>> syncing = SyncedTask(state, source, which.namespace_, bounds, call);
  const Result<void> synced = co_await syncing;
  if (!synced) co_return OfSync(synced.error(), type, which);
  Task<Result<void>> settling = SettleWritesTask(state, type, which, bounds, call);
  const Result<void> settled = co_await settling;
  if (!settled || !state->Waits()) co_return settled;
  const ReadPatience patience = state->PatienceOf(bounds, call);
  // A reconcile waits for a moment only; its request returns when the writes are shown.
  base::ParkedWaits* const parked = base::ParkedWaits::Current();
  ReadPatience first = patience;
  if (parked != nullptr) {
    first.deadline = std::min(patience.deadline, state->env().Now() + kMoment);
  }
  if (state->AwaitsOthers(type, which)) {
    const WritesUnderWay::ResourceName resource = WritesUnderWay::NameOf(type);
    Task<Result<void>> answering =
        WritesUnderWay::AnsweredTask(state->under_way, resource, which, first);
    const Result<void> answered = co_await answering;
    if (!answered && answered.error().reason() == Reason::kStale) {
      parked->Add([under_way = state->under_way, resource, which, patience] {
        return WritesUnderWay::AnsweredTask(under_way, resource, which, patience);
      });
    }
    if (!answered) co_return answered;
  }
  Task<Result<void>> seeing = UnseenWrites::SeenTask(source.unseen, which, first);
  const Result<void> seen = co_await seeing;
  if (!seen && seen.error().reason() == Reason::kStale && first.deadline < patience.deadline) {
    parked->Add([unseen = source.unseen, which, patience] {
      return UnseenWrites::SeenTask(unseen, which, patience);
    });
  }
  co_return seen;
}

Result<void> ReadableOnLoop(DelegatingState& state, const ReadSource& source, const KindInfo& type,
                            const ObjectName& which, const CallBounds& bounds,
                            const CallOptions& call) {
  if (!DelegatingState::HasSynced(source, which.namespace_)) {
    const JoinedStop stop(bounds.stop, call.stop);
    const Result<CallOptions> left = state.CallOf(bounds, call, stop);
    if (!left) return OfSync(left.error(), type, which);
    const Result<void> synced = WaitForSync(state.env(), {source.informer}, left->stop, {});
    const std::string_view refused = state.blocked.WhyRefused(*source.informer);
    if (!synced) return OfSync(WithRefusal(synced.error(), refused), type, which);
  }
  const std::vector<Entry> entries = state.Unsettled(type, which);
  if (!entries.empty()) {
    if (const auto deadlock = WhyNotBlock(state.env())) {
      return OfUnsettled(type, entries.front(), *deadlock);
    }
  }
  if (!state.Waits()) return {};
  return source.unseen->WaitFor(which, state.PatienceOf(bounds, call));
}

Task<void> WroteTask(std::shared_ptr<DelegatingState> state, const KindInfo& type,
                     std::vector<Watching> watching, ObjectRef answer, ObjectName name,
                     ReadPatience patience) {
  if (!state->Waits()) co_return;
  state->trackers.Complete(type, watching);
  // The answer's version is usable only if it is an object of the type, or if no cache is affected.
  // Otherwise the object is read again.
  const bool has_version = answer && !answer->resourceVersion().empty();
  if (has_version && (watching.empty() || answer->type().kind == type.kind)) {
    state->trackers.Wrote(type, std::move(watching), *answer);
    co_return;
  }
  if (watching.empty()) {
    state->SettleLater(type, name);
    co_return;
  }
  Task<Result<void>> settling = SettleTask(state, type, std::move(watching), name, patience);
  const Result<void> settled = co_await settling;
  if (settled) co_return;
  if (MayPass(settled.error()) && state->unsettled.Add(type, name)) co_return;
  state->env().log().Log(
      LogLevel::kWarning,
      "a write was answered without a resourceVersion, and the object cannot be read: "
      "reads do not wait for this write",
      {{"object", Quoted(type, name)}, {"err", settled.error().ToString()}});
}

}  // namespace kinformer::internal::delegating
