// parents --kubeconfig FILE --namespace NAMESPACE --identity NAME [--workers N] [--no-catch-up]
//
// A replica of an operator for test/realserver/take_over/run: each ConfigMap wants one Secret,
// whose name the server makes. Its caches are warm before it leads. Answers each line on standard
// input with its state and `end`. By SIGTERM, or at the end of the input, it ends in good order and
// gives the Lease up; exit status 3: it has lost the Lease. --no-catch-up: it does not wait for its
// caches once it leads.

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/base/stop.h"
#include "kinformer/client/config.h"
#include "kinformer/controller/builder.h"
#include "kinformer/controller/controller_options.h"
#include "kinformer/controller/controllerutil.h"
#include "kinformer/controller/manager.h"

using namespace kinformer;  // NOLINT(google-build-using-namespace): a program, not a header

namespace {

struct Options {
  std::string kubeconfig;
  std::string namespace_;
  std::string identity;
  std::size_t workers = 4;
  bool catches_up = true;
};

Options OptionsOf(const std::vector<std::string>& arguments) {
  Options options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const bool more = i + 1 < arguments.size();
    if (arguments[i] == "--no-catch-up") {
      options.catches_up = false;
    } else if (arguments[i] == "--kubeconfig" && more) {
      options.kubeconfig = arguments[++i];
    } else if (arguments[i] == "--namespace" && more) {
      options.namespace_ = arguments[++i];
    } else if (arguments[i] == "--identity" && more) {
      options.identity = arguments[++i];
    } else if (arguments[i] == "--workers" && more) {
      options.workers = std::stoul(arguments[++i]);
    } else {
      std::cerr << "parents: unknown argument " << arguments[i] << '\n';
      std::exit(2);
    }
  }
  return options;
}

Result<ReconcileResult> MakeChild(const DelegatingClient& client, const ReconcileContext& context,
                                  const Request& request) {
  const auto parent = client.Get<corev1::ConfigMap>(request, context.call());
  if (!parent) return IgnoreNotFound(parent.error());
  const auto children = client.List<corev1::Secret>(
      {.namespace_ = request.namespace_,
       .label_selector = LabelSelector::Parse("parent=" + request.name).OrExit()},
      context.call());
  if (!children) return children.error();
  if (!children->empty()) return ReconcileResult{};
  corev1::Secret::Mutable child;
  child.metadata.generateName = request.name + "-";
  child.metadata.namespace_ = request.namespace_;
  child.metadata.labels["parent"] = request.name;
  if (auto owned = controllerutil::SetControllerReference(**parent, child); !owned) {
    return owned.error();
  }
  if (auto made = client.Create(child, {}, context.call()); !made) return made.error();
  return ReconcileResult{};
}

ManagerOptions OptionsOfManager(const Options& options) {
  ManagerOptions manager;
  manager.cluster.cache.namespace_ = options.namespace_;
  manager.leader_election = true;
  manager.leader_election_id = "parents";
  manager.leader_election_namespace = options.namespace_;
  manager.leader_election_identity = options.identity;
  manager.leader_election_release_on_cancel = true;
  // A standby takes over as soon as the Lease runs out, and the machine may be busy.
  manager.lease_duration = std::chrono::seconds(15);
  manager.renew_deadline = std::chrono::seconds(12);
  manager.retry_period = std::chrono::seconds(1);
  manager.metrics_bind_address = "0";
  return manager;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = OptionsOf({argv + 1, argv + argc});
  auto manager = Manager::New(Config::FromKubeconfigFile(options.kubeconfig).OrExit(),
                              OptionsOfManager(options))
                     .OrExit();
  ControllerOptions controller_options;
  controller_options.max_concurrent_reconciles = options.workers;
  controller_options.enable_warmup = true;
  if (!options.catches_up) {
    controller_options.catch_up = [](const std::stop_token&) { return Result<void>(); };
  }
  std::atomic<int> running{0};
  const auto controller = ControllerBuilder(*manager)
                              .For<corev1::ConfigMap>()
                              .Owns<corev1::Secret>()
                              .WithOptions(controller_options)
                              .Build([&, client = manager->GetClient()](
                                         const ReconcileContext& context, const Request& request) {
                                ++running;
                                Result<ReconcileResult> result =
                                    MakeChild(client, context, request);
                                --running;
                                return result;
                              })
                              .OrExit();
  StopSource stop = StopOnSignals();
  std::thread questions([&] {
    for (std::string question; std::getline(std::cin, question);) {
      const auto secrets = manager->GetCache().InformerFor<corev1::Secret>();
      const auto parents = manager->GetCache().InformerFor<corev1::ConfigMap>();
      std::cout << "leads=" << manager->Elected()
                << " warm=" << (secrets.HasSynced() && parents.HasSynced())
                << " queued=" << controller->Len() << " running=" << running
                << " parents=" << parents.Snapshot().size()
                << " children=" << secrets.Snapshot().size() << "\nend" << std::endl;
    }
    stop.RequestStop();
  });
  std::cout << "ready" << std::endl;
  const Result<void> ended = manager->Start(stop.token());
  if (!ended) std::cerr << "parents: " << ended.error() << std::endl;
  std::_Exit(ended ? 0 : 3);  // at once: the other thread waits for a line
}
