#include "client/status.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/json/json.h"

#include "base/text/url.h"
#include "wire/envelope.h"
#include "wire/protobuf_reader.h"

namespace kinformer::internal::client {
namespace {

constexpr std::size_t kMaxTextMessage = 2048;
// The API has 32 bits for it. Larger values would overflow a Duration.
constexpr std::int64_t kMostRetryAfter = std::numeric_limits<std::int32_t>::max();

using Fields = wire::ProtobufReader;

// Members of a metav1.Status that an Error needs.
struct Status {
  std::string status{};
  std::string message{};
  std::string reason{};
  std::int64_t code = 0;
  std::int64_t retry_after = 0;
  StatusDetails details{};
};

std::optional<Error> ErrorOfStatus(Status status) {
  if (status.status != "Failure") return std::nullopt;
  // The code determines the reason only if no reason is given.
  const Reason reason = status.reason.empty()
                            ? ReasonOfHttpStatus("", static_cast<int>(status.code))
                            : ReasonFromName(status.reason);
  Error error(reason, status.message.empty() ? std::string("unknown") : std::move(status.message));
  error.WithHttpStatus(static_cast<int>(status.code));
  if (status.retry_after > 0) {
    error.WithRetryAfter(std::chrono::seconds(std::min(status.retry_after, kMostRetryAfter)));
  }
  error.WithDetails(std::move(status.details));
  return error;
}

// ---- Protobuf messages inside a Status, by field number.

void ReadListMeta(std::string_view bytes, Status& out) {
  Fields meta(bytes);
  while (meta.Next()) {
    if (meta.field() == 3) out.details.continue_ = meta.bytes();
  }
}

StatusCause ReadCause(std::string_view bytes) {
  StatusCause cause;
  Fields parts(bytes);
  while (parts.Next()) {
    if (parts.field() == 1) cause.reason = parts.bytes();
    if (parts.field() == 2) cause.message = parts.bytes();
    if (parts.field() == 3) cause.field = parts.bytes();
  }
  return cause;
}

void ReadDetails(std::string_view bytes, Status& out) {
  Fields details(bytes);
  while (details.Next()) {
    switch (details.field()) {
      case 1:
        out.details.name = details.bytes();
        break;
      case 2:
        out.details.group = details.bytes();
        break;
      case 3:
        out.details.kind = details.bytes();
        break;
      case 4:
        out.details.causes.push_back(ReadCause(details.bytes()));
        break;
      case 5:
        out.retry_after = static_cast<std::int64_t>(details.varint());
        break;
      case 6:
        out.details.uid = details.bytes();
        break;
      default:
        break;
    }
  }
}

std::string GenericMessage(int http_status, std::string_view text) {
  switch (http_status) {
    case 400:
      return "the server rejected our request for an unknown reason";
    case 401:
      return "the server has asked for the client to provide credentials";
    case 403:
      return text.empty() ? std::string("access is forbidden") : std::string(text);
    case 404:
      return "the server could not find the requested resource";
    case 405:
      return "the server does not allow this method on the requested resource";
    case 406:
      return "the server was unable to respond with a content type that the client supports";
    case 409:
      return "the server reported a conflict";
    case 415:
      return "the server does not accept the media type of the request's body";
    case 422:
      return "the server rejected our request due to an error in our request";
    case 429:
      return "the server has received too many requests and has asked us to try again later";
    case 503:
      return "the server is currently unable to handle the request";
    case 504:
      return "the server was unable to return a response in the time allotted";
    default:
      break;
  }
  if (http_status >= 500) {
    return "an error on the server (\"" + std::string(text.empty() ? "unknown" : text) +
           "\") has prevented the request from succeeding";
  }
  return "the server responded with the status code " + std::to_string(http_status) +
         " but did not return more information";
}

}  // namespace

std::string_view MediaType(std::string_view content_type) {
  std::string_view type = content_type.substr(0, content_type.find(';'));
  while (!type.empty() && type.back() == ' ') type.remove_suffix(1);
  while (!type.empty() && type.front() == ' ') type.remove_prefix(1);
  return type;
}

Reason ReasonOfHttpStatus(std::string_view method, int http_status) {
  switch (http_status) {
    case 400:
      return Reason::kBadRequest;
    case 401:
      return Reason::kUnauthorized;
    case 403:
      return Reason::kForbidden;
    case 404:
      return Reason::kNotFound;
    case 405:
      return Reason::kMethodNotAllowed;
    case 406:
      return Reason::kNotAcceptable;
    case 409:
      return method == "POST" ? Reason::kAlreadyExists : Reason::kConflict;
    case 410:
      return Reason::kGone;
    case 413:
      return Reason::kRequestEntityTooLarge;
    case 415:
      return Reason::kUnsupportedMediaType;
    case 422:
      return Reason::kInvalid;
    case 429:
      return Reason::kTooManyRequests;
    case 503:
      return Reason::kServiceUnavailable;
    case 504:
      return Reason::kTimeout;
    default:
      return http_status >= 500 ? Reason::kInternalError : Reason::kUnknown;
  }
}

std::optional<Error> ErrorOfJsonStatus(std::string_view text) {
  const Result<json::Value> parsed = json::Parse(text);
  if (!parsed) return std::nullopt;
  const json::Value& value = *parsed;
  // Old servers may omit apiVersion; without the kind it is no Status.
  if (value["kind"].StringOrEmpty() != "Status") return std::nullopt;
  Status status;
  status.status = value["status"].StringOrEmpty();
  status.message = value["message"].StringOrEmpty();
  status.reason = value["reason"].StringOrEmpty();
  status.code = value["code"].AsInt64().value_or(0);
  const json::Value& details = value["details"];
  status.retry_after = details["retryAfterSeconds"].AsInt64().value_or(0);
  status.details.name = details["name"].StringOrEmpty();
  status.details.group = details["group"].StringOrEmpty();
  status.details.kind = details["kind"].StringOrEmpty();
  status.details.uid = details["uid"].StringOrEmpty();
  for (const json::Value& cause : details["causes"].items()) {
    status.details.causes.push_back({cause["reason"].StringOrEmpty(),
                                     cause["message"].StringOrEmpty(),
                                     cause["field"].StringOrEmpty()});
  }
  status.details.continue_ = value["metadata"]["continue"].StringOrEmpty();
  return ErrorOfStatus(std::move(status));
}

std::optional<Error> ErrorOfProtobufStatus(std::string_view message) {
  Status status;
  Fields fields(message);
  while (fields.Next()) {
    switch (fields.field()) {
      case 1:
        ReadListMeta(fields.bytes(), status);
        break;
      case 2:
        status.status = fields.bytes();
        break;
      case 3:
        status.message = fields.bytes();
        break;
      case 4:
        status.reason = fields.bytes();
        break;
      case 5:
        ReadDetails(fields.bytes(), status);
        break;
      case 6:
        status.code = static_cast<std::int64_t>(fields.varint());
        break;
      default:
        break;
    }
  }
  if (!fields.ok()) return std::nullopt;
  return ErrorOfStatus(std::move(status));
}

Error ErrorOfResponse(std::string_view method, int http_status, std::string_view content_type,
                      std::string_view body, std::optional<int> retry_after) {
  const std::string_view media_type = MediaType(content_type);
  std::optional<Error> error;
  if (media_type == "application/vnd.kubernetes.protobuf") {
    const Result<wire::Envelope> envelope = wire::OpenEnvelope(body);
    if (envelope && envelope->kind == "Status") error = ErrorOfProtobufStatus(envelope->message);
  } else if (media_type == "application/json" || media_type.empty()) {
    error = ErrorOfJsonStatus(body);
  }
  if (!error) {
    std::string_view text;
    if (media_type.empty() || media_type.substr(0, 5) == "text/") {
      text = body.substr(0, kMaxTextMessage);
      while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
    }
    error.emplace(ReasonOfHttpStatus(method, http_status), GenericMessage(http_status, text));
    StatusDetails details;
    details.causes.push_back(
        {"UnexpectedServerResponse", text.empty() ? "unknown" : std::string(text), ""});
    error->WithDetails(std::move(details));
  }
  if (error->http_status() == 0) error->WithHttpStatus(http_status);
  if (!error->retry_after() && retry_after) {
    error->WithRetryAfter(std::chrono::seconds(*retry_after));
  }
  return *std::move(error);
}

std::optional<Error> AsForTls(const Error& refusal, const std::string& server) {
  base::Url url = base::SplitUrl(server);
  if (refusal.http_status() != 400 || url.scheme != "http") return std::nullopt;
  const auto says_so = [](const StatusCause& cause) {
    // Messages of Go's servers, and of nginx.
    return cause.reason == "UnexpectedServerResponse" &&
           cause.message.find("HTTP request") != std::string::npos &&
           cause.message.find("HTTPS") != std::string::npos;
  };
  const std::vector<StatusCause>& causes = refusal.details().causes;
  if (std::none_of(causes.begin(), causes.end(), says_so)) return std::nullopt;
  url.scheme = "https";
  Error error(refusal.reason(), server + ": the server speaks TLS, and was sent plain HTTP. Its " +
                                    "URL is " + url.ToString() + " (cluster.server, --server)");
  error.WithHttpStatus(refusal.http_status()).WithDetails(refusal.details());
  return error;
}

}  // namespace kinformer::internal::client
