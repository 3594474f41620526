// kinformer/client/request_record.h
//
// RequestRecord: what became of one request of a client, for traces and for statistics that the
// metrics do not have.
//
//   ClientOptions options;
//   options.request_observer = [](const RequestRecord& record) {
//     std::cout << record.method << ' ' << record.url_template << ' ' << record.status << '\n';
//   };
//   Client client = Client::FromEnvironment(options).OrExit();

#ifndef KINFORMER_CLIENT_REQUEST_RECORD_H_
#define KINFORMER_CLIENT_REQUEST_RECORD_H_

#include <optional>
#include <string>

#include "kinformer/base/env.h"
#include "kinformer/base/error.h"

namespace kinformer {

// One request, all its attempts together. Counterpart: none; client-go has the hooks of
// tools/metrics, which see the times of requests one by one.
struct RequestRecord {
  std::string method{};  // "GET"
  // Path and query without names and values, in client-go's form, so that there are few of them:
  // "/api/v1/namespaces/{namespace}/pods/{name}?fieldManager={value}". "/{prefix}": no path of the
  // API. Paths of one segment are unchanged: "/version".
  std::string url_template{};
  std::string resource{};  // "pods", "deployments.apps"; empty if the path names none
  bool watch{false};
  // HTTP status of the last attempt; 0: it had no answer, or nothing was sent.
  int status{0};
  // Empty: the answer is complete, and it is a success. kCanceled: the caller has ended the
  // request, as it ends a watch that it no longer needs.
  std::optional<Error> error{};
  int attempts{0};  // 0: nothing was sent
  // Time that the client-side rate limiter let the request wait.
  Duration throttled{0};
  // Time from the start until the answer of the last attempt began. Empty: there was no answer.
  std::optional<Duration> answer_began{};
  // Time from the start to the end, with all attempts, and with all waits between and before them.
  Duration duration{0};
  std::string traceparent{};  // that of the call's CallOptions
};

}  // namespace kinformer

#endif  // KINFORMER_CLIENT_REQUEST_RECORD_H_
