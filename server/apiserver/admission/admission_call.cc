#include "apiserver/admission/admission_call.h"

#include <utility>

#include "kinformer/base/log.h"

#include "apiserver/errors/status.h"
#include "apiserver/registry/selection.h"
#include "base/text/uuid.h"

namespace kinformer::apiserver {

Error InternalServerError(const std::string& why) {
  return Error(Reason::kInternalError, "Internal error occurred: " + why)
      .WithHttpStatus(500)
      .WithDetails({.causes = {{.message = why}}});
}

bool AdmissionCall::Fits(const json::Value& object, const json::Value& old) const {
  const LabelSelector& selector = webhook().objects;
  const auto fits = [&](const json::Value& one) {
    return !one.is_null() && MatchesLabels(selector, one.At("/metadata/labels"));
  };
  return selector.MatchesEverything() || fits(object) || fits(old);
}

std::optional<Error> AdmissionCall::DryRunError() const {
  if (!attributes_->dry_run || !webhook().side_effects) return std::nullopt;
  return BadRequestError("admission webhook " + JsonString(webhook().name) +
                         " does not support dry run");
}

void AdmissionCall::Ask(const ShownObjects& shown, Done done) {
  done_ = std::move(done);
  uid_ = internal::base::NewUuid(parts_.state.env);
  const auto text = std::make_shared<std::string>();
  auto write = [text, shown, attributes = attributes_, about = about_, uid = uid_] {
    *text = AdmissionReviewText(*attributes, {.at = about.at,
                                              .api_version = about.webhook->review,
                                              .uid = uid,
                                              .object = *shown.object,
                                              .old = *shown.old});
  };
  if (!OffLoop::IsMuch(attributes_->bytes)) {
    write();
    return Send(std::move(*text));
  }
  under_way_ = parts_.off_loop.Start(std::move(write), [this, text] { Send(std::move(*text)); });
}

void AdmissionCall::Send(std::string text) {
  call_.emplace(parts_.state, webhook().place, std::move(text),
                [this](Result<std::string> body) { Judge(std::move(body)); });
}

void AdmissionCall::Judge(Result<std::string> body) {
  if (!body) {
    return Finish(
        Error(Reason::kInternalError, "failed to call webhook: " + body.error().message()));
  }
  if (!OffLoop::IsMuch(body->size())) {
    return Finish(ReadAdmissionAnswer(*body, webhook().review, uid_, mutates_));
  }
  const auto answer = std::make_shared<Result<AdmissionAnswer>>(AdmissionAnswer());
  under_way_ = parts_.off_loop.Start(
      [answer, text = *std::move(body), about = about_, uid = uid_, mutates = mutates_] {
        *answer = ReadAdmissionAnswer(text, about.webhook->review, uid, mutates);
      },
      [this, answer] { Finish(std::move(*answer)); });
}

void AdmissionCall::Finish(Result<AdmissionAnswer> answer) {
  const Done done = std::move(done_);
  if (answer) return done(std::optional(*std::move(answer)));
  const std::string text =
      "failed calling webhook " + JsonString(webhook().name) + ": " + answer.error().message();
  if (!webhook().ignores) return done(InternalServerError(text));
  parts_.state.env.log().Log(LogLevel::kWarning, "a webhook that may fail has failed",
                             {{"err", text}});
  done(std::optional<AdmissionAnswer>());
}

}  // namespace kinformer::apiserver
