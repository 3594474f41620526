// kinformer/client/request_options.h
//
// Options of a ResourceClient's requests, except ListOptions: the API's query parameters, the time
// that the caller is willing to wait, and the trace to which a request belongs.

#ifndef KINFORMER_CLIENT_REQUEST_OPTIONS_H_
#define KINFORMER_CLIENT_REQUEST_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/base/time_span.h"

namespace kinformer {

// Limits of a blocking call, which include retries, pauses between them and the wait for the rate
// limiter; and its trace.
struct CallOptions {
  std::stop_token stop{};  // a stop request ends the call with kCanceled
  // Time after which the call ends with kDeadlineExceeded; 0: no limit but the server's.
  TimeSpan timeout{};
  // W3C trace context of the caller's span, sent with each attempt as headers of these names:
  // "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01". Empty: not sent. kInvalidArgument if
  // one is malformed, and for a tracestate without a traceparent.
  std::string traceparent{};
  std::string tracestate{};
};

// Counterpart: metav1.GetOptions.
struct GetOptions {
  std::string resourceVersion{};  // "" most recent, "0" any, else not older than
};

// Counterpart: metav1.CreateOptions.
struct CreateOptions {
  std::vector<std::string> dryRun{};  // {"All"}: check, answer, change nothing
  std::string fieldManager{};
  std::string fieldValidation{};  // "", "Ignore", "Warn", "Strict"
};

// Counterpart: metav1.UpdateOptions.
using UpdateOptions = CreateOptions;

// Counterpart: metav1.PatchOptions.
struct PatchOptions {
  std::vector<std::string> dryRun{};
  std::optional<bool> force{};  // server-side apply only: take fields from other managers
  std::string fieldManager{};
  std::string fieldValidation{};
};

// Options of a server-side apply. Counterpart: metav1.ApplyOptions; client.FieldOwner,
// ForceOwnership and DryRunAll of controller-runtime.
struct ApplyOptions {
  // Owner of the fields, which must be named: here, or for all writes of a DelegatingClient in
  // DelegatingClientOptions::field_owner.
  std::string fieldManager{};
  bool force{false};  // takes fields from other managers
  std::vector<std::string> dryRun{};
};

// Counterpart: metav1.DeleteOptions.
struct DeleteOptions {
  std::optional<std::int64_t> gracePeriodSeconds{};
  std::string uid{};                // precondition: delete only this incarnation
  std::string resourceVersion{};    // precondition: delete only this version
  std::string propagationPolicy{};  // "", "Orphan", "Background", "Foreground"
  std::vector<std::string> dryRun{};
};

}  // namespace kinformer

#endif  // KINFORMER_CLIENT_REQUEST_OPTIONS_H_
