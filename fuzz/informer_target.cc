// A whole informer with a server that sends arbitrary data. When the server sends the truth, the
// cache and a handler must have the true state.

#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/base/simulation.h"
#include "kinformer/cache/shared_informer.h"
#include "kinformer/cache/shared_informer_factory.h"
#include "kinformer/cache/snapshot.h"
#include "kinformer/client/client.h"
#include "kinformer/object/unstructured.h"

#include "client/testing/scripted_server.h"
#include "fuzz/target.h"
#include "fuzz/targets.h"

namespace kinformer::fuzz {

namespace {

using testing::ScriptedResponse;
using testing::ScriptedServer;
using Contents = std::map<std::string, std::string>;  // key to resourceVersion

// The version of the true list, far above those that a fuzzer finds soon.
constexpr char kTruth[] = "9000000000";

std::string TrueItem(const std::string& name) {
  return R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":")" + name +
         R"(","namespace":"default","uid":"u-)" + name +
         R"(","resourceVersion":"8000000000"},"data":{"k":"v"}})";
}

std::string Event(const std::string& type, const std::string& object) {
  return R"({"type":")" + type + R"(","object":)" + object + "}\n";
}

bool Has(const HttpRequest& request, std::string_view text) {
  return request.target.find(text) != std::string::npos;
}

// Returns the true answer, after the fuzzer's input is used up. The first watch tells the client to
// list again, because the state of the cache is unknown to the server.
ScriptedResponse TrueAnswer(const HttpRequest& request, bool& expired) {
  const std::string items = TrueItem("a") + "," + TrueItem("b");
  const std::string meta = R"({"resourceVersion":")" + std::string(kTruth) + R"("})";
  if (!Has(request, "watch=")) {
    return testing::Json(R"({"kind":"ConfigMapList","apiVersion":"v1","metadata":)" + meta +
                         R"(,"items":[)" + items + "]}");
  }
  if (!std::exchange(expired, true)) {
    return testing::StatusFailure(410, "Expired", "too old resource version");
  }
  ScriptedResponse watch = testing::Json("");
  watch.hang = true;
  if (Has(request, "sendInitialEvents=true")) {
    watch.body = Event("ADDED", TrueItem("a")) + Event("ADDED", TrueItem("b")) +
                 Event("BOOKMARK", R"({"kind":"ConfigMap","apiVersion":"v1","metadata":)"
                                   R"({"resourceVersion":")" +
                                       std::string(kTruth) +
                                       R"(","annotations":{"k8s.io/initial-events-end":"true"}}})");
  }
  return watch;
}

// Follows additions and deletions.
template <class T>
ResourceEventHandlerFuncs<T> Follow(Contents& told) {
  const auto set = [&told](std::string_view key, const auto& object) {
    told.insert_or_assign(std::string(key), std::string(object.metadata().resourceVersion()));
  };
  return {.on_add = [set](const Added<T>& event) { set(event.key, event.object); },
          .on_update = [set](const Updated<T>& event) { set(event.key, event.new_object); },
          .on_delete = [&told](const Deleted<T>& event) { told.erase(std::string(event.key)); }};
}

template <class T>
Contents CacheOf(const SharedInformer<T>& informer) {
  Contents out;
  const auto snapshot = informer.Snapshot();
  for (T object : snapshot) {
    out.emplace(
        std::string(object.metadata().namespace_()) + "/" + std::string(object.metadata().name()),
        std::string(object.metadata().resourceVersion()));
  }
  return out;
}

std::string Text(const Contents& contents) {
  std::string text;
  for (const auto& [key, version] : contents) text += key + "@" + version + " ";
  return text;
}

template <class T>
void RequireTruth(Simulation& sim, SharedInformerFactory& factory, SharedInformer<T> informer) {
  Contents told;
  Require(informer.AddEventHandler(Follow<T>(told)).ok(), "a handler can be added");
  factory.Start();
  const Contents wanted = {{"default/a", "8000000000"}, {"default/b", "8000000000"}};
  const bool equal = sim.RunUntil(
      [&] { return informer.HasSynced() && CacheOf(informer) == wanted && told == wanted; },
      std::chrono::minutes(30));
  Require(equal, "the cache and the handler have what the server says", Text(CacheOf(informer)),
          Text(told));
  factory.Shutdown();
}

// The fuzzer's answers: up to four, each with its share of the data.
std::deque<ScriptedResponse> Answers(Choices& choices, bool protobuf) {
  struct How {
    std::size_t share;
    std::uint8_t kind;
    std::uint8_t status;
  };
  std::vector<How> hows(1 + choices.Byte() % 4);
  for (How& how : hows) how = {choices.Byte(), choices.Byte(), choices.Byte()};
  std::string_view data = choices.rest();
  std::deque<ScriptedResponse> out;
  for (const How& how : hows) {
    const bool last = &how == &hows.back();
    const std::string body(data.substr(0, last ? data.size() : data.size() * how.share / 256));
    data.remove_prefix(body.size());
    ScriptedResponse answer =
        protobuf ? testing::Protobuf(body, how.kind % 2 == 0 ? "" : ";stream=watch")
                 : testing::Json(body);
    answer.cut = how.kind % 8 >= 6;
    if (how.kind >= 0xf0) answer.status = 400 + how.status % 130;
    out.push_back(std::move(answer));
  }
  return out;
}

}  // namespace

void FuzzInformer(std::string_view input) {
  Choices choices(input);
  const std::uint8_t shape = choices.Byte();
  Simulation sim({.seed = choices.Byte()});
  ScriptedServer server;
  bool expired = false;
  server.fallback = [&expired](const HttpRequest& request) { return TrueAnswer(request, expired); };
  server.script = Answers(choices, (shape & 1U) != 0);

  SharedInformerFactory factory(Client::ForTransport(
      sim.env(),
      NewInMemoryTransport(sim.env(), server,
                           {.max_chunk_bytes = 64, .random_chunks = (shape & 2U) != 0})));
  const InitialList initial = (shape & 4U) != 0 ? InitialList::kList : InitialList::kWatchList;
  if ((shape & 8U) != 0) {
    RequireTruth<Unstructured>(sim, factory,
                               factory.ForResource({"", "v1", "configmaps"}, "ConfigMap",
                                                   /*namespaced=*/true, {.initial_list = initial}));
  } else {
    RequireTruth<corev1::ConfigMap>(
        sim, factory, factory.InformerFor<corev1::ConfigMap>({.initial_list = initial}));
  }
}

}  // namespace kinformer::fuzz
