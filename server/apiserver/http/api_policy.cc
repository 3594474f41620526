#include "apiserver/http/api_policy.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "apiserver/request/request_info.h"
#include "transport/responses.h"

namespace kinformer::apiserver {
namespace {

using internal::http::Compression;
using internal::http::MessageForm;

// Watch parameters in the target's query. A bare "watch" counts as true.
struct WatchWords {
  bool watch = false;
  bool initial_events = false;
  bool bookmarks = false;
};

WatchWords WatchWordsOf(std::string_view target) {
  WatchWords words;
  const std::size_t question = target.find('?');
  words.watch = target.substr(0, question).find("/watch/") != std::string_view::npos;
  if (question == std::string_view::npos) return words;
  std::string_view query = target.substr(question + 1);
  while (!query.empty()) {
    const std::string_view item = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), item.size() + 1));
    const std::string_view name = item.substr(0, item.find('='));
    const std::string_view value = item.substr(std::min(item.size(), name.size() + 1));
    if (!value.empty() && value != "true" && value != "1") continue;
    if (name == "watch") words.watch = true;
    if (name == "sendInitialEvents") words.initial_events = true;
    if (name == "allowWatchBookmarks") words.bookmarks = true;
  }
  return words;
}

std::string_view ReasonOf(int status) {
  switch (status) {
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 413:
      return "RequestEntityTooLarge";
    case 500:
      return "InternalError";
    default:
      return "BadRequest";
  }
}

}  // namespace

std::unique_ptr<ResponseStream> ApiPolicy::Admit(const internal::http::PeerIdentity& peer,
                                                 HttpRequest& request) const {
  request.on_loopback = peer.on_loopback;
  if (HasForeignOrigin(request.headers)) {
    return Refuse(403,
                  "the Origin is not this server: a web page from elsewhere sent this request");
  }
  const std::string_view host = request.headers.Get("host");
  if (LetsAnybodyIn(options_) && !names_.Include(host)) {
    return Refuse(421, "the Host \"" + std::string(host) +
                           "\" is no name of this server, which lets in everybody: give it with "
                           "--host-name (HttpServerOptions::host_names), or ask for a token");
  }
  if (!Authenticate(options_, accepts_, peer, request)) return Refuse(401, "Unauthorized");
  return nullptr;
}

Compression ApiPolicy::CompressionOf(const HttpRequest& request) const {
  const WatchWords words = WatchWordsOf(request.target);
  if (!words.watch) return Compression::kIfLong;
  return words.initial_events && words.bookmarks ? Compression::kMembers : Compression::kNone;
}

bool ApiPolicy::AnswersWithMessages(const HttpRequest& request) const {
  if (request.method != "GET") return false;
  const Result<RequestInfo> info = ParseRequest(request.method, request.target);
  return info && info->is_resource_request && info->verb == Verb::kWatch;
}

MessageForm ApiPolicy::FormOf(std::string_view content_type) const {
  return content_type.starts_with("application/vnd.kubernetes.protobuf")
             ? MessageForm::kLengthBefore
             : MessageForm::kLine;
}

std::unique_ptr<ResponseStream> ApiPolicy::Refuse(int status, std::string_view message) const {
  std::string text;
  for (const char c : message) {
    if (c == '"' || c == '\\') text.push_back('\\');
    text.push_back(static_cast<unsigned char>(c) < ' ' ? ' ' : c);
  }
  HttpHeaders headers;
  headers.Add("Content-Type", "application/json");
  headers.Add("Cache-Control", "no-cache, private");
  if (status == 401) headers.Add("WWW-Authenticate", "Bearer");
  return std::make_unique<internal::transport::WholeBody>(
      status, std::move(headers),
      "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\","
      "\"message\":\"" +
          text + "\",\"reason\":\"" + std::string(ReasonOf(status)) +
          "\",\"code\":" + std::to_string(status) + "}\n");
}

}  // namespace kinformer::apiserver
