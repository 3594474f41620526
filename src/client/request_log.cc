#include "client/request_log.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <utility>

#include "client/url_template.h"
#include "transport/query.h"

namespace kinformer::internal::client {
namespace {

constexpr int kHeaders = 7;
constexpr int kBodies = 8;
constexpr int kLongBodies = 9;
constexpr int kWholeBodies = 10;
constexpr int kCurlCommands = 9;
constexpr std::string_view kMasked = "<masked>";
constexpr std::array<std::string_view, 4> kSecretKinds = {"Secret", "SecretList", "TokenRequest",
                                                          "TokenReview"};
// More than the longest kind with what stands before it.
constexpr std::size_t kSeam = 64;

std::string Lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

bool IsWordCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// Returns the bytes of a body that are shown.
std::size_t Shown(int verbosity) {
  if (verbosity >= kWholeBodies) return std::numeric_limits<std::size_t>::max();
  if (verbosity >= kLongBodies) return 10240;
  return verbosity >= kBodies ? 1024 : 0;
}

bool IsBinary(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](unsigned char c) { return c < '\t'; });
}

std::string HeadersText(const HttpHeaders& headers) {
  std::string out;
  for (const auto& [name, value] : headers) {
    if (!out.empty()) out += '\n';
    out.append(name).append(": ").append(MaskedHeader(name, value));
  }
  return out;
}

// Returns the text as one word of a POSIX shell.
std::string ShellWord(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

// Returns the command that sends the request, without its body. Credentials are masked.
std::string CurlCommand(const HttpRequest& request, const std::string& url) {
  std::string out = "curl -v -X" + request.method;
  for (const auto& [name, value] : request.headers) {
    out += " -H " + ShellWord(std::string(name) + ": " + MaskedHeader(name, value));
  }
  return out + " " + ShellWord(url);
}

// Returns the path as the server reads it. One with an invalid escape is refused there.
std::string DecodedPath(std::string_view target) {
  const std::string_view path = target.substr(0, target.find('?'));
  std::string out;
  return transport::PercentDecode(path, /*plus_is_space=*/false, out) ? out : std::string(path);
}

// Whether the word at `at` is the value of a member, rather than a word of a text.
bool IsValue(std::string_view text, std::size_t at, std::size_t size) {
  if (at + size < text.size() && IsWordCharacter(text[at + size])) return false;
  if (at == 0) return false;
  if (text[at - 1] == '"' || text[at - 1] == '\'') return true;
  std::string_view before = text.substr(0, at);
  while (before.ends_with(' ')) before.remove_suffix(1);
  return before.size() < at && before.ends_with("kind:");
}

bool NamesSecretKind(std::string_view text) {
  for (const std::string_view kind : kSecretKinds) {
    for (std::size_t at = 0; (at = text.find(kind, at)) != std::string_view::npos; ++at) {
      if (IsValue(text, at, kind.size())) return true;
    }
  }
  return false;
}

}  // namespace

std::string MaskedHeader(std::string_view name, std::string_view value) {
  const std::string lower = Lower(name);
  if (lower == "authorization" || lower == "proxy-authorization") {
    const std::string_view kind = value.substr(0, value.find(' '));
    const std::string known = Lower(kind);
    if (known != "bearer" && known != "basic" && known != "negotiate") {
      return std::string(value.empty() ? value : kMasked);
    }
    if (value.size() <= kind.size() + 1) return std::string(kind);
    return std::string(kind) + " " + std::string(kMasked);
  }
  // A browser's token for a stream of a pod is in the header of the protocol.
  for (const char* part :
       {"cookie", "token", "secret", "password", "api-key", "apikey", "sec-websocket-protocol"}) {
    if (lower.find(part) != std::string::npos) return std::string(value.empty() ? value : kMasked);
  }
  return std::string(value);
}

std::string TruncatedBody(std::string_view kept, std::size_t size, int verbosity) {
  const std::string_view shown = kept.substr(0, Shown(verbosity));
  if (shown.size() == size) return std::string(shown);
  return std::string(shown) + " [truncated " + std::to_string(size - shown.size()) + " chars]";
}

bool HoldsSecrets(std::string_view target) {
  const std::string path = DecodedPath(target) + "/";
  for (const char* segment : {"/secrets/", "/token/", "/tokenrequests/", "/tokenreviews/"}) {
    if (path.find(segment) != std::string::npos) return true;
  }
  return false;
}

bool IsDiscovery(std::string_view target) {
  const std::string path = DecodedPath(target) + "/";
  if (path.starts_with("/openapi/")) return true;
  return (path.starts_with("/api/") || path.starts_with("/apis/")) &&
         ResourceOfTarget(path).empty();
}

void SecretKinds::Read(std::string_view data) {
  if (found_) return;
  seam_.append(data.substr(0, kSeam));
  found_ = NamesSecretKind(seam_) || NamesSecretKind(data);
  if (data.size() >= kSeam) {
    seam_ = data.substr(data.size() - kSeam);
  } else if (seam_.size() > kSeam) {
    seam_.erase(0, seam_.size() - kSeam);
  }
}

std::unique_ptr<RequestLog> RequestLog::New(Env& env, int verbosity, const std::string& server,
                                            bool watch) {
  if (verbosity < kLoggedVerbosity || env.log().level() > LogLevel::kInfo) return nullptr;
  return std::make_unique<RequestLog>(env, verbosity, server, watch);
}

void RequestLog::Sent(const HttpRequest& request) {
  open_ = true;
  method_ = request.method;
  url_ = server_ + request.target;
  secret_ = HoldsSecrets(request.target);
  discovery_ = IsDiscovery(request.target);
  sent_ = env_.Now();
  status_ = 0;
  kinds_ = SecretKinds();
  body_.clear();
  size_ = 0;
  if (verbosity_ >= kHeaders) {
    env_.log().Log(LogLevel::kInfo, "request",
                   {{"verb", method_}, {"url", url_}, {"headers", HeadersText(request.headers)}});
  }
  if (verbosity_ >= kCurlCommands) {
    env_.log().Log(LogLevel::kInfo, "curl", {{"command", CurlCommand(request, url_)}});
  }
  if (verbosity_ >= kBodies && request.body_pipe != nullptr) {
    env_.log().Log(LogLevel::kInfo, "request body",
                   {{"verb", method_}, {"url", url_}, {"body", "a stream, which is not shown"}});
  }
  if (verbosity_ < kBodies || request.body.empty()) return;
  SecretKinds kinds;
  kinds.Read(request.body);
  LogBody("request body", kinds, request.body, request.body.size(),
          std::string(request.headers.Get("Content-Type")));
}

void RequestLog::Answered(int status, const HttpHeaders& headers) {
  status_ = status;
  content_type_ = headers.Get("Content-Type");
  if (verbosity_ < kBodies) {
    env_.log().Log(LogLevel::kInfo, "response",
                   {{"verb", method_},
                    {"url", url_},
                    {"status", std::to_string(status)},
                    {"milliseconds", Milliseconds()}});
    return;
  }
  env_.log().Log(LogLevel::kInfo, "response",
                 {{"verb", method_},
                  {"url", url_},
                  {"status", std::to_string(status)},
                  {"milliseconds", Milliseconds()},
                  {"headers", HeadersText(headers)}});
}

void RequestLog::Received(std::string_view data) {
  if (verbosity_ < kBodies || (watch_ && status_ == 200) || status_ == 101) return;
  size_ += data.size();
  if (secret_) return;
  if (!discovery_) kinds_.Read(data);
  body_.append(data.substr(0, Shown(verbosity_) - body_.size()));
}

void RequestLog::Ended(const Result<void>& result) {
  if (!std::exchange(open_, false)) return;
  if (status_ == 0) {
    env_.log().Log(LogLevel::kInfo, "no response",
                   {{"verb", method_},
                    {"url", url_},
                    {"milliseconds", Milliseconds()},
                    {"err", result ? "the connection ended" : result.error().ToString()}});
  } else if (size_ > 0) {
    LogBody("response body", kinds_, body_, size_, content_type_);
  }
  body_ = std::string();
}

void RequestLog::LogBody(std::string_view message, const SecretKinds& kinds, std::string_view kept,
                         std::size_t size, const std::string& content_type) {
  std::string text;
  if (secret_ || kinds.found()) {
    text = "[" + std::to_string(size) + " bytes that may hold secrets]";
  } else if (IsBinary(kept)) {
    text = "[" + std::to_string(size) + " bytes of " + content_type + "]";
  } else {
    text = TruncatedBody(kept, size, verbosity_);
  }
  env_.log().Log(LogLevel::kInfo, message, {{"verb", method_}, {"url", url_}, {"body", text}});
}

std::string RequestLog::Milliseconds() const {
  return std::to_string(
      std::chrono::duration_cast<std::chrono::milliseconds>(env_.Now() - sent_).count());
}

}  // namespace kinformer::internal::client
