#include "apiserver/testing.h"

#include <utility>

namespace kinformer::apiserver::testing {

json::Value Reply::Json() const { return json::Parse(body).value_or(json::Value()); }

OpenReply::OpenReply(Simulation& sim, std::unique_ptr<ResponseStream> stream)
    : sim_(sim), wakes_(std::make_shared<int>(0)), stream_(std::move(stream)) {
  stream_->SetWake([wakes = wakes_] { ++*wakes; });
  Pull();
}

void OpenReply::Pull(std::size_t max_bytes) {
  while (!reply_.complete && stream_->ready()) {
    if (reply_.status == 0) {
      reply_.status = stream_->status();
      reply_.headers = stream_->headers();
    }
    std::vector<BodyChunk> chunks;
    const auto state = stream_->Read(max_bytes, chunks);
    for (const BodyChunk& chunk : chunks) reply_.body += chunk.bytes;
    if (state == ResponseStream::State::kWait) return;
    if (state == ResponseStream::State::kMore) continue;
    reply_.complete = true;
    reply_.aborted = state == ResponseStream::State::kAbort;
  }
}

std::vector<json::Value> OpenReply::Frames() {
  sim_.RunReady();
  Pull();
  std::vector<json::Value> frames;
  for (std::size_t end = reply_.body.find('\n', parsed_); end != std::string::npos;
       end = reply_.body.find('\n', parsed_)) {
    frames.push_back(
        json::Parse(std::string_view(reply_.body).substr(parsed_, end - parsed_)).value());
    parsed_ = end + 1;
  }
  return frames;
}

std::vector<std::string> OpenReply::Events() {
  std::vector<std::string> events;
  for (const json::Value& frame : Frames()) {
    const json::Value& object = frame["object"];
    std::string text = frame["type"].StringOrEmpty();
    const std::string& ns = object.At("/metadata/namespace").StringOrEmpty();
    const std::string& name = object.At("/metadata/name").StringOrEmpty();
    if (!name.empty()) text += " " + (ns.empty() ? name : ns + "/" + name);
    if (object["kind"].StringOrEmpty() == "Status") {
      text += " " + object["reason"].StringOrEmpty();
    } else {
      text += " " + object.At("/metadata/resourceVersion").StringOrEmpty();
    }
    events.push_back(std::move(text));
  }
  return events;
}

TestServer::TestServer(ApiServerOptions options, std::uint64_t seed)
    : sim_({.seed = seed, .start = WallTime(std::chrono::seconds(1'700'000'000))}),
      server_(sim_.env(), std::move(options)) {}

std::unique_ptr<OpenReply> TestServer::Open(std::string_view target, const HeaderList& headers) {
  HttpRequest request{.method = "GET", .target = std::string(target)};
  for (const auto& [name, value] : headers) request.headers.Add(name, value);
  return std::make_unique<OpenReply>(sim_, server_.Handle(std::move(request)));
}

Reply TestServer::Do(std::string_view method, std::string_view target, std::string_view body,
                     const HeaderList& headers) {
  HttpRequest request{
      .method = std::string(method), .target = std::string(target), .body = std::string(body)};
  for (const auto& [name, value] : headers) request.headers.Add(name, value);
  OpenReply open(sim_, server_.Handle(std::move(request)));
  (void)sim_.RunUntil(
      [&] {
        open.Pull();
        return open.ended();
      },
      std::chrono::minutes(1));
  return open.reply();
}

std::string TestServer::MakeConfigMap(std::string_view namespace_, std::string_view name,
                                      std::string_view labels_json) {
  const json::Value object = json::Value::MakeObject(
      {{"metadata", json::Value::MakeObject({{"namespace", namespace_},
                                             {"name", name},
                                             {"labels", json::Parse(labels_json).value()}})}});
  return server_.Create(kConfigMaps, object)
      .value()
      .At("/metadata/resourceVersion")
      .StringOrEmpty();
}

}  // namespace kinformer::apiserver::testing
