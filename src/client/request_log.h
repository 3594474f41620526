// client/request_log.h
//
// RequestLog: log lines about each attempt of a request, in the detail that kubectl's -v asks for.

#ifndef KINFORMER_CLIENT_REQUEST_LOG_H_
#define KINFORMER_CLIENT_REQUEST_LOG_H_

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/client/transport.h"

namespace kinformer::internal::client {

// The least ClientOptions::verbosity that logs requests.
inline constexpr int kLoggedVerbosity = 6;

// Returns the header's value without credentials. The kind of an Authorization that is known stays:
// "Bearer <masked>".
std::string MaskedHeader(std::string_view name, std::string_view value);

// Returns the beginning of a body, and how much is missing: "… [truncated 976 chars]". `kept`: at
// least what this verbosity shows; `size`: that of the whole body.
std::string TruncatedBody(std::string_view kept, std::size_t size, int verbosity);

// Whether objects at this path are Secrets or tokens.
bool HoldsSecrets(std::string_view target);
// Whether there are only descriptions of kinds at this path, which name those of Secrets, too.
bool IsDiscovery(std::string_view target);

// Finds the kinds of Secrets and tokens in a body that comes in pieces: "kind":"Secret", also in
// annotations, and kind: Secret. Other places where such a kind is named count, too.
class SecretKinds {
 public:
  void Read(std::string_view data);
  [[nodiscard]] bool found() const { return found_; }

 private:
  std::string seam_;  // end of what was read, and then the beginning of what follows
  bool found_ = false;
};

// The log of one request. Loop-confined. The bodies of answers to watches are not logged: they do
// not end. Bodies that may hold Secrets or tokens, by the path of the request or by a kind that is
// named in them, are never logged, and no credentials of headers.
class RequestLog {
 public:
  // Returns null if nothing is to be logged. `env` and `server` outlive the log.
  static std::unique_ptr<RequestLog> New(Env& env, int verbosity, const std::string& server,
                                         bool watch);
  RequestLog(Env& env, int verbosity, const std::string& server, bool watch)
      : env_(env), verbosity_(verbosity), server_(server), watch_(watch) {}

  // Begins an attempt.
  void Sent(const HttpRequest& request);
  void Answered(int status, const HttpHeaders& headers);
  void Received(std::string_view data);
  // Ends the attempt, if there is one.
  void Ended(const Result<void>& result);

 private:
  void LogBody(std::string_view message, const SecretKinds& kinds, std::string_view kept,
               std::size_t size, const std::string& content_type);
  [[nodiscard]] std::string Milliseconds() const;

  Env& env_;
  const int verbosity_;
  const std::string& server_;
  const bool watch_;

  // State of the current attempt.
  bool open_ = false;
  std::string method_;
  std::string url_;
  bool secret_ = false;
  bool discovery_ = false;
  SteadyTime sent_{};
  int status_ = 0;
  std::string content_type_;
  SecretKinds kinds_;
  std::string body_;  // as much of it as is shown
  std::size_t size_ = 0;
};

}  // namespace kinformer::internal::client

#endif  // KINFORMER_CLIENT_REQUEST_LOG_H_
