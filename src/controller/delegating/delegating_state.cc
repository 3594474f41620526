#include "controller/delegating/delegating_state.h"

#include <utility>

namespace kinformer::internal::delegating {

DelegatingState::DelegatingState(Client c, std::shared_ptr<SharedInformerFactory> f,
                                 DelegatingClientOptions o)
    : client(std::move(c)),
      factory(std::move(f)),
      options(std::move(o)),
      blocked(client.env()),
      trackers(client.env(), factory->core()),
      under_way(std::make_shared<WritesUnderWay>(client.env())),
      matched(client.env().metrics()) {}

DelegatingState::Matched::Matched(MetricsSink& metrics) {
  const auto counter = [&](const char* verb) {
    return metrics.NewCounter("kinformer_writes_matched_total",
                              "Writes that were not sent, since they would have changed nothing",
                              {{"verb", verb}});
  };
  updates = counter("update");
  patches = counter("patch");
  applies = counter("apply");
}

Result<CallOptions> DelegatingState::CallOf(const CallBounds& bounds, const CallOptions& call,
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

Result<ReadSource> DelegatingState::NewSource(const ObjectForm& form) {
  const KindInfo& type = *form.type;
  FactoryCore& informers = factory->core();
  if (form.live) return ReadSource{.live = LiveReader(At(type, ""), type, {})};
  if (!form.metadata_only) {
    if (auto live = informers.LiveReaderOf(type)) return ReadSource{.live = std::move(live)};
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
  return ReadSource{.informer = std::move(informer)};
}

Result<ReadSource> DelegatingState::SourceOf(const ObjectForm& form) {
  {
    base::MutexLock lock(mutex);
    if (const auto found = views.find(form); found != views.end()) {
      const View& view = found->second;
      if (view.live) return ReadSource{.live = view.live};
      if (std::shared_ptr<InformerCore> informer = view.unseen->informer()) {
        return ReadSource{.unseen = view.unseen, .informer = std::move(informer)};
      }
    }
  }
  Result<ReadSource> source = NewSource(form);
  if (!source) return source;
  if (source->informer != nullptr) source->unseen = trackers.Of(*form.type, source->informer);
  base::MutexLock lock(mutex);
  views[form] = {.live = source->live, .unseen = source->unseen};
  return source;
}

std::optional<ReadSource> DelegatingState::CachedSource(const KindInfo& type) {
  const ObjectForm form{&type};
  {
    base::MutexLock lock(mutex);
    if (const auto found = views.find(form); found != views.end()) {
      const View& view = found->second;
      if (view.live) return std::nullopt;
      if (std::shared_ptr<InformerCore> informer = view.unseen->informer()) {
        return ReadSource{.unseen = view.unseen, .informer = std::move(informer)};
      }
    }
  }
  std::shared_ptr<InformerCore> informer = factory->core().Find(type, /*metadata_only=*/false);
  if (informer == nullptr || !informer->HasStarted()) return std::nullopt;
  std::shared_ptr<UnseenWrites> unseen = trackers.Of(type, informer);
  base::MutexLock lock(mutex);
  views[form] = {.live = {}, .unseen = unseen};
  return ReadSource{.unseen = std::move(unseen), .informer = std::move(informer)};
}

void DelegatingState::SettleLater(const KindInfo& type, const ObjectName& name) {
  if (!Waits() || factory->core().LiveReaderOf(type)) return;
  // If it is full, the client writes a lot and has no cache, so a log each time would not help.
  static_cast<void>(unsettled.Add(type, name));
}

}  // namespace kinformer::internal::delegating
