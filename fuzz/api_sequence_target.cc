// Sequences of requests for custom resources with defaults and two versions, and for a Deployment,
// which is patched: each object that is read must be valid in the version that was requested, and
// writing it back must change nothing.

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "kinformer/apiserver/api_server.h"
#include "kinformer/base/simulation.h"
#include "kinformer/json/json.h"

#include "fuzz/target.h"
#include "fuzz/targets.h"

namespace kinformer::fuzz {
namespace {

constexpr const char* kObjects = R"(
apiVersion: apps/v1
kind: Deployment
metadata: {name: a, namespace: default}
spec:
  selector: {matchLabels: {a: b}}
  template:
    metadata: {labels: {a: b}}
    spec:
      containers:
      - {name: c, image: i, ports: [{containerPort: 53, protocol: UDP}, {containerPort: 53}]}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gears.shop.example}
spec:
  group: shop.example
  scope: Namespaced
  names: {plural: gears, singular: gear, kind: Gear, listKind: GearList}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          status: {type: object, default: {phase: New}, properties: {phase: {type: string}}}
          spec:
            type: object
            default: {}
            properties:
              x: {type: string, default: one}
              map:
                type: array
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [k]
                items: {type: object, required: [k],
                        properties: {k: {type: string}, v: {type: integer, default: 7}}}
              set: {type: array, x-kubernetes-list-type: set, items: {type: string}}
  - name: v2
    served: true
    storage: false
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object, properties: {"y": {type: string, default: two}}}
)";

constexpr std::array<const char*, 3> kItems = {
    "/apis/apps/v1/namespaces/default/deployments/a",
    "/apis/shop.example/v1/namespaces/default/gears/a",
    "/apis/shop.example/v2/namespaces/default/gears/a",
};

struct Reply {
  int status = 0;
  json::Value body{};
};

class Sequence {
 public:
  Sequence() { server_.Load(kObjects).OrExit(); }

  Reply Ask(std::string method, std::string target, std::string body, std::string_view type) {
    HttpRequest request{
        .method = std::move(method), .target = std::move(target), .body = std::move(body)};
    request.headers.Add("Content-Type", type);
    const auto stream = server_.Handle(std::move(request));
    stream->SetWake([] {});
    for (int i = 0; i < 3 && !stream->ready(); ++i) sim_.RunFor(std::chrono::seconds(4));
    Require(stream->ready(), "an answer comes");
    std::string text;
    for (bool more = true; more;) {
      std::vector<BodyChunk> chunks;
      more = stream->Read(65536, chunks) == ResponseStream::State::kMore;
      for (const BodyChunk& chunk : chunks) text += chunk.bytes;
    }
    return {.status = stream->status(), .body = json::Parse(text).value_or(json::Value())};
  }

  // An object that can be read can be written, and is the one that was there.
  void Check() {
    for (const char* item : kItems) {
      Reply read = Ask("GET", item, "", "application/json");
      if (read.status == 404) continue;
      Require(read.status == 200, "what is there can be read", item);
      const json::Value& object = read.body;
      if (item == kItems[1]) {
        Require(object.At("/spec/x").is_string() && object.At("/status/phase").is_string(),
                "a member with a default is there", object.Dump());
      }
      for (const auto& [name, value] : object["spec"].members()) {
        Require(item != kItems[2] || name == "y", "a version shows what it has", name);
      }
      const Reply again = Ask("PUT", item, object.Dump(), "application/json");
      // The other version cannot express all fields, so only the stored version is unchanged.
      if (again.status == 200 && item != kItems[2]) {
        RequireEqual(again.body.At("/metadata/resourceVersion").StringOrEmpty(),
                     object.At("/metadata/resourceVersion").StringOrEmpty(),
                     "to write what was read changes nothing");
      }
    }
  }

 private:
  Simulation sim_;
  apiserver::ApiServer server_{sim_.env()};
};

}  // namespace

// Input in lines: a letter for the request, a digit for its target, the body.
void FuzzApiSequence(std::string_view input) {
  constexpr int kMostRequests = 16;
  Sequence sequence;
  for (int i = 0; i < kMostRequests && input.size() > 2; ++i) {
    const std::size_t end = std::min(input.find('\n'), input.size());
    const std::string_view line = input.substr(0, end);
    input.remove_prefix(std::min(end + 1, input.size()));
    if (line.size() < 3) continue;
    const std::string item = kItems[static_cast<unsigned char>(line[1]) % kItems.size()];
    const std::string body(line.substr(2));
    Reply reply;
    switch (line[0]) {
      case 'c':
        reply = sequence.Ask("POST", item.substr(0, item.rfind('/')), body, "application/json");
        break;
      case 'u':
        reply = sequence.Ask("PUT", item, body, "application/json");
        break;
      case 'm':
        reply = sequence.Ask("PATCH", item, body, "application/merge-patch+json");
        break;
      case 't':
        reply = sequence.Ask("PATCH", item + "/status", body, "application/merge-patch+json");
        break;
      case 'j':
        reply = sequence.Ask("PATCH", item, body, "application/json-patch+json");
        break;
      case 's':
        reply = sequence.Ask("PATCH", item, body, "application/strategic-merge-patch+json");
        break;
      case 'd':
        reply = sequence.Ask("DELETE", item, {}, "application/json");
        break;
      default:
        reply = sequence.Ask("PATCH", item + "?fieldManager=f&force=true", body,
                             "application/apply-patch+yaml");
    }
    Require(reply.status >= 200 && reply.status < 600, "the status is one of HTTP's");
  }
  sequence.Check();
}

}  // namespace kinformer::fuzz
