#include "apiserver/discovery/openapi.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "apiserver/discovery/kubernetes_version.h"
#include "apiserver/discovery/openapi_documents.h"
#include "apiserver/errors/protobuf_envelope.h"

namespace kinformer::apiserver {
namespace {

using json::Value;

constexpr std::string_view kJson = "application/json";
constexpr std::string_view kProtobufV2 =
    "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

std::string PathOf(const GroupVersionEntry& gv) {
  return gv.group.empty() ? "api/" + gv.version : "apis/" + gv.group + "/" + gv.version;
}

// Returns 16 digits that depend on the text (FNV-1a).
std::string Fingerprint(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3U;
  }
  std::string out;
  for (int shift = 60; shift >= 0; shift -= 4) out += "0123456789ABCDEF"[(hash >> shift) & 15U];
  return out;
}

bool IsBuiltinGroup(const ServerState& state, std::string_view group) {
  const auto& all = state.resources.all();
  return std::none_of(all.begin(), all.end(), [&](const auto& resource) {
    return resource->custom && resource->group == group;
  });
}

}  // namespace

ResponsePtr OpenApi::Answer(const RequestInfo& info, std::string_view accept,
                            std::string_view if_none_match) {
  Env& env = state_.env;
  if (info.path == "/openapi/v2") {
    return accept.find("proto-openapi") == std::string_view::npos ? Respond(env, V2()) : EmptyV2();
  }
  if (info.path == "/openapi/v3") return Respond(env, Index());
  const auto& parts = info.parts;
  if (parts.size() < 4 || parts[1] != "v3") return nullptr;
  for (const GroupVersionEntry& gv : state_.resources.GroupVersions()) {
    if (info.path != "/openapi/v3/" + PathOf(gv)) continue;
    DocumentRequest request{.gv = gv,
                            .hash = std::string(info.query.Get("hash")),
                            .if_none_match = std::string(if_none_match)};
    return Respond(env, Document(std::move(request)));
  }
  return nullptr;
}

const std::string* OpenApi::HashOf(const GroupVersionEntry& gv) const {
  const OpenApiHashes::Hash* const found = hashes_.Find(PathOf(gv));
  if (found == nullptr) return nullptr;
  const bool stale =
      found->revision != state_.resources.revision() && !IsBuiltinGroup(state_, gv.group);
  return stale ? nullptr : &found->text;
}

Task<ResponsePtr> OpenApi::Index() {
  const std::uint64_t revision = state_.resources.revision();
  const std::vector<GroupVersionEntry> group_versions = state_.resources.GroupVersions();
  std::vector<std::string> hashes;  // of each document; empty: unknown
  for (const GroupVersionEntry& gv : group_versions) {
    const std::string* const hash = HashOf(gv);
    hashes.push_back(hash == nullptr ? std::string() : *hash);
  }
  if (std::ranges::count(hashes, std::string()) > 0) {
    auto documents = std::make_unique<const OpenApiDocuments>(state_);
    co_await off_loop_.Do([&] {
      for (std::size_t i = 0; i < hashes.size(); ++i) {
        if (hashes[i].empty()) hashes[i] = Fingerprint(documents->V3(group_versions[i]));
      }
      documents = nullptr;  // here, where nobody waits for that
    });
  }
  Value paths = Value::MakeObject();
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    const std::string path = PathOf(group_versions[i]);
    paths.Set(path, Value::MakeObject(
                        {{"serverRelativeURL", "/openapi/v3/" + path + "?hash=" + hashes[i]}}));
    hashes_.Note(path, revision, hashes[i]);
  }
  co_return WholeResponse(200, kJson, Value::MakeObject({{"paths", std::move(paths)}}).Dump());
}

Task<ResponsePtr> OpenApi::Document(DocumentRequest request) {
  if (const std::string* const hash = HashOf(request.gv)) {
    if (ResponsePtr without = WithoutDocument(request, *hash)) co_return without;
  }
  const std::uint64_t revision = state_.resources.revision();
  auto documents = std::make_unique<const OpenApiDocuments>(state_);
  std::string text;
  const std::string hash = co_await off_loop_.Do([&] {
    text = documents->V3(request.gv);
    documents = nullptr;
    return Fingerprint(text);
  });
  hashes_.Note(PathOf(request.gv), revision, hash);
  if (ResponsePtr without = WithoutDocument(request, hash)) co_return without;
  co_return WholeResponse(200, HeadersOf(request, hash), std::move(text));
}

HttpHeaders OpenApi::HeadersOf(const DocumentRequest& request, const std::string& hash) {
  HttpHeaders headers;
  headers.Add("Content-Type", kJson);
  headers.Add("ETag", "\"" + hash + "\"");
  headers.Add("Vary", "Accept");
  headers.Add("Cache-Control", request.hash.empty() ? "no-cache, private" : "public, immutable");
  return headers;
}

ResponsePtr OpenApi::WithoutDocument(const DocumentRequest& request, const std::string& hash) {
  if (!request.hash.empty() && request.hash != hash) {
    HttpHeaders headers;
    headers.Add("Location", "/openapi/v3/" + PathOf(request.gv) + "?hash=" + hash);
    return WholeResponse(301, std::move(headers), {});
  }
  if (request.if_none_match != "\"" + hash + "\"") return nullptr;
  return WholeResponse(304, HeadersOf(request, hash), {});
}

Task<ResponsePtr> OpenApi::V2() {
  auto documents = std::make_unique<const OpenApiDocuments>(state_);
  std::string text = co_await off_loop_.Do([&] {
    std::string made = documents->V2();
    documents = nullptr;
    return made;
  });
  co_return WholeResponse(200, kJson, std::move(text));
}

// kubectl requests protobuf and needs only the existence of a document: with an empty one it uses
// its built-in types. Other clients request JSON and get the schemas.
ResponsePtr OpenApi::EmptyV2() {
  std::string about;
  AppendBytesField(1, "Kubernetes", about);
  AppendBytesField(2, kKubernetesVersion, about);
  std::string document;
  AppendBytesField(1, "2.0", document);
  AppendBytesField(2, about, document);
  AppendBytesField(8, "", document);
  return WholeResponse(200, kProtobufV2, std::move(document));
}

}  // namespace kinformer::apiserver
