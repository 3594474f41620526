#include "kinformer/webhook/webhook_certificates.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "kinformer/api/admissionregistrationv1.h"
#include "kinformer/api/admissionregistrationv1_mutable.h"
#include "kinformer/api/apiextensionsv1.h"
#include "kinformer/api/apiextensionsv1_mutable.h"
#include "kinformer/api/corev1.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/base/log.h"
#include "kinformer/base/until.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/client/retry.h"

#include "base/core/user_call.h"
#include "http/tls_stream.h"
#include "x509/tls_authority.h"

namespace kinformer {
namespace {

using admissionregistrationv1::MutatingWebhookConfiguration;
using admissionregistrationv1::ValidatingWebhookConfiguration;
using apiextensionsv1::CustomResourceDefinition;
using internal::http::NewTlsContext;
using internal::x509::ExpiryOf;
using internal::x509::TlsAuthority;

constexpr const char* kCert = "tls.crt";
constexpr const char* kKey = "tls.key";
constexpr const char* kCaCert = "ca.crt";
constexpr const char* kCaKey = "ca.key";

using Data = std::map<std::string, std::string>;

std::string TextOf(const Data& data, const std::string& name) {
  const auto found = data.find(name);
  return found == data.end() ? std::string() : found->second;
}

bool Lasts(const std::string& cert_pem, WallTime until) {
  const Result<WallTime> expiry = ExpiryOf(cert_pem);
  return expiry && *expiry > until;
}

// Whether the pair is usable, certifies all the names, and lasts long enough.
bool IsGood(const WebhookCertificatesOptions& options, const Data& data, WallTime now) {
  const auto context = NewTlsContext(
      {.cert_pem = TextOf(data, kCert), .key_pem = TextOf(data, kKey), .client_ca_pem = {}}, true);
  return context && Lasts(TextOf(data, kCert), now + options.renew_before) &&
         std::ranges::all_of(options.hosts, [&](const std::string& host) {
           return internal::http::IsCertifiedFor(*context, host);
         });
}

// Returns the data that the Secret should hold instead; nullopt if `data` is good.
Result<std::optional<Data>> Renewed(const WebhookCertificatesOptions& options, const Data& data,
                                    WallTime now) {
  const std::string bundle = TextOf(data, kCaCert);
  Result<TlsAuthority> authority = TlsAuthority::FromPem(bundle, TextOf(data, kCaKey), now);
  // The authority must outlive the certificates that it signs.
  const bool kept = authority && Lasts(bundle, now + options.validity);
  if (kept && IsGood(options, data, now)) return std::optional<Data>();
  Data made = data;
  if (!kept) {
    authority = TlsAuthority::Make(options.secret_name + "-ca", now);
    if (!authority) return std::move(authority).error();
    made[kCaCert] = authority->ca_pem() + (Lasts(bundle, now) ? bundle : "");
    made[kCaKey] = authority->key_pem();
  }
  auto pair = authority->ServerCertificate(options.hosts, options.validity);
  if (!pair) return std::move(pair).error();
  made[kCert] = pair->cert_pem;
  made[kKey] = pair->key_pem;
  return std::optional(std::move(made));
}

// Returns the Secret's data, made or renewed if necessary. kConflict and kAlreadyExists: another
// process was faster.
Result<Data> Settle(const Client& client, const WebhookCertificatesOptions& options,
                    const CallOptions& call) {
  const auto secrets = client.For<corev1::Secret>(options.namespace_);
  const Result<Ref<corev1::Secret>> there = secrets.Get(options.secret_name, {}, call);
  if (!there && !IsNotFound(there.error())) return there.error();
  corev1::Secret::Mutable secret;
  if (there) {
    secret = (*there)->DeepCopy();
  } else {
    secret.metadata.name = options.secret_name;
    secret.type = "kubernetes.io/tls";
  }
  Result<std::optional<Data>> renewed = Renewed(options, secret.data, client.env().WallNow());
  if (!renewed) return std::move(renewed).error();
  if (!*renewed) return std::move(secret.data);
  secret.data = *std::move(*renewed);
  const auto written = there ? secrets.Update(secret, {}, call) : secrets.Create(secret, {}, call);
  if (!written) return written.error();
  return std::move(secret.data);
}

// Changes the object of that name with `set`, and writes it if that changed anything.
template <class T, class Set>
Result<void> Amend(const Client& client, const std::string& name, const Set& set,
                   const CallOptions& call) {
  const auto resources = client.For<T>();
  return retry::RetryOnConflict(
      client.env(), retry::kDefaultRetry,
      [&]() -> Result<void> {
        const Result<Ref<T>> there = resources.Get(name, {}, call);
        if (!there) return there.error();
        typename T::Mutable object = (*there)->DeepCopy();
        const typename T::Mutable before = object;
        set(object);
        if (object == before) return {};
        const auto written = resources.Update(object, {}, call);
        return written ? Result<void>() : written.error();
      },
      call.stop);
}

// Result of writing the authority into the objects that must trust it.
struct Trusted {
  Result<void> failed{};  // error of the last object that could not be changed
  bool missing = false;   // some objects do not exist
};

template <class T, class Set>
void AmendAll(const Client& client, const std::vector<std::string>& names, const Set& set,
              const CallOptions& call, Trusted& trusted) {
  for (const std::string& name : names) {
    Result<void> done = Amend<T>(client, name, set, call);
    if (done) continue;
    if (IsNotFound(done.error())) {
      trusted.missing = true;
      continue;
    }
    Error error = std::move(done).error();
    trusted.failed =
        error.WithContext("caBundle of " + std::string(T::kind_info().kind) + " " + name);
  }
}

Trusted Trust(const Client& client, const WebhookCertificatesOptions& options,
              const std::string& bundle, const CallOptions& call) {
  Trusted trusted;
  const auto in_webhooks = [&](auto& configuration) {
    for (auto& webhook : configuration.webhooks) webhook.clientConfig.caBundle = bundle;
  };
  AmendAll<MutatingWebhookConfiguration>(client, options.mutating, in_webhooks, call, trusted);
  AmendAll<ValidatingWebhookConfiguration>(client, options.validating, in_webhooks, call, trusted);
  AmendAll<CustomResourceDefinition>(
      client, options.definitions,
      [&](CustomResourceDefinition::Mutable& definition) {
        auto& conversion = definition.spec.conversion;
        if (!conversion || !conversion->webhook || !conversion->webhook->clientConfig) return;
        conversion->webhook->clientConfig->caBundle = bundle;
      },
      call, trusted);
  return trusted;
}

}  // namespace

WebhookCertificates::WebhookCertificates(Client client, WebhookCertificatesOptions options)
    : client_(std::move(client)), options_(std::move(options)) {}

Result<void> WebhookCertificates::Validate() const {
  const char* missing = options_.namespace_.empty()    ? "namespace_"
                        : options_.secret_name.empty() ? "secret_name"
                        : options_.hosts.empty()       ? "hosts"
                                                       : nullptr;
  if (missing != nullptr) {
    return Error(Reason::kInvalidArgument,
                 std::string("WebhookCertificatesOptions::") + missing + " is empty");
  }
  if (options_.validity > options_.renew_before) return {};
  return Error(Reason::kInvalidArgument,
               "WebhookCertificatesOptions::validity must be more than renew_before");
}

// Result of one check.
struct WebhookCertificates::Checked {
  CertificatePair pair{};
  bool missing = false;  // an object that must trust the authority does not exist
};

Result<CertificatePair> WebhookCertificates::Ensure(const CallOptions& call) const {
  Result<Checked> checked = Check(call);
  if (!checked) return std::move(checked).error();
  return std::move(checked->pair);
}

Result<WebhookCertificates::Checked> WebhookCertificates::Check(const CallOptions& call) const {
  if (Result<void> valid = Validate(); !valid) return valid.error();
  Data data;
  const Result<void> settled = retry::OnError(
      client_.env(), retry::kDefaultRetry,
      [](const Error& error) { return IsConflict(error) || IsAlreadyExists(error); },
      [&]() -> Result<void> {
        Result<Data> found = Settle(client_, options_, call);
        if (!found) return std::move(found).error();
        data = *std::move(found);
        return {};
      },
      call.stop);
  if (!settled) {
    Error error = settled.error();
    return error.WithContext("Secret " + options_.namespace_ + "/" + options_.secret_name);
  }
  const Trusted trusted = Trust(client_, options_, data[kCaCert], call);
  if (!trusted.failed) return trusted.failed.error();
  return Checked{.pair = {.cert_pem = data[kCert], .key_pem = data[kKey]},
                 .missing = trusted.missing};
}

void WebhookCertificates::Run(
    const std::stop_token& stop,
    const std::function<void(const CertificatePair& pair)>& changed) const {
  Env& env = client_.env();
  CertificatePair last;
  while (!stop.stop_requested()) {
    const Result<Checked> checked = Check({.stop = stop});
    if (stop.stop_requested()) return;
    if (!checked) {
      env.log().Log(LogLevel::kError, "cannot keep the webhooks' certificates",
                    {{"err", checked.error().ToString()}});
    } else if (checked->pair != last) {
      last = checked->pair;
      static_cast<void>(
          internal::base::CallUser(env, "certificate callback", [&] { changed(last); }).ok());
    }
    const bool done = checked && !checked->missing;
    const Duration wait = done ? options_.check_interval : options_.retry_interval;
    if (!SleepUnlessStopped(env, stop, wait)) return;
  }
}

}  // namespace kinformer
