#include "apiserver/write/admitted.h"

#include <string>
#include <utility>

#include "apiserver/request/awaited.h"

namespace kinformer::apiserver {
namespace {

json::Value OptionsOf(const ResourceRequest& request, std::string_view operation, bool dry_run) {
  std::string_view kind = "DeleteOptions";
  if (operation == "CREATE") {
    kind = "CreateOptions";
  } else if (operation == "UPDATE") {
    kind = request.info.verb == Verb::kPatch ? "PatchOptions" : "UpdateOptions";
  }
  json::Value options = json::Value::MakeObject({{"kind", kind}, {"apiVersion", "meta.k8s.io/v1"}});
  if (dry_run) options.Set("dryRun", json::Value::MakeArray({"All"}));
  for (const char* name : {"fieldManager", "fieldValidation"}) {
    const std::string_view value = request.info.query.Get(name);
    if (!value.empty()) options.Set(name, value);
  }
  return options;
}

}  // namespace

std::shared_ptr<AdmissionAttributes> AttributesOf(const ResourceRequest& request,
                                                  const WriteTarget& target,
                                                  std::string_view operation) {
  return std::make_shared<AdmissionAttributes>(
      AdmissionAttributes{.at = request.at,
                          .subresource = target.subresource,
                          .operation = std::string(operation),
                          .namespace_ = target.namespace_,
                          .name = target.name,
                          .user = target.user,
                          .dry_run = target.dry_run,
                          .options = OptionsOf(request, operation, target.dry_run)});
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

}  // namespace kinformer::apiserver
