// bench_serve: an embedded API server over TLS with pods of the made-up cluster, for bench_sync.
//
//   bench_serve --kubeconfig-out FILE [--pods N] [--updates N]
//
// Prints `ready`. Each line on standard input makes it update N pods (their status), 64 a turn of
// its loop, and print `done`. It ends when standard input does.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <iostream>
#include <string>
#include <vector>

#include "kinformer/apiserver/api_server.h"
#include "kinformer/apiserver/http_server.h"
#include "kinformer/json.h"
#include "kinformer/runtime.h"

#include "demo/cluster_model.h"
#include "demo/owner_uids.h"

namespace {

using kinformer::apiserver::ApiServer;
using kinformer::apiserver::HttpServer;

const kinformer::GroupVersionResource kPods{"", "v1", "pods"};
constexpr int kBatch = 64;

// Keeps what is being updated while turns of the loop go by.
struct Updater {
  kinformer::Env& env;
  ApiServer& server;
  std::vector<kinformer::ObjectName> names;
  int round = 0;  // so that the second round changes something, too
  std::size_t left = 0;
  std::size_t at = 0;
  std::promise<void> done;

  void Turn() {
    for (int i = 0; i < kBatch && left > 0; ++i, --left) {
      const kinformer::ObjectName& name = names[at++ % names.size()];
      const auto patch = kinformer::json::Value::MakeObject(
          {{"status", kinformer::json::Value::MakeObject(
                          {{"message", "update " + std::to_string(left) + " of round " +
                                           std::to_string(round)}})}});
      if (!server.Patch(kPods, name, patch)) std::abort();
    }
    if (left == 0) {
      done.set_value();
      return;
    }
    env.loop().Post([this] { Turn(); });
  }
};

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
    // All that a client has not watched yet can be watched still.
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
  for (std::string line; std::getline(std::cin, line);) {
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
