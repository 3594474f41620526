// A program with a manager, for the test of its page: many informers, controllers that are busy,
// fail and rest, and objects that change all the time.
//
//   page_program KUBECONFIG INFORMERS
//
// Prints "ready PORT", and ends with standard input.

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "kinformer/api/appsv1.h"
#include "kinformer/api/corev1.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/base/until.h"
#include "kinformer/client/config.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/controller/builder.h"
#include "kinformer/controller/manager.h"

namespace kinformer {
namespace {

constexpr int kObjects = 40;

Result<ReconcileResult> Work(const ReconcileContext& context, const Request& request) {
  SleepUnlessStopped(context.env(), context.stop(), std::chrono::milliseconds(20));
  if (request.name.ends_with('7')) return Error(Reason::kConflict, "its <b>owner</b> is away");
  return ReconcileResult{};
}

// Makes ConfigMaps, and changes one every 10 ms.
Result<void> Change(const DelegatingClient& client, Env& env, const std::stop_token& stop) {
  for (int i = 0; i < kObjects; ++i) {
    corev1::ConfigMap::Mutable map;
    map.metadata.namespace_ = "default";
    map.metadata.name = "map-" + std::to_string(i);
    map.metadata.labels["n"] = std::to_string(i);
    const auto created = client.Create(map);
    if (!created && created.error().reason() != Reason::kAlreadyExists) return created.error();
  }
  for (int i = 0; SleepUnlessStopped(env, stop, std::chrono::milliseconds(10)); ++i) {
    const std::string patch = R"({"data":{"i":")" + std::to_string(i) + "\"}}";
    const auto patched = client.Patch<corev1::ConfigMap>(
        {"default", "map-" + std::to_string(i % kObjects)}, {.body = patch});
    if (!patched && !stop.stop_requested()) return patched.error();
  }
  return {};
}

int Run(const std::string& kubeconfig, int informers) {
  auto manager = Manager::New(Config::FromKubeconfigFile(kubeconfig).OrExit(),
                              {.leader_election = true,
                               .leader_election_id = "page",
                               .leader_election_namespace = "default",
                               .metrics_bind_address = "127.0.0.1:0"})
                     .OrExit();
  ControllerBuilder(*manager)
      .For<corev1::ConfigMap>()
      .WithOptions({.max_concurrent_reconciles = 2})
      .Complete(&Work)
      .OrExit();
  ControllerBuilder(*manager)
      .For<appsv1::Deployment>()
      .Complete([](const ReconcileContext&, const Request&) {
        return Result<ReconcileResult>(ReconcileResult{});
      })
      .OrExit();
  std::vector<SharedInformer<corev1::ConfigMap>> kept;
  for (int i = 0; i < informers; ++i) {
    kept.push_back(manager->GetCache().InformerFor<corev1::ConfigMap>(
        {.label_selector = LabelSelector::Parse("n=" + std::to_string(i)).OrExit()}));
  }
  Manager& shared = *manager;
  manager
      ->Add(std::make_shared<RunnableFunc>(
          [&shared](const std::stop_token& stop) {
            // The server refuses this list. A manager whose caches do not sync would not begin.
            auto refused = shared.GetCache().InformerFor<corev1::ConfigMap>(
                {.field_selector = FieldSelector::Parse("spec.nothing=x").OrExit()});
            refused.Start();
            return Change(shared.GetClient(), shared.env(), stop);
          },
          "changes", RunnableGroup::kOthers))
      .OrExit();
  std::stop_source stop;
  std::thread input([&] {
    std::cout << "ready " << shared.metrics_port() << std::endl;
    while (std::cin.get() != EOF) {
    }
    stop.request_stop();
  });
  const Result<void> ended = manager->Start(stop.get_token());
  if (!ended) {
    std::cerr << ended.error().ToString() << '\n';
    std::_Exit(1);
  }
  input.join();
  return 0;
}

}  // namespace
}  // namespace kinformer

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "page_program KUBECONFIG INFORMERS\n";
    return 2;
  }
  return kinformer::Run(argv[1], std::atoi(argv[2]));
}
