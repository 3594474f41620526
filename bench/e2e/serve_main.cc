// bench_serve: an embedded API server over TLS with pods of the made-up cluster, for the other
// programs here.
//
//   bench_serve --kubeconfig-out FILE [--pods N] [--updates N]
//
// Prints `ready`. Each line on standard input makes it change pods (their status) and print `done`:
// `change N [K]` N times K of them, every 10 ms, each with the time (change_stamp.h) and none twice
// before all have had their turn; K is 1 where it is not given; any other line the N of --updates,
// 64 a turn of its loop. It ends when standard input does.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "kinformer/apiserver/api_server.h"
#include "kinformer/apiserver/http_server.h"
#include "kinformer/base/runtime.h"
#include "kinformer/json/json.h"

#include "demo/cluster_model.h"
#include "demo/owner_uids.h"
#include "e2e/change_stamp.h"

namespace {

using kinformer::apiserver::ApiServer;
using kinformer::apiserver::HttpServer;

const kinformer::GroupVersionResource kPods{"", "v1", "pods"};
constexpr int kBatch = 64;

void SetMessage(ApiServer& server, const kinformer::ObjectName& pod, std::string message) {
  const auto status = kinformer::json::Value::MakeObject({{"message", std::move(message)}});
  const auto patch = kinformer::json::Value::MakeObject({{"status", status}});
  if (!server.Patch(kPods, pod, patch)) std::abort();
}

// State of an update that continues over several turns of the loop.
struct Updater {
  kinformer::Env& env;
  ApiServer& server;
  std::vector<kinformer::ObjectName> names;
  int round = 0;  // so that the second round makes changes too
  std::size_t left = 0;
  std::size_t at = 0;
  std::promise<void> done;

  void Turn() {
    for (int i = 0; i < kBatch && left > 0; ++i, --left) {
      SetMessage(server, names[at++ % names.size()],
                 "update " + std::to_string(left) + " of round " + std::to_string(round));
    }
    if (left == 0) {
      done.set_value();
      return;
    }
    env.loop().Post([this] { Turn(); });
  }
};

// Runs on the main thread; `next` is the pod to change next.
void ChangeSlowly(kinformer::Env& env, ApiServer& server,
                  const std::vector<kinformer::ObjectName>& names, std::size_t count,
                  std::size_t at_once, std::size_t& next) {
  auto due = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < count; ++i) {
    due += std::chrono::milliseconds(10);
    std::this_thread::sleep_until(due);
    std::promise<void> changed;
    env.loop().Post([&] {
      for (std::size_t k = 0; k < at_once; ++k) {
        SetMessage(server, names[next++ % names.size()], kinformer::bench::ChangeStamp());
      }
      changed.set_value();
    });
    changed.get_future().get();
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::string kubeconfig;
  std::size_t pods = 100'000;
  std::size_t updates = 200'000;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    if (name == "--kubeconfig-out") kubeconfig = argv[i + 1];
    if (name == "--pods") pods = std::strtoull(argv[i + 1], nullptr, 10);
    if (name == "--updates") updates = std::strtoull(argv[i + 1], nullptr, 10);
  }
  kinformer::Runtime runtime({.name = "bench-serve"});
  kinformer::Env& env = runtime.env();
  std::unique_ptr<ApiServer> server;
  std::unique_ptr<HttpServer> http;
  std::vector<kinformer::ObjectName> names;
  std::promise<void> loaded;
  env.loop().Post([&] {
    // Keeps enough history for watches that have not seen all changes yet.
    server = std::make_unique<ApiServer>(
        env, kinformer::apiserver::ApiServerOptions{.history_events = pods + 2 * updates,
                                                    .history_age = std::chrono::hours(1),
                                                    .bootstrap_objects = false});
    kinformer::demo::OwnerUids owners;
    kinformer::demo::ClusterModel model({.nodes = pods / 100 + 1, .namespaces = 100, .pods = pods});
    for (const kinformer::demo::Operation& operation : model.Start()) {
      const kinformer::GroupVersionResource resource{std::string(operation.group),
                                                     std::string(operation.version),
                                                     std::string(operation.resource)};
      kinformer::json::Value object = kinformer::json::Parse(operation.json).OrExit();
      owners.Fill(object);
      auto made = server->Create(resource, std::move(object));
      if (!made) {
        std::cerr << made.error() << '\n';
        std::exit(1);
      }
      owners.Note(*made);
      if (operation.resource == "pods") names.push_back({operation.namespace_, operation.name});
    }
    http = HttpServer::Listen(env, *server, {.tls = true}).OrExit();
    loaded.set_value();
  });
  loaded.get_future().get();
  http->WriteKubeconfig(kubeconfig).OrExit();
  std::cout << "ready " << http->url() << std::endl;
  int rounds = 0;
  std::size_t next = 0;
  for (std::string line; std::getline(std::cin, line);) {
    if (line.starts_with("change ")) {
      char* rest = nullptr;
      const std::size_t count = std::strtoull(line.c_str() + 7, &rest, 10);
      const std::size_t at_once = std::strtoull(rest, nullptr, 10);
      ChangeSlowly(env, *server, names, count, at_once == 0 ? 1 : at_once, next);
      std::cout << "done" << std::endl;
      continue;
    }
    Updater updater{env, *server, names, ++rounds, updates, 0, {}};
    auto done = updater.done.get_future();
    env.loop().Post([&] { updater.Turn(); });
    done.get();
    std::cout << "done" << std::endl;
  }
  std::promise<void> ended;
  env.loop().Post([&] {
    http.reset();
    server.reset();
    ended.set_value();
  });
  ended.get_future().get();
}
