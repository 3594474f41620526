// kinformer/endpoints/healthz.h
//
// healthz::Handler: reports whether this process is alive, or ready for work, by named checks.
//
//   auto healthz = std::make_shared<healthz::Handler>(env,
//       healthz::Checks{{"ping", healthz::Ping}}, "/healthz");
//   auto readyz = std::make_shared<healthz::Handler>(env,
//       healthz::Checks{{"pods", [] {
//         return pods.HasSynced() ? Result<void>()
//                                 : Error(Reason::kNotSynced, "pods are still being listed");
//       }}}, "/readyz");
//   auto probes = EndpointServer::Listen(env, ":8081").OrExit();
//   probes->Handle("/healthz", healthz);
//   probes->Handle("/readyz", readyz);
//
// Answers, to any method:
//   /healthz                200 "ok", or 500 with a line for each check
//   /healthz?verbose        a line for each check in any case
//   /healthz?exclude=pods   without that check; may be repeated; unknown names are warned about
//   /healthz/pods           that check alone: 200 "ok", 500 with its error, 404 for an unknown name
//
// The lines do not contain errors, since everyone can read them; the log does.
//
// Counterpart: controller-runtime's package healthz.

#ifndef KINFORMER_ENDPOINTS_HEALTHZ_H_
#define KINFORMER_ENDPOINTS_HEALTHZ_H_

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/client/transport.h"
#include "kinformer/internal/callable.h"
#include "kinformer/internal/pimpl.h"

namespace kinformer::healthz {

namespace internal {
struct CheckerWords {
  template <bool kFits>
  static constexpr void Explain() {
    static_assert(kFits,
                  "a check is called with nothing, no request either, and says what is wrong: []() "
                  "-> Result<void> { return {}; }");
  }
};
}  // namespace internal

// A check. OK: healthy. May block. Exceptions are failures, and are logged and counted.
using Checker = kinformer::internal::Callable<Result<void>(), internal::CheckerWords>;
// Checks by name.
using Checks = std::map<std::string, Checker>;

// Always succeeds: proves that the process answers. Default of a Handler without checks.
inline Result<void> Ping() { return {}; }

// Runs the checks of each request, one after the other, on a thread of its own, so that a slow
// check or a blocking handler delays only the requests behind it. Up to 1,000 of those wait; others
// are answered with 503. Without checks it answers at once.
//
// Handle is loop-confined, as in every Handler. Destruction waits for the running check; it must
// come after the end of the server that passes on requests. `env` must outlive it.
//
// Counterpart: healthz.Handler. Difference: the path is given to the constructor and is not
// stripped from requests before.
class Handler final : public kinformer::Handler {
 public:
  // Creates a handler. `path`: the prefix of the checks' names.
  Handler(Env& env, Checks checks, std::string path = "/healthz");
  ~Handler() override;
  Handler(const Handler&) = delete;
  Handler& operator=(const Handler&) = delete;

  [[nodiscard]] std::unique_ptr<ResponseStream> Handle(HttpRequest request) override;

 private:
  struct Impl;
  const kinformer::internal::Pimpl<Impl> impl_;
};

}  // namespace kinformer::healthz

#endif  // KINFORMER_ENDPOINTS_HEALTHZ_H_
