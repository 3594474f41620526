#include "apiserver/admission/admission_call.h"

#include <algorithm>
#include <utility>

#include "kinformer/base/log.h"

#include "apiserver/admission/request_access.h"
#include "apiserver/admission/request_match.h"
#include "apiserver/errors/status.h"
#include "apiserver/expressions/match_condition.h"
#include "apiserver/webhook/webhook_call.h"
#include "base/text/uuid.h"

namespace kinformer::apiserver {

Error InternalServerError(const std::string& why) {
  return Error(Reason::kInternalError, "Internal error occurred: " + why)
      .WithHttpStatus(500)
      .WithDetails({.causes = {{.message = why}}});
}

bool AdmissionCall::Fits(const json::Value& object, const json::Value& old) const {
  return MatchesEither(webhook().objects, object, old);
}

std::optional<Error> AdmissionCall::DryRunError() const {
  if (!attributes_->dry_run || !webhook().side_effects) return std::nullopt;
  return BadRequestError("admission webhook " + JsonString(webhook().name) +
                         " does not support dry run");
}

Task<Result<bool>> AdmissionCall::MeetsConditions(ShownObjects shown) {
  if (webhook().conditions.empty()) co_return true;
  const json::Value request = RequestShown(*attributes_, at());
  const json::Value none;
  const RequestAccess access(parts_.state, *attributes_);
  const ExpressionInput input{.object = *shown.object,
                              .old = *shown.old,
                              .request = request,
                              .namespace_object = none,
                              .params = none,
                              .access = &access,
                              .resource = access.Resource()};
  const auto evaluate = [&] { return AreMet(webhook().conditions, input, webhook().ignores); };
  const bool here =
      std::ranges::any_of(webhook().conditions, &AdmissionExpression::asks_authorizer);
  ConditionsMet result;
  if (here) {
    result = evaluate();
  } else {
    result = co_await parts_.off_loop.Do(attributes_->bytes, evaluate);
  }
  if (result.error.empty()) co_return result.met;
  co_return ForbiddenError(attributes_->at.resource->Subject(attributes_->name), result.error);
}

Task<Result<std::optional<AdmissionAnswer>>> AdmissionCall::Ask(ShownObjects shown) {
  const std::string uid = internal::base::NewUuid(parts_.state.env);
  std::string text = co_await parts_.off_loop.Do(attributes_->bytes, [&] {
    return AdmissionReviewText(*attributes_, {.at = at(),
                                              .api_version = webhook().review,
                                              .uid = uid,
                                              .object = *shown.object,
                                              .old = *shown.old});
  });
  shown = {};  // VersionedObjects::Discard releases them last
  const Result<std::string> body =
      co_await CallWebhook(parts_.state, webhook().place, std::move(text));
  if (!body) {
    co_return Failed(
        Error(Reason::kInternalError, "failed to call webhook: " + body.error().message()));
  }
  Result<AdmissionAnswer> answer = co_await parts_.off_loop.Do(
      body->size(), [&] { return ReadAdmissionAnswer(*body, webhook().review, uid, mutates_); });
  if (!answer) co_return Failed(answer.error());
  if (attributes_->audit != nullptr) {
    for (const auto& [key, value] : answer->annotations.members()) {
      attributes_->audit->Annotate(webhook().name + "/" + key, value.StringOrEmpty());
    }
  }
  co_return *std::move(answer);
}

Result<std::optional<AdmissionAnswer>> AdmissionCall::Failed(const Error& why) const {
  const std::string text =
      "failed calling webhook " + JsonString(webhook().name) + ": " + why.message();
  if (!webhook().ignores) return InternalServerError(text);
  parts_.state.env.log().Log(LogLevel::kWarning, "a webhook that may fail has failed",
                             {{"err", text}});
  return std::optional<AdmissionAnswer>();
}

}  // namespace kinformer::apiserver
