#include "apiserver/write/admitted.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/registry/object_rules.h"
#include "apiserver/request/awaited.h"
#include "apiserver/write/request_body.h"

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
                          .dry_run = target.dry_run,
                          .options = std::move(options)});
}

// A create in both phases of admission.
struct Creation {
  UnstoredCreate create{};
  std::shared_ptr<AdmissionAttributes> attributes{};
  std::vector<std::string> warnings{};

  [[nodiscard]] ResponsePtr Fail(const Error& error) const {
    return Warned(ErrorResponse(error, create.request.accept), warnings);
  }
  // Returns null if it is allowed.
  [[nodiscard]] ResponsePtr Refused(AdmissionOutcome& outcome) {
    for (std::string& warning : outcome.warnings) warnings.push_back(std::move(warning));
    return outcome.allowed ? nullptr : Fail(outcome.allowed.error());
  }
  ResponsePtr Finish() {
    return Warned(create.then(std::move(create.request), std::move(attributes->object)), warnings);
  }
};

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

ResponsePtr WhenAdmitted(AdmissionWebhooks& webhooks, AdmissionPhase phase,
                         const std::shared_ptr<AdmissionAttributes>& attributes,
                         std::function<ResponsePtr(AdmissionOutcome outcome)> then) {
  if (!webhooks.Any(phase)) return then({});
  std::vector<AdmissionQuestionFor> questions = webhooks.Concerned(phase, *attributes);
  if (questions.empty()) return then({});
  auto answer = std::make_unique<Awaited>();
  answer->Hold(
      webhooks.Ask(phase, attributes, std::move(questions),
                   [place = answer.get(), then = std::move(then)](AdmissionOutcome outcome) {
                     place->Answer(then(std::move(outcome)));
                   }));
  return answer;
}

ResponsePtr WhenCreationAdmitted(AdmissionWebhooks& webhooks, UnstoredCreate create) {
  const auto job = std::make_shared<Creation>(Creation{.create = std::move(create)});
  const ResourceRequest& request = job->create.request;
  json::Value& object = job->create.object;
  const json::Value& sent = std::as_const(object)["metadata"];
  if (const std::string& place = request.info.namespace_; !place.empty()) {
    if (Result<void> placed = CheckSentNamespace(sent, place); !placed) {
      return job->Fail(placed.error());
    }
    object.Ensure("metadata").Set("namespace", place);
  }
  WriteTarget target{.namespace_ = request.info.namespace_,
                     .name = request.info.name,
                     .dry_run = job->create.dry_run,
                     .user = request.user};
  if (target.name.empty()) target.name = std::as_const(object).At("/metadata/name").StringOrEmpty();
  job->attributes = AttributesOf(request, target, "CREATE");
  job->attributes->bytes = DecodingCost(request.content_type, request.body);
  job->attributes->object = std::move(object);
  return WhenAdmitted(webhooks, AdmissionPhase::kMutate, job->attributes,
                      [&webhooks, job](AdmissionOutcome mutated) {
                        if (ResponsePtr refused = job->Refused(mutated)) return refused;
                        if (Result<void> good = job->create.check(job->attributes->object); !good) {
                          return job->Fail(good.error());
                        }
                        return WhenAdmitted(webhooks, AdmissionPhase::kValidate, job->attributes,
                                            [job](AdmissionOutcome validated) {
                                              if (ResponsePtr refused = job->Refused(validated))
                                                return refused;
                                              return job->Finish();
                                            });
                      });
}

}  // namespace kinformer::apiserver
