#include "apiserver/write/request/admitted.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/registry/object_rules.h"
#include "apiserver/write/request/request_body.h"

namespace kinformer::apiserver {
namespace {

json::Value OptionsOf(std::string_view kind, bool dry_run) {
  json::Value options = json::Value::MakeObject({{"kind", kind}, {"apiVersion", "meta.k8s.io/v1"}});
  if (dry_run) options.Set("dryRun", json::Value::MakeArray({"All"}));
  return options;
}

// Returns the options that webhooks see; those of a patch are UpdateOptions.
json::Value OptionsOf(const ResourceRequest& request, std::string_view operation, bool dry_run) {
  json::Value options =
      OptionsOf(operation == "CREATE" ? "CreateOptions" : "UpdateOptions", dry_run);
  for (const char* name : {"fieldManager", "fieldValidation"}) {
    const std::string_view value = request.info.query.Get(name);
    if (!value.empty()) options.Set(name, value);
  }
  return options;
}

// Returns the kind of the subresource's requests, if it differs from the resource's kind.
std::optional<AdmissionKind> KindOf(const ResourceAt& at, std::string_view subresource) {
  const Subresource* const sub = subresource.empty() ? nullptr : at.FindSubresource(subresource);
  if (sub == nullptr || sub->kind == at.version->kind) return std::nullopt;
  // Discovery omits a group and version that are those of the resource.
  const bool own = sub->version.empty();
  return AdmissionKind{.group = own ? at.resource->group : sub->group,
                       .version = own ? at.version->version : sub->version,
                       .kind = sub->kind};
}

std::shared_ptr<AdmissionAttributes> Make(const ResourceRequest& request, const WriteTarget& target,
                                          std::string_view operation, json::Value options) {
  const std::string& subresource = request.info.subresource;
  const bool is_namespace = request.at.resource->Is("", "namespaces");
  return std::make_shared<AdmissionAttributes>(
      AdmissionAttributes{.at = request.at,
                          .subresource = subresource,
                          .kind = KindOf(request.at, subresource),
                          .operation = std::string(operation),
                          .namespace_ = is_namespace ? target.name : target.namespace_,
                          .name = target.name,
                          .user = target.user,
                          .audit = request.info.audit,
                          .dry_run = target.dry_run,
                          .options = std::move(options)});
}

// Asks the webhooks of both phases, and calls `check` in between.
Task<Result<void>> AdmitInPhases(Admission& admission,
                                 std::shared_ptr<AdmissionAttributes> attributes,
                                 std::vector<std::string>& warnings,
                                 const std::function<Result<void>(json::Value&)>& check) {
  const Result<bool> mutated =
      co_await Admit(admission, AdmissionPhase::kMutate, attributes, warnings);
  if (!mutated.ok()) co_return mutated.error();
  if (Result<void> good = check(attributes->object); !good) co_return good;
  const Result<bool> validated =
      co_await Admit(admission, AdmissionPhase::kValidate, attributes, warnings);
  if (!validated.ok()) co_return validated.error();
  co_return {};
}

}  // namespace

std::shared_ptr<AdmissionAttributes> AttributesOf(const ResourceRequest& request,
                                                  const WriteTarget& target,
                                                  std::string_view operation) {
  return Make(request, target, operation, OptionsOf(request, operation, target.dry_run));
}

std::shared_ptr<AdmissionAttributes> AttributesOfDelete(const ResourceRequest& request,
                                                        const WriteTarget& target,
                                                        const DeleteRequest& options) {
  json::Value shown = OptionsOf("DeleteOptions", target.dry_run);
  for (const auto& [name, value] : options.sent.members()) shown.Set(name, value);
  return Make(request, target, "DELETE", std::move(shown));
}

std::shared_ptr<AdmissionAttributes> AttributesOfConnect(const ResourceRequest& request,
                                                         json::Value options) {
  const WriteTarget target{
      .namespace_ = request.info.namespace_, .name = request.info.name, .user = request.user};
  auto attributes = Make(request, target, "CONNECT", json::Value());
  attributes->object = std::move(options);
  return attributes;
}

Task<Result<bool>> Admit(Admission& admission, AdmissionPhase phase,
                         std::shared_ptr<AdmissionAttributes> attributes,
                         std::vector<std::string>& warnings) {
  if (!admission.Any(phase)) co_return false;
  AdmissionOutcome outcome = co_await admission.Ask(phase, std::move(attributes));
  for (std::string& warning : outcome.warnings) warnings.push_back(std::move(warning));
  if (!outcome.allowed) co_return outcome.allowed.error();
  co_return outcome.changed;
}

Task<Result<void>> AdmitCreation(Admission& admission, UnstoredCreate& create,
                                 std::function<Result<void>(json::Value& object)> check) {
  const ResourceRequest& request = create.request;
  if (const std::string& place = request.info.namespace_; !place.empty()) {
    const json::Value& sent = std::as_const(create.object)["metadata"];
    if (Result<void> placed = CheckSentNamespace(sent, place); !placed) co_return placed;
    create.object.Ensure("metadata").Set("namespace", place);
  }
  WriteTarget target{.namespace_ = request.info.namespace_,
                     .name = request.info.name,
                     .dry_run = create.dry_run,
                     .user = request.user};
  if (target.name.empty()) {
    target.name = std::as_const(create.object).At("/metadata/name").StringOrEmpty();
  }
  const auto attributes = AttributesOf(request, target, "CREATE");
  attributes->bytes = DecodingCost(request.content_type, request.body);
  attributes->object = std::move(create.object);
  const Result<void> admitted =
      co_await AdmitInPhases(admission, attributes, create.warnings, check);
  create.object = std::move(attributes->object);
  co_return admitted;
}

}  // namespace kinformer::apiserver
