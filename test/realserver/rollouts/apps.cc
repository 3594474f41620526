// apps --kubeconfig FILE --namespace NAMESPACE
//
// An operator for test/realserver/rollouts/run. A ConfigMap with `image` and `replicas` wants the
// Deployment of the same name; the operator keeps the counts of that in the ConfigMap, and a note
// of them in the Deployment. Answers each line on standard input with its figures and `end`. Ends
// by SIGTERM, or at the end of the input.

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "kinformer/api/appsv1.h"
#include "kinformer/api/appsv1_mutable.h"
#include "kinformer/api/corev1.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/base/metrics.h"
#include "kinformer/base/stop.h"
#include "kinformer/client/config.h"
#include "kinformer/controller/builder.h"
#include "kinformer/controller/controller_options.h"
#include "kinformer/controller/controllerutil.h"
#include "kinformer/controller/manager.h"

using namespace kinformer;  // NOLINT(google-build-using-namespace): a program, not a header

namespace {

using Map = corev1::ConfigMap;

struct Options {
  std::string kubeconfig;
  std::string namespace_;
};

Options OptionsOf(const std::vector<std::string>& arguments) {
  Options options;
  for (std::size_t i = 0; i + 1 < arguments.size(); i += 2) {
    if (arguments[i] == "--kubeconfig") options.kubeconfig = arguments[i + 1];
    if (arguments[i] == "--namespace") options.namespace_ = arguments[i + 1];
  }
  if (options.kubeconfig.empty() || options.namespace_.empty()) {
    std::cerr << "apps: --kubeconfig and --namespace must be set\n";
    std::exit(2);
  }
  return options;
}

struct Counts {
  std::atomic<int> reconciles{0};
  std::atomic<int> writes{0};  // asked for
};

Result<void> WantDeployment(const DelegatingClient& client, const Map& map) {
  appsv1::Deployment::Mutable web;
  web.metadata.namespace_ = map.metadata().namespace_();
  web.metadata.name = map.metadata().name();
  if (auto owned = controllerutil::SetControllerReference(map, web); !owned) return owned;
  web.spec.replicas = std::stoi("0" + std::string(map.data()["replicas"]));
  web.spec.selector.emplace().matchLabels["app"] = web.metadata.name;
  web.spec.template_.metadata.labels["app"] = web.metadata.name;
  web.spec.template_.spec.terminationGracePeriodSeconds = 1;
  web.spec.template_.spec.containers.push_back(
      {.name = "main", .image = std::string(map.data()["image"])});
  const auto applied = client.Apply(web, {.fieldManager = "apps", .force = true});
  return applied ? Result<void>() : applied.error();
}

Result<void> MirrorStatus(const DelegatingClient& client, const Map& map,
                          const appsv1::Deployment& web) {
  const std::string ready = std::to_string(web.status().readyReplicas());
  const std::string updated = std::to_string(web.status().updatedReplicas());
  Map::Mutable change = map.DeepCopy();
  change.data["ready"] = ready;
  change.data["updated"] = updated;
  change.data["complete"] = ready == updated ? "yes" : "no";
  if (const auto counted = client.Update(change, {.fieldManager = "apps"}); !counted) {
    return counted.error();
  }
  const auto noted = client.Patch<appsv1::Deployment>(
      {std::string(web.metadata().namespace_()), std::string(web.metadata().name())},
      {.body = R"({"metadata":{"annotations":{"ready":")" + ready + "\"}}}"},
      {.fieldManager = "apps"});
  return noted ? Result<void>() : noted.error();
}

Result<ReconcileResult> Reconcile(const DelegatingClient& client, Counts& counts,
                                  const ReconcileContext& context, const Request& request) {
  ++counts.reconciles;
  const auto map = client.Get<Map>(request, context.call());
  if (!map) return IgnoreNotFound(map.error());
  if ((*map)->data()["image"].empty()) return ReconcileResult{};
  counts.writes += 3;
  if (auto wanted = WantDeployment(client, **map); !wanted) return wanted.error();
  const auto web = client.Get<appsv1::Deployment>(request, context.call());
  if (!web) return IgnoreNotFound(web.error());
  const Result<void> mirrored = MirrorStatus(client, **map, **web);
  // Somebody else was faster, and the event of that is on its way.
  if (!mirrored && !IsConflict(mirrored.error())) return mirrored.error();
  return ReconcileResult{};
}

// Returns the sum of a metric over all its labels.
double SumOf(const TextMetrics& metrics, const std::string& name) {
  const std::string text = metrics.Text();
  double sum = 0;
  for (std::size_t at = text.find("\n" + name + "{"); at != std::string::npos;
       at = text.find("\n" + name + "{", at + 1)) {
    sum += std::stod(text.substr(text.find("} ", at) + 2));
  }
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = OptionsOf({argv + 1, argv + argc});
  const std::shared_ptr<TextMetrics> metrics = NewTextMetrics();
  ManagerOptions of_manager;
  of_manager.cluster.cache.namespace_ = options.namespace_;
  of_manager.metrics = metrics;
  of_manager.metrics_bind_address = "0";
  auto manager =
      Manager::New(Config::FromKubeconfigFile(options.kubeconfig).OrExit(), of_manager).OrExit();
  Counts counts;
  ControllerBuilder(*manager)
      .For<Map>()
      .Owns<appsv1::Deployment>()
      .Named("apps")
      .WithOptions({.max_concurrent_reconciles = 4})
      .Complete([&, client = manager->GetClient()](const ReconcileContext& context,
                                                   const Request& request) {
        return Reconcile(client, counts, context, request);
      })
      .OrExit();
  StopSource stop = StopOnSignals();
  std::thread questions([&] {
    for (std::string question; std::getline(std::cin, question);) {
      std::cout << "reconciles=" << counts.reconciles << " writes=" << counts.writes
                << " matched=" << SumOf(*metrics, "kinformer_writes_matched_total")
                << " fights=" << SumOf(*metrics, "kinformer_fights_found_total") << "\nend"
                << std::endl;
    }
    stop.RequestStop();
  });
  std::cout << "ready" << std::endl;
  const Result<void> ended = manager->Start(stop.token());
  if (!ended) std::cerr << "apps: " << ended.error() << std::endl;
  std::_Exit(ended ? 0 : 1);  // at once: the other thread waits for a line
}
