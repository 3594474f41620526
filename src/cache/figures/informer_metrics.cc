#include "cache/figures/informer_metrics.h"

#include <chrono>

#include "base/text/number_in.h"

namespace kinformer::internal::cache {

std::unique_ptr<InformerMetrics> InformerMetrics::For(Env& env, std::string_view name) {
  MetricsSink& sink = env.metrics();
  if (!sink.enabled()) return nullptr;
  return std::unique_ptr<InformerMetrics>(new InformerMetrics(sink, name));
}

std::shared_ptr<Gauge> InformerMetrics::NamespaceProgress(Env& env, std::string_view name,
                                                          std::string_view namespace_) {
  MetricsSink& sink = env.metrics();
  if (!sink.enabled()) return nullptr;
  return sink.NewGauge("informer_namespace_last_progress_timestamp_seconds",
                       "When the server last said that there was nothing newer in the namespace.",
                       {{"name", name}, {"namespace", namespace_}});
}

void InformerMetrics::SetTime(Gauge& gauge, Env& env, SteadyTime when) {
  const Duration wall = (env.WallNow() - (env.Now() - when)).time_since_epoch();
  gauge.Set(std::chrono::duration<double>(wall).count());
}

void InformerMetrics::SetVersion(Gauge& gauge, std::string_view resource_version) {
  const auto number = base::NumberIn<std::uint64_t>(resource_version);
  if (number) gauge.Set(static_cast<double>(*number));
}

InformerMetrics::InformerMetrics(MetricsSink& sink, std::string_view name)
    : lists(sink.NewCounter("reflector_lists_total",
                            "Lists that reflectors began, as LIST or as watch-list.",
                            {{"name", name}})),
      watch_lists(sink.NewCounter("reflector_watch_lists_total", "Watch-lists that were complete.",
                                  {{"name", name}})),
      list_duration(sink.NewHistogram("reflector_list_duration_seconds",
                                      "Time from the request to the end of a complete list.",
                                      {{"name", name}})),
      items_per_list(sink.NewHistogram("reflector_items_per_list", "Objects in a complete list.",
                                       {{"name", name}})),
      watches(sink.NewCounter("reflector_watches_total", "Watches that the server opened.",
                              {{"name", name}})),
      short_watches(sink.NewCounter("reflector_short_watches_total",
                                    "Watches that ended within a second and without an event.",
                                    {{"name", name}})),
      watch_duration(sink.NewHistogram("reflector_watch_duration_seconds", "Life of a watch.",
                                       {{"name", name}})),
      items_per_watch(
          sink.NewHistogram("reflector_items_per_watch", "Events of a watch.", {{"name", name}})),
      last_resource_version(sink.NewGauge("reflector_last_resource_version",
                                          "resourceVersion last received from the server.",
                                          {{"name", name}})),
      queued_items(sink.NewGauge("informer_queued_items", "Entries between reflector and store.",
                                 {{"name", name}})),
      queued_bytes(sink.NewGauge("informer_queued_bytes",
                                 "Memory of the entries between reflector and store.",
                                 {{"name", name}})),
      processing_latency(sink.NewHistogram(
          "informer_processing_latency_seconds",
          "Time to apply a batch or a list to the store and tell the handlers.", {{"name", name}})),
      store_objects(
          sink.NewGauge("informer_store_objects", "Objects in the store.", {{"name", name}})),
      store_bytes(sink.NewGauge("informer_store_bytes", "Memory of the objects in the store.",
                                {{"name", name}})),
      left_out(sink.NewGauge("informer_left_out_objects",
                             "Objects that the server has and the store has no room for.",
                             {{"name", name}})),
      snapshots(sink.NewGauge("informer_snapshots", "Snapshots of the store that are held.",
                              {{"name", name}})),
      snapshot_bytes(sink.NewGauge("informer_snapshot_bytes",
                                   "Memory of replaced objects that snapshots keep.",
                                   {{"name", name}})),
      oldest_snapshot(sink.NewGauge("informer_oldest_snapshot_seconds",
                                    "For how long the oldest snapshot has been out of date.",
                                    {{"name", name}})),
      store_resource_version(sink.NewGauge("informer_store_resource_version",
                                           "resourceVersion that the store has applied.",
                                           {{"name", name}})),
      last_progress(sink.NewGauge("informer_last_progress_timestamp_seconds",
                                  "When the server last said that there was nothing newer.",
                                  {{"name", name}})),
      errors(sink.NewCounter("reflector_errors_total", "Attempts to list or watch that failed.",
                             {{"name", name}})),
      refusals(sink.NewCounter("reflector_refusals_total",
                               "Attempts to list or watch that the server asked to put off.",
                               {{"name", name}})),
      epochs(sink.NewCounter("reflector_epochs_total", "Times that the server went back in time.",
                             {{"name", name}})),
      gaps(sink.NewCounter("informer_gaps_total",
                           "Events of watches that showed that others before them are missing.",
                           {{"name", name}})),
      consistency_checks(sink.NewCounter("informer_consistency_checks_total",
                                         "Times that the store was compared with the server.",
                                         {{"name", name}})),
      inconsistencies(sink.NewCounter("informer_inconsistencies_total",
                                      "Checks that found the store to differ from the server.",
                                      {{"name", name}})) {}

std::unique_ptr<ListenerMetrics> ListenerMetrics::For(Env& env, std::string_view name,
                                                      std::string_view handler) {
  MetricsSink& sink = env.metrics();
  if (!sink.enabled()) return nullptr;
  return std::unique_ptr<ListenerMetrics>(
      new ListenerMetrics(sink, {{"name", name}, {"handler", handler}}));
}

ListenerMetrics::ListenerMetrics(MetricsSink& sink, MetricLabels labels)
    : waiting(sink.NewGauge("informer_handler_waiting_events",
                            "Live events that wait for the handler.", labels)),
      waiting_bytes(sink.NewGauge("informer_handler_waiting_bytes",
                                  "Memory that is kept only for events that wait.", labels)),
      delivered(sink.NewCounter("informer_handler_delivered_total",
                                "Calls of the handler that "
                                "returned or threw.",
                                labels)),
      coalesced(sink.NewCounter("informer_handler_coalesced_total",
                                "Events merged into others because the handler was slow.", labels)),
      dropped(sink.NewCounter("informer_handler_dropped_total",
                              "Events replaced by a difference because the handler was slow.",
                              labels)) {}

}  // namespace kinformer::internal::cache
