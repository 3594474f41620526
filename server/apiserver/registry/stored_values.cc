#include "apiserver/registry/stored_values.h"

#include <cstdint>
#include <optional>
#include <set>
#include <utility>

#include "apiserver/errors/protobuf_envelope.h"
#include "apiserver/registry/built_in_conversion.h"
#include "object/transcode/transcode.h"
#include "wire/json_nulls.h"

namespace kinformer::apiserver {
namespace {

constexpr std::string_view kVersionKey = "\"resourceVersion\":\"";
constexpr std::string_view kProtobuf("k8s\0", 4);

// Returns the version of the resource, or of another one that shares its store, in which an object
// of that apiVersion is.
const ServedVersion* VersionOf(const ResourceTable& resources, const ServedResource& resource,
                               std::string_view api_version, std::string_view kind) {
  for (const auto& other : resources.all()) {
    if (other.get() != &resource && other->stored.get() != &resource) continue;
    for (const auto& version : other->versions) {
      if (version->api_version == api_version && version->kind == kind) return version.get();
    }
  }
  return nullptr;
}

Error NotReadable(std::string_view why) {
  return {Reason::kDecode, "the stored value cannot be read: " + std::string(why)};
}

// Brings an object of a built-in resource into its stored form.
Result<json::Value> InStoredForm(const ServedVersion& version, json::Value object) {
  if (version.conversion == nullptr) return object;
  return version.conversion->to_stored(object);
}

Result<ReadObject> ReadProtobuf(const ResourceTable& resources, const ServedResource* resource,
                                std::string_view value) {
  const std::optional<EnvelopeParts> parts = ParseEnvelope(value);
  if (!parts || resource == nullptr) return NotReadable("it is no object in protobuf");
  const ServedVersion* const version =
      VersionOf(resources, *resource, parts->api_version, parts->kind);
  if (version == nullptr || version->message == nullptr) {
    return NotReadable("this server does not know " + std::string(parts->api_version) + " " +
                       std::string(parts->kind));
  }
  std::string text;
  if (Result<void> decoded = internal::ProtobufToJson(*version->message, parts->raw, text);
      !decoded) {
    return NotReadable(decoded.error().message());
  }
  Result<json::Value> object = json::Parse(text);
  if (!object) return NotReadable(object.error().message());
  json::DropNulls(*object);
  Result<json::Value> made = InStoredForm(*version, *std::move(object));
  if (!made) return made.error();
  return ReadObject{.version = version->version, .object = *std::move(made)};
}

}  // namespace

std::string ValueOf(const ServedResource& resource, const StoredObject& stored) {
  std::string out = resource.versions.front()->head;
  if (resource.forms != nullptr && stored.form() < resource.forms->size()) {
    // A version that is no longer served keeps its name.
    out = R"({"kind":")" + resource.kind + R"(","apiVersion":")" + resource.group + "/" +
          (*resource.forms)[stored.form()] + "\",";
  }
  // The revision of the key is the version.
  const std::string& body = stored.body();
  const std::size_t at = body.find(kVersionKey);
  const std::size_t end = at == std::string::npos ? at : body.find('"', at + kVersionKey.size());
  if (end == std::string::npos) return out.append(body);
  const bool last = body.size() <= end + 1 || body[end + 1] != ',';
  // One comma goes with it.
  const std::size_t before = last && at > 0 && body[at - 1] == ',' ? at - 1 : at;
  return out.append(body, 0, before).append(body, last ? end + 1 : end + 2);
}

Result<ReadObject> ReadValue(const ResourceTable& resources, const ServedResource* resource,
                             std::string_view value) {
  if (value.starts_with(kProtobuf)) return ReadProtobuf(resources, resource, value);
  if (value.starts_with("k8s:enc:")) {
    return NotReadable("it is encrypted: let kube-apiserver store it without encryption");
  }
  Result<json::Value> parsed = json::Parse(value);
  if (!parsed) return NotReadable(parsed.error().message());
  json::Value object = *std::move(parsed);
  const std::string api_version = std::as_const(object)["apiVersion"].StringOrEmpty();
  const std::string kind = std::as_const(object)["kind"].StringOrEmpty();
  if (!std::as_const(object)["metadata"].is_object() || api_version.empty()) {
    return NotReadable("it is no object");
  }
  object.Erase("apiVersion");
  object.Erase("kind");
  const std::size_t slash = api_version.find('/');
  ReadObject read{
      .version = slash == std::string::npos ? api_version : api_version.substr(slash + 1),
      .object = std::move(object)};
  if (resource == nullptr || resource->custom) return read;
  const ServedVersion* const version = VersionOf(resources, *resource, api_version, kind);
  if (version == nullptr) {
    return NotReadable("this server does not know " + api_version + " " + kind);
  }
  Result<json::Value> made = InStoredForm(*version, std::move(read.object));
  if (!made) return made.error();
  read.object = *std::move(made);
  return read;
}

std::vector<std::string> ClaimsOf(const ServedResource& resource, const StoredObject* stored) {
  if (stored == nullptr || !resource.Is("", "services")) return {};
  const json::Value service = stored->Parse();
  std::set<std::string> claims;
  for (const json::Value& address : service.At("/spec/clusterIPs").items()) {
    const std::string& text = address.StringOrEmpty();
    if (!text.empty() && text != "None") claims.insert("address/" + text);
  }
  for (const json::Value& port : service.At("/spec/ports").items()) {
    const std::int64_t number = port["nodePort"].AsInt64().value_or(0);
    if (number == 0) continue;
    const std::string& protocol = port["protocol"].StringOrEmpty();
    claims.insert("port/" + std::to_string(number) + "/" + protocol);
  }
  return {claims.begin(), claims.end()};
}

}  // namespace kinformer::apiserver
