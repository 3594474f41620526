#include "apiserver/discovery/openapi.h"

#include <algorithm>
#include <cstdint>
#include <limits>
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

// Cost for OffLoop: documents are always made off the loop.
constexpr std::size_t kMuch = std::numeric_limits<std::size_t>::max();

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
  if (info.path == "/openapi/v2") return V2(accept);
  if (info.path == "/openapi/v3") return Index();
  const auto& parts = info.parts;
  if (parts.size() < 4 || parts[1] != "v3") return nullptr;
  for (const GroupVersionEntry& gv : state_.resources.GroupVersions()) {
    if (info.path != "/openapi/v3/" + PathOf(gv)) continue;
    return Document({.gv = gv,
                     .hash = std::string(info.query.Get("hash")),
                     .if_none_match = std::string(if_none_match)});
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

ResponsePtr OpenApi::Index() {
  struct Job {
    OpenApiDocuments documents;
    std::uint64_t revision = 0;
    std::vector<GroupVersionEntry> group_versions{};
    std::vector<std::string> hashes{};  // of each document; empty: unknown
  };
  const auto job = std::make_shared<Job>(Job{.documents = OpenApiDocuments(state_),
                                             .revision = state_.resources.revision(),
                                             .group_versions = state_.resources.GroupVersions()});
  for (const GroupVersionEntry& gv : job->group_versions) {
    const std::string* const hash = HashOf(gv);
    job->hashes.push_back(hash == nullptr ? std::string() : *hash);
  }
  const auto stale = [&] { return std::ranges::count(job->hashes, std::string()); };
  return off_loop_.Run(
      stale() == 0 ? 0 : kMuch,
      [job] {
        for (std::size_t i = 0; i < job->hashes.size(); ++i) {
          if (!job->hashes[i].empty()) continue;
          job->hashes[i] = Fingerprint(job->documents.V3(job->group_versions[i]));
        }
      },
      [this, job] {
        Value paths = Value::MakeObject();
        for (std::size_t i = 0; i < job->hashes.size(); ++i) {
          const std::string path = PathOf(job->group_versions[i]);
          paths.Set(path, Value::MakeObject({{"serverRelativeURL",
                                              "/openapi/v3/" + path + "?hash=" + job->hashes[i]}}));
          hashes_.Note(path, job->revision, job->hashes[i]);
        }
        return WholeResponse(200, kJson, Value::MakeObject({{"paths", std::move(paths)}}).Dump());
      });
}

ResponsePtr OpenApi::Document(const DocumentRequest& request) {
  struct Job {
    OpenApiDocuments documents;
    std::uint64_t revision = 0;
    std::string hash{};
    std::string text{};
  };
  if (const std::string* const hash = HashOf(request.gv)) {
    if (ResponsePtr without = WithoutDocument(request, *hash)) return without;
  }
  const auto job = std::make_shared<Job>(
      Job{.documents = OpenApiDocuments(state_), .revision = state_.resources.revision()});
  return off_loop_.Run(
      kMuch,
      [job, request] {
        job->text = job->documents.V3(request.gv);
        job->hash = Fingerprint(job->text);
      },
      [this, job, request] {
        hashes_.Note(PathOf(request.gv), job->revision, job->hash);
        if (ResponsePtr without = WithoutDocument(request, job->hash)) return without;
        return WholeResponse(200, HeadersOf(request, job->hash), std::move(job->text));
      });
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

// kubectl requests protobuf and needs only the existence of a document: with an empty one it uses
// its built-in types. Other clients request JSON and get the schemas.
ResponsePtr OpenApi::V2(std::string_view accept) {
  if (accept.find("proto-openapi") != std::string_view::npos) {
    std::string about;
    AppendBytesField(1, "Kubernetes", about);
    AppendBytesField(2, kKubernetesVersion, about);
    std::string document;
    AppendBytesField(1, "2.0", document);
    AppendBytesField(2, about, document);
    AppendBytesField(8, "", document);
    return WholeResponse(200, kProtobufV2, std::move(document));
  }
  struct Job {
    OpenApiDocuments documents;
    std::string text{};
  };
  const auto job = std::make_shared<Job>(Job{.documents = OpenApiDocuments(state_)});
  return off_loop_.Run(
      kMuch, [job] { job->text = job->documents.V2(); },
      [job] { return WholeResponse(200, kJson, std::move(job->text)); });
}

}  // namespace kinformer::apiserver
