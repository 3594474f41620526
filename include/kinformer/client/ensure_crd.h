// kinformer/client/ensure_crd.h
//
// EnsureCRD: installs the definition of a kind, or brings it up to date, and waits until the server
// serves the kind.
//
//   EnsureCRD(client, crd::Definition<Website>().OrExit()).OrExit();
//   EnsureCRDs(client, crd::Definitions<Website, Theme>().OrExit()).OrExit();
//
// In a Task:
//
//   const json::Value website = crd::Definition<Website>().OrExit();
//   Result<json::Value> ready = co_await AsyncEnsureCRD(client, website).WithTimeout(30s);
//
// Counterpart: envtest.InstallCRDs of controller-runtime, and what operators write by hand.

#ifndef KINFORMER_CLIENT_ENSURE_CRD_H_
#define KINFORMER_CLIENT_ENSURE_CRD_H_

#include <chrono>
#include <string>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/base/time_span.h"
#include "kinformer/client/async_call.h"
#include "kinformer/client/client.h"
#include "kinformer/client/request_options.h"
#include "kinformer/internal/named_variable.h"
#include "kinformer/json/json.h"

namespace kinformer {

// Options of EnsureCRD.
struct EnsureCRDOptions {
  std::string fieldManager{"kinformer"};
  // Limit of the whole, beside that of the call.
  TimeSpan timeout{std::chrono::minutes(1)};
};

// Applies the definition by server-side apply, and returns it as the server has it when it is
// established and every version that it serves is found by its path. Takes fields from other
// managers; fields that `definition` lacks stay theirs, such as the CA of a conversion webhook.
// Sends no change if nothing would change, so each replica may call this at its start.
//
// Versions of which objects may still be stored (status.storedVersions) stay in the definition, as
// they are, even if `definition` lacks them: the server would refuse it otherwise. A definition
// that is being deleted is awaited, and then made anew.
//
// Blocks. Errors: kInvalidArgument for what is no definition; kInvalid, kForbidden: the server's;
// kDeadlineExceeded, with what is missing: names that another definition has, a version that is not
// served; kCanceled; kWouldDeadlock. Thread-safe.
Result<json::Value> EnsureCRD(const Client& client, const json::Value& definition,
                              const EnsureCRDOptions& options = {}, const CallOptions& call = {});
// Does the same for several, which are all applied before the first is awaited. The first error
// ends it.
Result<std::vector<json::Value>> EnsureCRDs(const Client& client,
                                            const std::vector<json::Value>& definitions,
                                            const EnsureCRDOptions& options = {},
                                            const CallOptions& call = {});

// Do the same without blocking. Arguments are variables, as NamedVariable explains.
[[nodiscard]] AsyncCall<json::Value> AsyncEnsureCRD(
    const Client& client, internal::NamedVariable<json::Value> definition,
    internal::NamedVariable<EnsureCRDOptions> options = {});
[[nodiscard]] AsyncCall<std::vector<json::Value>> AsyncEnsureCRDs(
    const Client& client, internal::NamedVariable<std::vector<json::Value>> definitions,
    internal::NamedVariable<EnsureCRDOptions> options = {});

}  // namespace kinformer

#endif  // KINFORMER_CLIENT_ENSURE_CRD_H_
