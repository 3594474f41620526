// Bodies of refusals: a metav1.Status in any encoding, or what proxies answer instead.

#include <array>
#include <optional>
#include <string>

#include "kinformer/base/error.h"

#include "apiserver/errors/status.h"
#include "client/status.h"
#include "fuzz/target.h"
#include "fuzz/targets.h"

namespace kinformer::fuzz {
namespace {

constexpr std::array kTypes = {"application/json", "application/vnd.kubernetes.protobuf",
                               "text/plain; charset=utf-8", "", "text/html"};
constexpr std::array kStatuses = {400, 401, 403, 404, 405, 406, 409, 410, 413,
                                  415, 418, 422, 429, 500, 502, 503, 504, 599};
// A message has at most 2048 bytes of a text, and a sentence around them.
constexpr std::size_t kLongestOfText = 2048 + 256;

std::string TextOf(const Error& error) {
  std::string out = error.ToString() + "\n" + std::to_string(error.http_status());
  if (error.retry_after()) out += " after " + std::to_string(error.retry_after()->count());
  const StatusDetails& details = error.details();
  for (const std::string& part :
       {details.name, details.group, details.kind, details.uid, details.continue_}) {
    out += "\n" + part;
  }
  for (const StatusCause& cause : details.causes) {
    out += "\n" + cause.reason + "|" + cause.message + "|" + cause.field;
  }
  return out;
}

}  // namespace

void FuzzStatusBody(std::string_view input) {
  Choices choices(input);
  const std::string type = kTypes[choices.Byte() % kTypes.size()];
  const int status = kStatuses[choices.Byte() % kStatuses.size()];
  const std::uint8_t header = choices.Byte();
  const std::optional<int> retry_after = header == 0 ? std::nullopt : std::optional<int>(header);
  const Error error =
      internal::client::ErrorOfResponse("GET", status, type, choices.rest(), retry_after);
  Require(!error.message().empty(), "an error has a message");
  Require(error.http_status() != 0, "an error has a status code");
  Require(!error.retry_after() || error.retry_after()->count() > 0, "a wait is one");
  if (type.starts_with("text/")) {
    Require(error.message().size() <= kLongestOfText, "a page becomes a short message",
            error.message());
    Require(error.http_status() == status, "the response has the code");
  }

  // Both forms in which the server would send this error are read alike. JSON has only UTF-8.
  if (!IsUtf8(TextOf(error))) return;
  const std::string json = apiserver::StatusJson(error);
  const std::optional<Error> from_json = internal::client::ErrorOfJsonStatus(json);
  const std::optional<Error> from_protobuf =
      internal::client::ErrorOfProtobufStatus(apiserver::StatusProtobuf(error));
  Require(from_json && from_protobuf, "what was written is a Status", json);
  RequireEqual(TextOf(*from_json), TextOf(*from_protobuf), "a Status in JSON and in protobuf");
  RequireEqual(from_json->message(), error.message(), "the message");
}

}  // namespace kinformer::fuzz
