#include "apiserver/discovery/openapi.h"

#include <algorithm>
#include <utility>

#include "kinformer/internal/registry.h"

#include "apiserver/discovery/openapi_paths.h"
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

// 16 digits that change with the text (FNV-1a).
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

// What kind of object a subresource's requests have, for kinds that no resource serves: Eviction,
// Scale, Binding.
const internal::TypeInfo* TypeOf(const OpenApiKind& kind) {
  for (const internal::TypeInfo* type : internal::AllTypes()) {
    if (type->kind == kind.kind && type->version == kind.version && type->group == kind.group) {
      return type;
    }
  }
  return nullptr;
}

// The schema of a custom resource's objects, as its definition has it.
Value CustomSchema(const ServedVersion& version) {
  Value schema = version.schema == nullptr ? Value::MakeObject() : version.schema->source();
  if (!version.selectable.empty()) {
    Value fields = Value::MakeArray();
    for (const std::string& field : version.selectable) {
      fields.Append(Value::MakeObject({{"fieldPath", field}}));
    }
    schema.Set("x-kubernetes-selectable-fields", std::move(fields));
  }
  return schema;
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
    return Document(gv, info.query.Get("hash"), if_none_match);
  }
  return nullptr;
}

ResponsePtr OpenApi::Index() {
  Value paths = Value::MakeObject();
  for (const GroupVersionEntry& gv : state_.resources.GroupVersions()) {
    const std::string path = PathOf(gv);
    paths.Set(path, Value::MakeObject(
                        {{"serverRelativeURL", "/openapi/v3/" + path + "?hash=" + HashOf(gv)}}));
  }
  return WholeResponse(200, kJson, Value::MakeObject({{"paths", std::move(paths)}}).Dump());
}

ResponsePtr OpenApi::Document(const GroupVersionEntry& gv, std::string_view hash,
                              std::string_view if_none_match) {
  const std::string& current = HashOf(gv);
  HttpHeaders headers;
  if (!hash.empty() && hash != current) {
    headers.Add("Location", "/openapi/v3/" + PathOf(gv) + "?hash=" + current);
    return WholeResponse(301, std::move(headers), {});
  }
  const std::string tag = "\"" + current + "\"";
  headers.Add("Content-Type", kJson);
  headers.Add("ETag", tag);
  headers.Add("Vary", "Accept");
  headers.Add("Cache-Control", hash.empty() ? "no-cache, private" : "public, immutable");
  if (if_none_match == tag) return WholeResponse(304, std::move(headers), {});
  return WholeResponse(200, std::move(headers), MakeDocument(gv));
}

const std::string& OpenApi::HashOf(const GroupVersionEntry& gv) {
  Hash& hash = hashes_[PathOf(gv)];
  const bool stale =
      hash.revision != state_.resources.revision() && !IsBuiltinGroup(state_, gv.group);
  if (hash.text.empty() || stale) {
    hash = {.revision = state_.resources.revision(), .text = Fingerprint(MakeDocument(gv))};
  }
  return hash.text;
}

void OpenApi::Fill(const GroupVersionEntry& gv, OpenApiSchemas& schemas, json::Value* paths) const {
  for (const auto& resource : state_.resources.all()) {
    if (resource->group != gv.group) continue;
    const auto served = resource->FindVersion(gv.version);
    if (served == nullptr) continue;
    OpenApiResource at{.resource = *resource,
                       .kind = {.group = gv.group, .version = gv.version, .kind = served->kind}};
    at.object_schema = served->message != nullptr
                           ? schemas.AddBuiltin(at.kind, *served->message)
                           : schemas.AddCustom(at.kind, CustomSchema(*served));
    const std::string list_kind =
        resource->list_kind.empty() ? served->kind + "List" : resource->list_kind;
    if (resource->HasVerb("list")) {
      at.list_schema = schemas.AddList(at.kind, list_kind, at.object_schema);
    }
    for (const Subresource& sub : resource->subresources) {
      if (!sub.IsIn(gv.version)) continue;
      const OpenApiKind kind{.group = sub.group, .version = sub.version, .kind = sub.kind};
      const internal::TypeInfo* const type = TypeOf(kind);
      if (type != nullptr && type->message != nullptr) schemas.AddBuiltin(kind, *type->message);
    }
    if (paths != nullptr) AddPaths(at, schemas, *paths);
  }
}

std::string OpenApi::MakeDocument(const GroupVersionEntry& gv) const {
  OpenApiSchemas schemas(OpenApiVersion::kV3);
  Value paths = Value::MakeObject();
  Fill(gv, schemas, &paths);
  return Value::MakeObject({{"openapi", "3.0.0"},
                            {"info", Value::MakeObject({{"title", "Kubernetes"},
                                                        {"version", state_.options.git_version}})},
                            {"paths", std::move(paths)},
                            {"components", Value::MakeObject({{"schemas", schemas.Take()}})}})
      .Dump();
}

// kubectl asks for protobuf and needs only that there is a document: with an empty one it falls
// back to the types that it was built with. Others ask for JSON and get the schemas.
ResponsePtr OpenApi::V2(std::string_view accept) {
  if (accept.find("proto-openapi") != std::string_view::npos) {
    std::string about;
    AppendBytesField(1, "Kubernetes", about);
    AppendBytesField(2, state_.options.git_version, about);
    std::string document;
    AppendBytesField(1, "2.0", document);
    AppendBytesField(2, about, document);
    AppendBytesField(8, "", document);
    return WholeResponse(200, kProtobufV2, std::move(document));
  }
  OpenApiSchemas schemas(OpenApiVersion::kV2);
  for (const GroupVersionEntry& gv : state_.resources.GroupVersions()) Fill(gv, schemas, nullptr);
  return WholeResponse(
      200, kJson,
      Value::MakeObject({{"swagger", "2.0"},
                         {"info", Value::MakeObject({{"title", "Kubernetes"},
                                                     {"version", state_.options.git_version}})},
                         {"paths", Value::MakeObject()},
                         {"definitions", schemas.Take()}})
          .Dump());
}

}  // namespace kinformer::apiserver
