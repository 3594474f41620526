#include "apiserver/write/request/request_body.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "kinformer/internal/registry.h"
#include "kinformer/json/yaml.h"

#include "apiserver/errors/protobuf_envelope.h"
#include "apiserver/errors/status.h"
#include "apiserver/request/negotiation.h"
#include "object/transcode/protobuf_to_value.h"

namespace kinformer::apiserver {
namespace {

constexpr std::string_view kAccepted =
    "application/json, application/yaml, application/vnd.kubernetes.protobuf";

bool IsProtobuf(std::string_view content_type) {
  return IsMediaType(content_type, "application/vnd.kubernetes.protobuf");
}

Result<json::Value> DecodeProtobuf(std::string_view body) {
  const auto envelope = ParseEnvelope(body);
  if (!envelope) {
    return BadRequestError(
        "provided data does not appear to be a protobuf message, expected prefix k8s\\0");
  }
  const std::size_t slash = envelope->api_version.find('/');
  const std::string_view group =
      slash == std::string_view::npos ? std::string_view() : envelope->api_version.substr(0, slash);
  const std::string_view version = slash == std::string_view::npos
                                       ? envelope->api_version
                                       : envelope->api_version.substr(slash + 1);
  const KindInfo* type = internal::FindType(group, version, envelope->kind);
  if (type == nullptr || type->message == nullptr) {
    return BadRequestError("no kind \"" + std::string(envelope->kind) +
                           "\" is registered for version \"" + std::string(envelope->api_version) +
                           "\"");
  }
  Result<json::Value> decoded = internal::ProtobufToValue(*type->message, envelope->raw,
                                                          envelope->kind, envelope->api_version);
  if (!decoded) return BadRequestError(decoded.error().message());
  return decoded;
}

// Converts "/spec/containers/0/name" to the form of strict decoding: spec.containers[0].name.
std::string DottedPath(std::string_view pointer) {
  std::string out;
  while (!pointer.empty()) {
    pointer.remove_prefix(1);
    const std::string_view token = pointer.substr(0, pointer.find('/'));
    pointer.remove_prefix(token.size());
    const bool index = token.find_first_not_of("0123456789") == std::string_view::npos;
    if (index) {
      out.append("[").append(token).append("]");
    } else {
      out.append(out.empty() ? "" : ".").append(token);
    }
  }
  return out;
}

constexpr std::size_t kMaxFieldManager = 128;

StatusCause BadDryRun(std::string_view text) {
  return {.reason = "FieldValueNotSupported",
          .message = "Unsupported value: [" + JsonString(text) + R"(]: supported values: "All")",
          .field = "dryRun"};
}

void CheckFieldManager(std::string_view manager, std::vector<StatusCause>& causes) {
  if (manager.size() > kMaxFieldManager) {
    causes.push_back({.reason = "FieldValueTooLong",
                      .message = "Too long: may not be more than 128 bytes",
                      .field = "fieldManager"});
  }
  for (const char c : manager) {
    if (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f) continue;
    causes.push_back(
        InvalidValue("fieldManager", JsonString(manager), "it must be printable characters"));
    return;
  }
}

Result<json::Value> DeleteOptionsFromQuery(const Query& query) {
  json::Value options = json::Value::MakeObject();
  if (const std::string_view policy = query.Get("propagationPolicy"); !policy.empty()) {
    options.Set("propagationPolicy", policy);
  }
  const auto grace = query.GetInt("gracePeriodSeconds");
  if (!grace) return grace.error();
  if (*grace) options.Set("gracePeriodSeconds", **grace);
  if (const auto orphan = query.GetBool("orphanDependents"))
    options.Set("orphanDependents", *orphan);
  if (query.Has("dryRun")) options.Set("dryRun", json::Value::MakeArray({query.Get("dryRun")}));
  return options;
}

// DeleteOptions have the same fields in every group, but each group registers them under its own
// version.
Result<json::Value> DeleteOptionsFromProtobuf(std::string_view body) {
  const auto envelope = ParseEnvelope(body);
  const auto fields = envelope ? ReadFields(envelope->raw) : std::nullopt;
  if (!fields) return BadRequestError("the DeleteOptions in the body are malformed");
  json::Value options = json::Value::MakeObject();
  for (const WireField& field : *fields) {
    switch (field.number) {
      case 1:
        options.Set("gracePeriodSeconds", static_cast<std::int64_t>(field.varint));
        break;
      case 2: {
        const auto inner = ReadFields(field.bytes);
        if (!inner) return BadRequestError("the preconditions in the body are malformed");
        for (const WireField& precondition : *inner) {
          if (precondition.number == 1)
            options.Ensure("preconditions").Set("uid", precondition.bytes);
          if (precondition.number == 2)
            options.Ensure("preconditions").Set("resourceVersion", precondition.bytes);
        }
        break;
      }
      case 3:
        options.Set("orphanDependents", field.varint != 0);
        break;
      case 4:
        options.Set("propagationPolicy", field.bytes);
        break;
      case 5:
        options.Ensure("dryRun").Append(field.bytes);
        break;
      default:
        break;
    }
  }
  return options;
}

}  // namespace

Result<json::Value> DecodeBody(std::string_view content_type, std::string_view body,
                               std::vector<std::string>* duplicates) {
  if (IsProtobuf(content_type)) return DecodeProtobuf(body);
  if (IsMediaType(content_type, "application/yaml")) {
    std::vector<std::string> repeated;
    Result<json::Value> value = yaml::Parse(body, {}, &repeated);
    if (!value) return BadRequestError(value.error().message());
    if (duplicates != nullptr) *duplicates = std::move(repeated);
    return value;
  }
  if (!content_type.empty() && !IsMediaType(content_type, "application/json")) {
    return UnsupportedMediaTypeError(kAccepted);
  }
  Result<json::Value> value = json::Parse(body, {.duplicate_keys = duplicates});
  if (!value) return BadRequestError("the body is not JSON: " + value.error().message());
  if (duplicates != nullptr) {
    for (std::string& place : *duplicates) {
      place = "duplicate field \"" + DottedPath(place) + "\"";
    }
  }
  return value;
}

Result<json::Value> DecodeObject(const ResourceAt& at, std::string_view content_type,
                                 std::string_view body, std::vector<std::string>* duplicates) {
  Result<json::Value> object = DecodeBody(content_type, body, duplicates);
  if (!object) return object;
  if (!object->is_object()) return BadRequestError("the body must be an object");
  const ServedVersion& version = *at.version;
  const std::string api_version = std::as_const(*object)["apiVersion"].StringOrEmpty();
  const std::string kind = std::as_const(*object)["kind"].StringOrEmpty();
  if (!api_version.empty() && api_version != version.api_version) {
    return BadRequestError("the API version in the data (" + api_version +
                           ") does not match the expected API version (" + version.api_version +
                           ")");
  }
  if (at.resource->custom && kind.empty()) {
    return BadRequestError("the object provided is unrecognized (must be of type " + version.kind +
                           "): Object 'Kind' is missing");
  }
  if (at.resource->custom && kind != version.kind) {
    const std::string name = std::as_const(*object).At("/metadata/name").StringOrEmpty();
    return InvalidError({.group = at.resource->group, .resource = kind, .name = name},
                        {InvalidValue("kind", JsonString(kind), "must be " + version.kind)});
  }
  if (!kind.empty() && kind != version.kind) {
    return BadRequestError(kind + " in version \"" + version.version +
                           "\" cannot be handled as a " + version.kind + ": the body must hold a " +
                           version.kind);
  }
  return object;
}

Result<WriteQuery> DecodeWriteQuery(const Query& query, std::string_view kind,
                                    std::vector<StatusCause> causes) {
  WriteQuery out{.dry_run = query.Get("dryRun") == "All",
                 .field_validation = std::string(query.Get("fieldValidation"))};
  if (out.field_validation.empty()) out.field_validation = "Warn";
  if (const std::string_view text = query.Get("dryRun"); !text.empty() && !out.dry_run) {
    causes.push_back(BadDryRun(text));
  }
  CheckFieldManager(query.Get("fieldManager"), causes);
  if (const std::string& mode = out.field_validation;
      mode != "Ignore" && mode != "Warn" && mode != "Strict") {
    causes.push_back(NotSupported("fieldValidation", mode, R"("", "Ignore", "Strict", "Warn")"));
  }
  if (!causes.empty()) return InvalidOptionsError(kind, std::move(causes));
  return out;
}

std::size_t DecodingCost(std::string_view content_type, std::string_view body) {
  constexpr std::size_t kYamlCosts = 8;
  const bool yaml = content_type.find("yaml") != std::string_view::npos;
  return body.size() * (yaml ? kYamlCosts : 1);
}

Result<DecodedDelete> DecodeDelete(const Query& query, std::string_view content_type,
                                   std::string_view body) {
  const Result<json::Value> options = body.empty()               ? DeleteOptionsFromQuery(query)
                                      : IsProtobuf(content_type) ? DeleteOptionsFromProtobuf(body)
                                                                 : DecodeBody(content_type, body);
  if (!options) return options.error();
  if (const std::string& kind = (*options)["kind"].StringOrEmpty();
      !kind.empty() && kind != "DeleteOptions") {
    return BadRequestError("the body of a delete must hold DeleteOptions, not a " + kind);
  }
  return DeleteOptionsOf(*options);
}

Result<DecodedDelete> DeleteOptionsOf(const json::Value& given) {
  DecodedDelete out;
  for (const char* member :
       {"gracePeriodSeconds", "preconditions", "orphanDependents", "propagationPolicy"}) {
    if (const json::Value* value = given.Find(member)) out.request.sent.Set(member, *value);
  }
  const json::Value& orphan = given["orphanDependents"];
  out.request.propagation = given["propagationPolicy"].StringOrEmpty();
  if (!orphan.is_null() && !out.request.propagation.empty()) {
    return InvalidOptionsError(
        "DeleteOptions",
        {InvalidValue("propagationPolicy", JsonString(out.request.propagation),
                      "orphanDependents and deletionPropagation cannot be both set")});
  }
  if (const auto orphans = orphan.AsBool()) {
    out.request.propagation = *orphans ? "Orphan" : "Background";
    out.cascades = !*orphans;
  }
  const std::string& policy = out.request.propagation;
  if (!policy.empty() && policy != "Orphan" && policy != "Background" && policy != "Foreground") {
    return InvalidOptionsError("DeleteOptions",
                               {NotSupported("propagationPolicy", policy,
                                             R"("Foreground", "Background", "Orphan", "nil")")});
  }
  out.request.grace_period_seconds = given["gracePeriodSeconds"].AsInt64();
  const json::Value& preconditions = given["preconditions"];
  if (preconditions["uid"].is_string()) out.request.uid = preconditions["uid"].StringOrEmpty();
  if (preconditions["resourceVersion"].is_string()) {
    out.request.resource_version = preconditions["resourceVersion"].StringOrEmpty();
  }
  if (const std::string& dry_run = given["dryRun"][0].StringOrEmpty(); !dry_run.empty()) {
    if (dry_run != "All") return InvalidOptionsError("DeleteOptions", {BadDryRun(dry_run)});
    out.dry_run = true;
  }
  return out;
}

std::string GoDurationProblem(std::string_view whole) {
  constexpr std::string_view kUnits[] = {"ns", "us", "\u00b5s", "\u03bcs", "ms", "s", "m", "h"};
  const std::string shown = JsonString(whole);
  std::string_view text = whole;
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  if (text == "0") return {};
  if (text.empty()) return "time: invalid duration " + shown;
  while (!text.empty()) {
    const std::string_view number = text.substr(0, text.find_first_not_of("0123456789."));
    if (number.find_first_of("0123456789") == std::string_view::npos ||
        std::count(number.begin(), number.end(), '.') > 1) {
      return "time: invalid duration " + shown;
    }
    text.remove_prefix(number.size());
    const std::string_view unit = text.substr(0, text.find_first_of("0123456789."));
    if (unit.empty()) return "time: missing unit in duration " + shown;
    if (std::find(std::begin(kUnits), std::end(kUnits), unit) == std::end(kUnits)) {
      return "time: unknown unit " + JsonString(unit) + " in duration " + shown;
    }
    text.remove_prefix(unit.size());
  }
  return {};
}

}  // namespace kinformer::apiserver
