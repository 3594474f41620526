#include "apiserver/discovery/issuer.h"

#include <string>
#include <utility>

#include "kinformer/json/json.h"

#include "apiserver/registry/service_account_keys.h"

namespace kinformer::apiserver {
namespace {

std::string DocumentOf(const ApiServerOptions& options) {
  std::string keys = options.service_account_jwks_uri;
  if (keys.empty()) {
    keys = "https://" + options.advertise_address + ":" + std::to_string(options.advertise_port) +
           std::string(kKeysPath);
  }
  json::Value algorithms = json::Value::MakeArray();
  for (const std::string& name : options.service_account_keys->Algorithms()) {
    algorithms.Append(name);
  }
  return json::Value::MakeObject(
             {{"issuer", options.service_account_issuer},
              {"jwks_uri", std::move(keys)},
              {"response_types_supported", json::Value::MakeArray({"id_token"})},
              {"subject_types_supported", json::Value::MakeArray({"public"})},
              {"id_token_signing_alg_values_supported", std::move(algorithms)}})
      .Dump();
}

}  // namespace

ResponsePtr AnswerIssuer(const ApiServerOptions& options, const RequestInfo& info) {
  if (options.service_account_keys == nullptr || info.verb != Verb::kGet) return nullptr;
  const bool keys = info.path == kKeysPath;
  if (!keys && info.path != kIssuerPath) return nullptr;
  HttpHeaders headers;
  headers.Add("Cache-Control", "public, max-age=3600");
  headers.Add("Content-Type", keys ? "application/jwk-set+json" : "application/json");
  return WholeResponse(200, std::move(headers),
                       keys ? options.service_account_keys->KeySet() : DocumentOf(options));
}

}  // namespace kinformer::apiserver
