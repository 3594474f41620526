#include "kinformer/certificate/csr.h"

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "kinformer/api/certificatesv1.h"
#include "kinformer/api/certificatesv1_mutable.h"
#include "kinformer/base/task.h"
#include "kinformer/cache/await_condition.h"
#include "kinformer/client/async_resource_client.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/client/wait_conditions.h"

#include "x509/request_key.h"

namespace kinformer::csr {
namespace {

using certificatesv1::CertificateSigningRequest;

// The API counts whole seconds in 32 bits.
std::int32_t ExpirationSeconds(Duration duration) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(duration).count();
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  return static_cast<std::int32_t>(seconds < kMost ? seconds : kMost);
}

std::string Naming(const std::string& name) {
  return "certificate signing request \"" + name + "\"";
}

Task<Result<Requested>> Request(Client client, std::string csr_pem, RequestOptions options,
                                CallOptions call) {
  const AsyncResourceClient requests(client.For<CertificateSigningRequest>());
  CertificateSigningRequest::Mutable object;
  object.metadata.name = options.name;
  if (options.name.empty()) object.metadata.generateName = "csr-";
  object.spec.request = csr_pem;
  object.spec.signerName = options.signer_name;
  object.spec.usages = options.usages;
  if (options.requested_duration > Duration(0)) {
    object.spec.expirationSeconds = ExpirationSeconds(options.requested_duration);
  }
  Task<Result<internal::ObjectRef>> create = requests.core().Create(
      internal::ToKeptRequest<CertificateSigningRequest>(object), CreateOptions(), call);
  Result<internal::ObjectRef> made = co_await create;
  if (made) {
    const Ref<CertificateSigningRequest> written(*std::move(made));
    co_return Requested{std::string(written->metadata().name()),
                        std::string(written->metadata().uid())};
  }
  if (!IsAlreadyExists(made.error()) || options.name.empty()) co_return made.error();
  Task<Result<internal::ObjectRef>> get =
      requests.core().Get(options.name, GetOptions(), std::move(call));
  Result<internal::ObjectRef> got = co_await get;
  if (!got) co_return got.error();
  const Ref<CertificateSigningRequest> there(*std::move(got));
  if (there->spec().signerName() != options.signer_name ||
      !internal::x509::SameKey(std::string(there->spec().request()), csr_pem)) {
    Error error = made.error();
    co_return error.WithContext(Naming(options.name) + " is for another key or signer");
  }
  co_return Requested{std::string(there->metadata().name()), std::string(there->metadata().uid())};
}

// Returns what one who decides has written, as an error; nullopt if this condition is not set.
std::optional<Error> Refusal(const CertificateSigningRequest& request, std::string_view type,
                             Reason reason) {
  for (const auto condition : request.status().conditions()) {
    if (condition.type() != type) continue;
    return Error(reason, Naming(std::string(request.metadata().name())) +
                             (type == "Denied" ? " was denied" : " has failed") + ": reason \"" +
                             std::string(condition.reason()) + "\", message \"" +
                             std::string(condition.message()) + "\"");
  }
  return std::nullopt;
}

bool IsApproved(const CertificateSigningRequest& request) {
  for (const auto condition : request.status().conditions()) {
    if (condition.type() == "Approved") return true;
  }
  return false;
}

Result<bool> IsSigned(const wait::ObservedObject& observed, const Requested& requested) {
  const auto request = observed.exists() ? observed.object().As<CertificateSigningRequest>()
                                         : Ref<CertificateSigningRequest>();
  if (!request) return Error(Reason::kNotFound, Naming(requested.name) + " was deleted");
  if (!requested.uid.empty() && request->metadata().uid() != requested.uid) {
    return Error(Reason::kNotFound, Naming(requested.name) +
                                        " was deleted, and another one has its name: uid " +
                                        std::string(request->metadata().uid()));
  }
  if (auto denied = Refusal(*request, "Denied", Reason::kForbidden)) return *std::move(denied);
  if (auto failed = Refusal(*request, "Failed", Reason::kInvalid)) return *std::move(failed);
  return IsApproved(*request) && !request->status().certificate().empty();
}

Task<Result<std::string>> Wait(Client client, Requested requested, CallOptions call) {
  const std::string name = requested.name;
  wait::ObjectCondition::Check check =
      [requested = std::move(requested)](const wait::ObservedObject& observed) {
        return IsSigned(observed, requested);
      };
  wait::ObjectCondition is_signed("a certificate", std::move(check));
  Task<Result<internal::ObjectRef>> wait = internal::AwaitOnServer(
      client.For<CertificateSigningRequest>().core(), name, std::move(is_signed), std::move(call));
  Result<internal::ObjectRef> object = co_await wait;
  if (!object) co_return object.error();
  const Ref<CertificateSigningRequest> request(*std::move(object));
  co_return std::string(request->status().certificate());
}

}  // namespace

AsyncCall<Requested> AsyncRequestCertificate(const Client& client, std::string csr_pem,
                                             RequestOptions options) {
  return {client.env(),
          [client, csr_pem = std::move(csr_pem), options = std::move(options)](CallOptions call) {
            return Request(client, csr_pem, options, std::move(call));
          }};
}

Result<Requested> RequestCertificate(const Client& client, const std::string& csr_pem,
                                     const RequestOptions& options, const CallOptions& call) {
  return BlockOn(client.env(), Request(client, csr_pem, options, call));
}

AsyncCall<std::string> AsyncWaitForCertificate(const Client& client, Requested requested) {
  return {client.env(), [client, requested = std::move(requested)](CallOptions call) {
            return Wait(client, requested, std::move(call));
          }};
}

Result<std::string> WaitForCertificate(const Client& client, const Requested& requested,
                                       const CallOptions& call) {
  return BlockOn(client.env(), Wait(client, requested, call));
}

}  // namespace kinformer::csr
