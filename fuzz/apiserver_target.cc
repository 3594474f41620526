// The API server: every request must get an answer in the form of the API, and the objects that the
// server stores must stay well-formed.

#include <memory>
#include <string>
#include <vector>

#include "kinformer/apiserver/api_server.h"
#include "kinformer/apiserver/recording.h"
#include "kinformer/base/simulation.h"
#include "kinformer/internal/registry.h"
#include "kinformer/json/json.h"
#include "kinformer/json/json_diff.h"

#include "apiserver/faults/fault_json.h"
#include "apiserver/faults/recording_format.h"
#include "apiserver/read/list_stream.h"
#include "apiserver/request/patch.h"
#include "apiserver/request/request_info.h"
#include "fuzz/target.h"
#include "fuzz/targets.h"

namespace kinformer::fuzz {
namespace {

using namespace kinformer::apiserver;

constexpr const char* kObjects = R"(
apiVersion: v1
kind: ConfigMap
metadata: {name: a, namespace: default, labels: {app: web}}
data: {k: v}
---
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: default, finalizers: [example.com/f]}
spec: {containers: [{name: c, image: i, ports: [{containerPort: 80}]}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: d, namespace: default}
spec:
  replicas: 1
  selector: {matchLabels: {a: b}}
  template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c}]}}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.shop.example}
spec:
  group: shop.example
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget, listKind: WidgetList}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties: {spec: {type: object, properties: {size: {type: integer}}}}
)";

// Reads the available part of the body; stops if the stream waits.
void Drain(ResponseStream& stream, std::string& body) {
  for (int reads = 0; reads < 1000; ++reads) {
    std::vector<BodyChunk> chunks;
    const auto state = stream.Read(4096, chunks);
    for (const BodyChunk& chunk : chunks) body += chunk.bytes;
    if (state != ResponseStream::State::kMore) return;
  }
}

// Returns the next line of `rest`.
std::string_view Line(std::string_view& rest) {
  const std::size_t end = std::min(rest.find('\n'), rest.size());
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return line;
}

struct Reply {
  int status = 0;
  std::string body{};
};

Reply Ask(Simulation& sim, Handler& server, HttpRequest request) {
  const bool watch = request.target.find("watch") != std::string::npos;
  auto stream = server.Handle(std::move(request));
  Require(stream != nullptr, "a request has an answer");
  stream->SetWake([] {});
  sim.RunReady();
  for (int i = 0; i < 3 && !stream->ready(); ++i) sim.RunFor(std::chrono::seconds(4));
  Require(stream->ready(), "an answer comes");
  const int status = stream->status();
  if (status == 0) return {};
  Require(status >= 200 && status < 600, "the status is one of HTTP's");
  const std::string type(stream->headers().Get("Content-Type"));
  std::string body;
  Drain(*stream, body);
  if (!watch && type == "application/json") {
    Require(json::Parse(body).ok(), "an answer that says it is JSON is JSON", body);
  }
  return {.status = status, .body = std::move(body)};
}

// A server with the objects above. Making one costs more than most requests, so it is reused until
// a request changes something; every input starts with the same state.
struct Served {
  explicit Served(std::string_view more = {}) : server(sim.env(), {.debug_endpoints = true}) {
    server.Load(kObjects).OrExit();
    server.Load(more).OrExit();
    sim.RunReady();
    version = server.current_resource_version();
  }

  Simulation sim;
  ApiServer server;
  std::int64_t version = 0;
  int asked = 0;
};

// Twelve more ConfigMaps, in two namespaces.
std::string MoreObjects() {
  std::string out;
  for (int i = 0; i < 12; ++i) {
    out += "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: m" + std::to_string(i) +
           ", namespace: " + (i % 3 == 0 ? "kube-public" : "default") + ", labels: {n: n" +
           std::to_string(i % 4) + ", app: " + (i % 2 == 0 ? "web" : "db") + "}}\n";
  }
  return out;
}

// Returns "namespace/name" of the objects in a list, in its order.
std::vector<std::string> KeysIn(const json::Value& list) {
  std::vector<std::string> keys;
  for (const json::Value& item : list["items"].items()) {
    keys.push_back(item.At("/metadata/namespace").StringOrEmpty() + "/" +
                   item.At("/metadata/name").StringOrEmpty());
  }
  return keys;
}

}  // namespace

// Input: the query of a list. Its pages together must equal the list without a limit.
void FuzzListOptions(std::string_view input) {
  constexpr int kMostAsked = 500;
  constexpr std::string_view kPath = "/api/v1/configmaps?";
  static std::unique_ptr<Served> served;
  if (served == nullptr || served->asked++ == kMostAsked) {
    served.reset();
    served = std::make_unique<Served>(MoreObjects());
  }
  const auto get = [&](const std::string& query) {
    return Ask(served->sim, served->server,
               {.method = "GET", .target = std::string(kPath) + query});
  };
  const std::string query(input);
  const Query options(input);
  Reply reply = get(query);
  Require(reply.status < 500 || reply.status == 504, "no query is the server's fault", reply.body);
  if (reply.status != 200 || options.Has("watch")) return;
  Result<json::Value> page = json::Parse(reply.body);
  if (!page) return;
  // The first one counts if a parameter is repeated.
  const auto next = [&](const json::Value& list) {
    const std::string& token = list.At("/metadata/continue").StringOrEmpty();
    std::string more = "continue=" + token + "&limit=" + std::string(options.Get("limit"));
    for (const char* name : {"labelSelector", "fieldSelector"}) {
      std::string encoded;
      for (const char c : options.Get(name)) {
        constexpr std::string_view kHex = "0123456789ABCDEF";
        const auto byte = static_cast<unsigned char>(c);
        encoded += {'%', kHex[byte >> 4U], kHex[byte & 15U]};
      }
      if (options.Has(name)) more.append("&").append(name).append("=").append(encoded);
    }
    return more;
  };
  std::vector<std::string> keys = KeysIn(*page);
  for (int pages = 0; !page->At("/metadata/continue").StringOrEmpty().empty(); ++pages) {
    Require(pages < 20, "a list ends", query);
    reply = get(next(*page));
    Require(reply.status == 200, "a token that was given can be used", query, reply.body);
    page = json::Parse(reply.body);
    Require(page.ok(), "pages are alike", reply.body);
    for (std::string& key : KeysIn(*page)) keys.push_back(std::move(key));
  }
  for (std::size_t i = 1; i < keys.size(); ++i) {
    Require(keys[i - 1] < keys[i], "each object comes once, in the order of names", keys[i]);
  }
  // With a limit, a version is exact, so the lists may differ.
  if (options.Has("continue") || options.Has("resourceVersion")) return;
  const auto whole = json::Parse(get("limit=0&" + query).body);
  Require(whole.ok() && KeysIn(*whole) == keys, "pages hold what the whole list holds", query);
}

// Input in lines: method and target; headers; an empty line; the body.
void FuzzApiRequest(std::string_view input) {
  constexpr int kMostAsked = 500;
  static std::unique_ptr<Served> served;
  if (served == nullptr || served->asked++ == kMostAsked) {
    served.reset();
    served = std::make_unique<Served>();
  }
  Simulation& sim = served->sim;
  ApiServer& server = served->server;
  std::string_view rest = input;
  std::string_view first = Line(rest);
  HttpRequest request;
  const std::size_t space = std::min(first.find(' '), first.size());
  request.method = first.substr(0, space);
  request.target = first.substr(std::min(space + 1, first.size()));
  for (std::string_view line = Line(rest); !line.empty(); line = Line(rest)) {
    const std::size_t colon = std::min(line.find(':'), line.size());
    std::string_view value = line.substr(std::min(colon + 1, line.size()));
    value.remove_prefix(std::min(value.find_first_not_of(' '), value.size()));
    request.headers.Add(line.substr(0, colon), value);
  }
  request.body = rest;
  const bool debug = request.target.find("debug") != std::string::npos;
  Ask(sim, server, std::move(request));
  if (!debug && server.current_resource_version() == served->version) return;
  // After any request, everything can still be listed.
  server.faults().Clear();
  for (const char* target : {"/api/v1/configmaps", "/api/v1/pods", "/apis/apps/v1/deployments",
                             "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
                             "/apis/shop.example/v1/widgets", "/api/v1/namespaces", "/apis"}) {
    Ask(sim, server, {.method = "GET", .target = target});
  }
  served.reset();
}

// Input: two lines of JSON: the patch and the document.
void FuzzPatch(std::string_view input) {
  Choices choices(input);
  const std::uint8_t format = choices.Byte();
  std::string_view rest = choices.rest();
  const Result<json::Value> patch = json::Parse(Line(rest));
  Result<json::Value> document = json::Parse(rest);
  if (!patch || !document) return;
  Result<void> applied;
  switch (format % 3) {
    case 0:
      applied = ApplyJsonPatch(*patch, *document);
      break;
    case 1:
      applied =
          ApplyStrategicMergePatch(*patch, internal::FindType("", "v1", "Pod")->message, *document);
      break;
    default: {
      document->MergePatch(*patch);
      json::Value once = *document;
      document->MergePatch(*patch);
      RequireEqual(document->Dump(), once.Dump(), "a merge patch twice is a merge patch once");
    }
  }
  if (!applied) Require(!applied.error().message().empty(), "an error says something");
  Require(json::Parse(document->Dump()).ok(), "what was patched is JSON", document->Dump());
}

// Input: a line with a JSON patch, and a document. Applies the patch many times: if a round adds
// depth, the document becomes too deep at some point and the patch must be refused.
void FuzzPatchDepth(std::string_view input) {
  constexpr int kRounds = 300;
  std::string_view rest = input;
  const Result<json::Value> patch = json::Parse(Line(rest));
  Result<json::Value> document = json::Parse(rest);
  if (!patch || !document) return;
  for (int i = 0; i < kRounds; ++i) {
    const Result<void> ours = json::ApplyPatch(*patch, *document);
    if (!ours) Require(!ours.error().message().empty(), "an error says something");
    if (!ApplyJsonPatch(*patch, *document)) break;
    if (document->Dump().size() > (std::size_t{1} << 20)) return;
  }
  const std::string text = document->Dump();
  Require(json::Parse(text).ok(), "what was patched is no deeper than what can be read", text);
}

void FuzzContinueToken(std::string_view input) {
  const Result<ContinueToken> token = DecodeContinue(input);
  if (!token) {
    Require(!token.error().message().empty(), "an error says something");
    return;
  }
  const std::string text = EncodeContinue(*token);
  const Result<ContinueToken> again = DecodeContinue(text);
  Require(again.ok(), "a token that was made can be read", input, text);
  Require(again->resource_version == token->resource_version && again->start == token->start,
          "a token means the same after a round", input, text);
}

void FuzzFaultRule(std::string_view input) {
  const Result<json::Value> value = json::Parse(input);
  if (!value) return;
  const Result<FaultRule> rule = FaultRuleFromJson(*value);
  if (!rule) {
    Require(!rule.error().message().empty(), "an error says something");
    return;
  }
  const json::Value text = FaultRuleToJson(*rule);
  const Result<FaultRule> again = FaultRuleFromJson(text);
  Require(again.ok(), "a rule that was written can be read", text.Dump());
  RequireEqual(FaultRuleToJson(*again).Dump(), text.Dump(), "a rule means the same after a round");
}

void FuzzRecording(std::string_view input) {
  const Result<Recording> recording = ParseRecording(std::string(input));
  Simulation sim;
  auto replay = Replay::FromBytes(sim.env(), std::string(input), {.speed = 0.001});
  Require(replay.ok() == recording.ok(), "both take it or both do not");
  if (!recording) {
    Require(!recording.error().message().empty(), "an error says something");
    return;
  }
  for (const RecordedExchange& exchange : recording->exchanges) {
    auto stream = (*replay)->Handle({.method = "GET", .target = exchange.target});
    stream->SetWake([] {});
    sim.RunFor(std::chrono::seconds(1));
    std::string body;
    if (stream->ready()) Drain(*stream, body);
  }
}

}  // namespace kinformer::fuzz
