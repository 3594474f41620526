#include "apiserver/errors/status.h"

#include <set>
#include <span>
#include <unordered_set>
#include <utility>

#include "kinformer/json/json.h"

#include "apiserver/errors/protobuf_envelope.h"
#include "base/core/http_code.h"

namespace kinformer::apiserver {
namespace {

std::string Quoted(std::string_view text) { return "\"" + std::string(text) + "\""; }

// Returns "deployments.apps", or "pods" for the core group.
std::string Qualified(const ErrorSubject& subject) {
  std::string out(subject.resource);
  if (!subject.group.empty()) out.append(".").append(subject.group);
  return out;
}

Error Make(Reason reason, int code, std::string message) {
  Error error(reason, std::move(message));
  error.WithHttpStatus(code);
  return error;
}

Error Make(Reason reason, int code, std::string message, const ErrorSubject& subject,
           std::vector<StatusCause> causes = {}) {
  Error error = Make(reason, code, std::move(message));
  error.WithDetails({.name = std::string(subject.name),
                     .group = std::string(subject.group),
                     .kind = std::string(subject.resource),
                     .causes = std::move(causes)});
  return error;
}

// Joins the causes to a message, without repeating equal texts.
std::string CausesText(const std::vector<StatusCause>& causes) {
  std::unordered_set<std::string> said;
  std::string out;
  for (const StatusCause& cause : causes) {
    const auto [text, first] = said.insert(cause.field + ": " + cause.message);
    if (first) out += (out.empty() ? "" : ", ") + *text;
  }
  return said.size() > 1 ? "[" + out + "]" : out;
}

constexpr std::string_view kUnsupportedPatch = "415: Unsupported Media Type";

void AppendMember(std::string_view name, std::string_view value, bool& first, std::string& out) {
  if (value.empty()) return;
  if (!std::exchange(first, false)) out += ',';
  AppendJsonString(name, out);
  out += ':';
  AppendJsonString(value, out);
}

bool HasDetails(const Error& error) {
  const StatusDetails& d = error.details();
  return !d.name.empty() || !d.group.empty() || !d.kind.empty() || !d.uid.empty() ||
         !d.causes.empty() || error.retry_after().has_value() ||
         error.reason() == Reason::kNotFound || error.reason() == Reason::kMethodNotAllowed ||
         error.reason() == Reason::kInvalid || error.reason() == Reason::kForbidden ||
         error.reason() == Reason::kNotAcceptable || error.message() == kUnsupportedPatch;
}

void AppendDetailsJson(const Error& error, std::string& out) {
  const StatusDetails& d = error.details();
  bool first = true;
  out += '{';
  AppendMember("name", d.name, first, out);
  AppendMember("group", d.group, first, out);
  AppendMember("kind", d.kind, first, out);
  AppendMember("uid", d.uid, first, out);
  if (!d.causes.empty()) {
    if (!std::exchange(first, false)) out += ',';
    out += "\"causes\":[";
    for (std::size_t i = 0; i < d.causes.size(); ++i) {
      out += i == 0 ? "{" : ",{";
      bool first_member = true;
      AppendMember("reason", d.causes[i].reason, first_member, out);
      AppendMember("message", d.causes[i].message, first_member, out);
      AppendMember("field", d.causes[i].field, first_member, out);
      out += '}';
    }
    out += ']';
  }
  if (error.retry_after()) {
    if (!first) out += ',';
    out += "\"retryAfterSeconds\":" + std::to_string(error.retry_after()->count());
  }
  out += '}';
}

std::string_view StatusReason(const Error& error) {
  return error.reason() == Reason::kUnknown ? std::string_view() : ReasonName(error.reason());
}

std::string ListMetaProtobuf(std::string_view continue_) {
  std::string meta;
  AppendBytesField(1, "", meta);
  AppendBytesField(2, "", meta);
  AppendBytesField(3, continue_, meta);
  return meta;
}

}  // namespace

Error BadRequestError(std::string message) {
  return Make(Reason::kBadRequest, 400, std::move(message));
}

Error NotFoundError(const ErrorSubject& subject) {
  return Make(Reason::kNotFound, 404,
              Qualified(subject) + " " + Quoted(subject.name) + " not found", subject);
}

Error NoSuchResourceError() {
  return Make(Reason::kNotFound, 404, "the server could not find the requested resource");
}

Error MethodNotAllowedError() {
  return Make(Reason::kMethodNotAllowed, 405,
              "the server does not allow this method on the requested resource");
}

Error AlreadyExistsError(const ErrorSubject& subject, bool terminating) {
  std::string message = terminating ? "object is being deleted: " : "";
  message += Qualified(subject) + " " + Quoted(subject.name) + " already exists";
  return Make(Reason::kAlreadyExists, 409, std::move(message), subject);
}

Error ConflictError(const ErrorSubject& subject, std::string_view why) {
  return Make(Reason::kConflict, 409,
              "Operation cannot be fulfilled on " + Qualified(subject) + " " +
                  Quoted(subject.name) + ": " + std::string(why),
              subject);
}

Error ModifiedConflictError(const ErrorSubject& subject) {
  return ConflictError(
      subject,
      "the object has been modified; please apply your changes to the latest version and try "
      "again");
}

Error UidPreconditionError(const ErrorSubject& subject, std::string_view asked,
                           std::string_view actual) {
  return ConflictError(subject, "Precondition failed: UID in precondition: " + std::string(asked) +
                                    ", UID in object meta: " + std::string(actual));
}

std::string UidConflict(std::string_view asked, std::string_view actual) {
  return "the UID in the precondition (" + std::string(asked) +
         ") does not match the UID in record (" + std::string(actual) +
         "). The object might have been deleted and then recreated";
}

std::string VersionConflict(std::string_view asked, std::string_view actual) {
  return "the ResourceVersion in the precondition (" + std::string(asked) +
         ") does not match the ResourceVersion in record (" + std::string(actual) +
         "). The object might have been modified";
}

Error ForbiddenError(const ErrorSubject& subject, std::string_view why) {
  std::string message = Qualified(subject);
  if (!subject.name.empty()) message += " " + Quoted(subject.name);
  message += message.empty() ? "forbidden: " : " is forbidden: ";
  return Make(Reason::kForbidden, 403, message + std::string(why), subject);
}

Error InvalidError(const ErrorSubject& subject, std::vector<StatusCause> causes) {
  std::string message =
      Qualified(subject) + " " + Quoted(subject.name) + " is invalid: " + CausesText(causes);
  return Make(Reason::kInvalid, 422, std::move(message), subject, std::move(causes));
}

std::string AggregateText(std::span<const std::string> errors) {
  std::string out;
  std::set<std::string_view> seen;
  for (const std::string& error : errors) {
    if (!seen.insert(error).second) continue;
    if (!out.empty()) out += ", ";
    out += error;
  }
  return seen.size() > 1 ? "[" + out + "]" : out;
}

bool AreEnough(const std::vector<StatusCause>& causes) {
  if (causes.size() >= kMaxCauses) return true;
  std::size_t bytes = 0;
  for (const StatusCause& cause : causes) bytes += cause.message.size() + cause.field.size();
  return bytes > kMaxCauseBytes;
}

Error InvalidOptionsError(std::string_view kind, std::vector<StatusCause> causes) {
  return InvalidError({.group = "meta.k8s.io", .resource = kind}, std::move(causes));
}

Error ExpiredError(std::string message) { return Make(Reason::kExpired, 410, std::move(message)); }

Error TooOldResourceVersionError(std::int64_t asked, std::int64_t oldest) {
  return ExpiredError("too old resource version: " + std::to_string(asked) + " (" +
                      std::to_string(oldest) + ")");
}

Error TooLargeResourceVersionError(std::int64_t asked, std::int64_t current) {
  Error error = Make(Reason::kTimeout, 504,
                     "Timeout: Too large resource version: " + std::to_string(asked) +
                         ", current: " + std::to_string(current));
  error.WithDetails(
      {.causes = {{.reason = "ResourceVersionTooLarge", .message = "Too large resource version"}}});
  error.WithRetryAfter(std::chrono::seconds(1));
  return error;
}

Error NotAcceptableError(bool protobuf) {
  std::string message =
      "only the following media types are accepted: application/json, application/yaml";
  if (protobuf) message += ", application/vnd.kubernetes.protobuf";
  return Make(Reason::kNotAcceptable, 406, std::move(message));
}

Error UnsupportedMediaTypeError(std::string_view accepted) {
  return Make(Reason::kUnsupportedMediaType, 415,
              "the body of the request was in an unknown format - accepted media types include: " +
                  std::string(accepted));
}

Error UnsupportedPatchError() {
  return Make(Reason::kUnsupportedMediaType, 415, std::string(kUnsupportedPatch));
}

StatusCause Required(std::string field, std::string_view detail) {
  std::string message = "Required value";
  if (!detail.empty()) message.append(": ").append(detail);
  return {.reason = "FieldValueRequired", .message = std::move(message), .field = std::move(field)};
}

StatusCause InvalidValue(std::string field, std::string_view value, std::string_view detail) {
  std::string message = "Invalid value: " + std::string(value);
  if (!detail.empty()) message.append(": ").append(detail);
  return {.reason = "FieldValueInvalid", .message = std::move(message), .field = std::move(field)};
}

StatusCause ForbiddenField(std::string field, std::string_view detail) {
  return {.reason = "FieldValueForbidden",
          .message = "Forbidden: " + std::string(detail),
          .field = std::move(field)};
}

StatusCause NotSupported(std::string field, std::string_view value, std::string_view supported) {
  return {.reason = "FieldValueNotSupported",
          .message = "Unsupported value: " + Quoted(value) +
                     ": supported values: " + std::string(supported),
          .field = std::move(field)};
}

void AppendJsonString(std::string_view text, std::string& out) { json::AppendQuoted(out, text); }

std::string JsonString(std::string_view text) {
  std::string out;
  AppendJsonString(text, out);
  return out;
}

std::string StatusJson(const Error& error) {
  std::string out = R"({"kind":"Status","apiVersion":"v1","metadata":{)";
  bool first = true;
  AppendMember("continue", error.details().continue_, first, out);
  out += R"(},"status":"Failure","message":)";
  AppendJsonString(error.message(), out);
  first = false;
  AppendMember("reason", StatusReason(error), first, out);
  if (HasDetails(error)) {
    out += ",\"details\":";
    AppendDetailsJson(error, out);
  }
  out += ",\"code\":" + std::to_string(internal::base::HttpCode(error)) + "}";
  return out;
}

std::string StatusProtobuf(const Error& error) {
  std::string out;
  AppendBytesField(1, ListMetaProtobuf(error.details().continue_), out);
  AppendBytesField(2, "Failure", out);
  AppendBytesField(3, error.message(), out);
  AppendBytesField(4, StatusReason(error), out);
  if (HasDetails(error)) {
    const StatusDetails& d = error.details();
    std::string details;
    AppendBytesField(1, d.name, details);
    AppendBytesField(2, d.group, details);
    AppendBytesField(3, d.kind, details);
    for (const StatusCause& cause : d.causes) {
      std::string text;
      AppendBytesField(1, cause.reason, text);
      AppendBytesField(2, cause.message, text);
      AppendBytesField(3, cause.field, text);
      AppendBytesField(4, text, details);
    }
    const auto retry = error.retry_after().value_or(std::chrono::seconds(0));
    AppendVarintField(5, static_cast<std::uint64_t>(retry.count()), details);
    AppendBytesField(6, d.uid, details);
    AppendBytesField(5, details, out);
  }
  AppendVarintField(6, static_cast<std::uint64_t>(internal::base::HttpCode(error)), out);
  return out;
}

std::string DeletedStatusJson(const ErrorSubject& subject, std::string_view uid) {
  std::string out =
      R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","details":{)";
  bool first = true;
  AppendMember("name", subject.name, first, out);
  AppendMember("group", subject.group, first, out);
  AppendMember("kind", subject.resource, first, out);
  AppendMember("uid", uid, first, out);
  return out + "}}";
}

std::string DeletedStatusProtobuf(const ErrorSubject& subject, std::string_view uid) {
  std::string details;
  AppendBytesField(1, subject.name, details);
  AppendBytesField(2, subject.group, details);
  AppendBytesField(3, subject.resource, details);
  AppendVarintField(5, 0, details);
  AppendBytesField(6, uid, details);
  std::string out;
  AppendBytesField(1, ListMetaProtobuf({}), out);
  AppendBytesField(2, "Success", out);
  AppendBytesField(3, "", out);
  AppendBytesField(4, "", out);
  AppendBytesField(5, details, out);
  AppendVarintField(6, 0, out);
  return out;
}

}  // namespace kinformer::apiserver
