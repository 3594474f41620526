// traced_operator: an operator with leader election on an embedded server, for a moment. Its spans
// go where the environment says (OTEL_EXPORTER_OTLP_ENDPOINT). Exit status 0: all have been sent.

#include <atomic>
#include <chrono>
#include <cstdio>
#include <memory>
#include <stop_token>
#include <string>

#include "kinformer/api/corev1.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/base/runtime.h"
#include "kinformer/base/tracing.h"
#include "kinformer/controller/builder.h"
#include "kinformer/controller/manager.h"
#include "kinformer/json/json.h"
#include "kinformer/otlp/otlp_tracer.h"
#include "kinformer/testing/api_server.h"

namespace kinformer {
namespace {

using corev1::ConfigMap;

// Marks a ConfigMap. Fails at first, so that a retry follows.
Result<ReconcileResult> Mark(const DelegatingClient& client, const ReconcileContext& context,
                             const Request& request) {
  const auto map = client.Get<ConfigMap>(request, context.call());
  if (!map) return IgnoreNotFound(map.error());
  if (context.attempts() == 0 && (**map).data()["marked"].empty()) {
    return Error(Reason::kInternalError, "not yet: \"quotes\", <brackets> and ä");
  }
  const Span span(context.env(), "mark", {.attributes = {{"size", 1}}});
  const SpanScope scope(span);
  ConfigMap::Mutable marked = (**map).DeepCopy();
  marked.data["marked"] = "yes";
  if (auto written = client.Update(marked, {}, context.call()); !written) return written.error();
  return ReconcileResult{};
}

int Run() {
  const std::shared_ptr<OtlpTracer> tracer =
      NewOtlpTracer({.resource_attributes = {{"a", "b"}}}).OrExit();
  testing::ApiServer server;
  constexpr int kMaps = 20;
  for (int i = 0; i < kMaps; ++i) {
    const std::string name = "map-" + std::to_string(i);
    server
        .Create({"", "v1", "configmaps"},
                *json::Parse(R"({"metadata":{"namespace":"default","name":")" + name + R"("}})"))
        .OrExit();
  }
  std::atomic<int> marked{0};
  {
    server.Listen().OrExit();
    Runtime runtime({.tracer = tracer});
    Config config;
    config.host = server.url();
    const auto manager = Manager::New(runtime.env(), config,
                                      {.leader_election = true,
                                       .leader_election_id = "traced",
                                       .leader_election_namespace = "default",
                                       .leader_election_release_on_cancel = true,
                                       .metrics_bind_address = "0",
                                       .health_probe_bind_address = "0"})
                             .OrExit();
    const DelegatingClient client = manager->GetClient();
    ControllerBuilder(*manager)
        .For<ConfigMap>()
        .Complete([&](const ReconcileContext& context,
                      const Request& request) -> Result<ReconcileResult> {
          Result<ReconcileResult> result = Mark(client, context, request);
          if (result) ++marked;
          return result;
        })
        .OrExit();
    std::stop_source stop;
    const auto thread = runtime.env().NewThread(
        "manager", [&] { static_cast<void>(manager->Start(stop.get_token())); });
    while (marked < kMaps) runtime.env().SleepFor(std::chrono::milliseconds(10));
    stop.request_stop();
    thread->Join();
  }
  const Result<void> flushed = tracer->Flush(std::chrono::seconds(30));
  const OtlpStats stats = tracer->Stats();
  std::printf("sent %llu, rejected %llu, failed %llu, dropped %llu\n",
              static_cast<unsigned long long>(stats.sent),
              static_cast<unsigned long long>(stats.rejected),
              static_cast<unsigned long long>(stats.failed),
              static_cast<unsigned long long>(stats.dropped));
  return flushed && stats.rejected + stats.failed + stats.dropped == 0 ? 0 : 1;
}

}  // namespace
}  // namespace kinformer

int main() { return kinformer::Run(); }
