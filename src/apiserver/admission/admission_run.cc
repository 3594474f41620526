#include "apiserver/admission/admission_run.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "kinformer/json_diff.h"
#include "kinformer/log.h"

#include "apiserver/errors/status.h"
#include "apiserver/registry/selection.h"
#include "apiserver/webhook/webhook_call.h"
#include "base/uuid.h"

namespace kinformer::apiserver {
namespace {

Error InternalError(const std::string& why) {
  return Error(Reason::kInternalError, "Internal error occurred: " + why)
      .WithHttpStatus(500)
      .WithDetails({.causes = {{.message = why}}});
}

// One question: whether it is to be asked, and what comes of it.
class Question {
 public:
  Question(ServerState& state, AdmissionQuestionFor about)
      : state_(state), about_(std::move(about)) {}

  [[nodiscard]] const Webhook& webhook() const { return *about_.webhook; }
  [[nodiscard]] const ResourceAt& at() const { return about_.at; }

  [[nodiscard]] bool Fits(const AdmissionAttributes& attributes) const {
    const LabelSelector& selector = webhook().objects;
    return selector.MatchesEverything() ||
           MatchesLabels(selector, attributes.object.At("/metadata/labels")) ||
           MatchesLabels(selector, attributes.old.At("/metadata/labels"));
  }

  // Empty: there is no answer, and that does not matter.
  using Done = std::function<void(Result<std::optional<AdmissionAnswer>>)>;
  // `done` may destroy this.
  void Ask(const AdmissionAttributes& attributes, Done done) {
    const Webhook& to = webhook();
    std::string uid = internal::base::NewUuid(state_.env);
    call_.emplace(state_, to.place, AdmissionQuestion(attributes, at(), to.review, uid),
                  [this, uid, done = std::move(done)](Result<std::string> body) {
                    done(Judge(uid, std::move(body)));
                  });
  }

 private:
  Result<std::optional<AdmissionAnswer>> Judge(const std::string& uid, Result<std::string> body) {
    const Webhook& to = webhook();
    if (!body) return Failed("failed to call webhook: " + body.error().message());
    Result<AdmissionAnswer> answer = ReadAdmissionAnswer(*body, to.review, uid);
    if (!answer) return Failed("received invalid webhook response: " + answer.error().message());
    return std::optional(*std::move(answer));
  }

  Result<std::optional<AdmissionAnswer>> Failed(const std::string& why) {
    const std::string text = "failed calling webhook " + JsonString(webhook().name) + ": " + why;
    if (!webhook().ignores) return InternalError(text);
    state_.env.log().Log(LogLevel::kWarning, "a webhook that may fail has failed", {{"err", text}});
    return std::optional<AdmissionAnswer>();
  }

  ServerState& state_;
  const AdmissionQuestionFor about_;
  std::optional<WebhookCall> call_{};
};

// What both kinds of runs have in common.
class Run {
 public:
  Run(ServerState& state, std::shared_ptr<AdmissionAttributes> attributes,
      std::vector<AdmissionQuestionFor> questions, AdmissionWebhooks::Done done)
      : state_(state), attributes_(std::move(attributes)), done_(std::move(done)) {
    for (AdmissionQuestionFor& about : questions) {
      questions_.push_back(std::make_unique<Question>(state, std::move(about)));
    }
  }

 protected:
  // Null where it is to be asked; else why it must not be.
  [[nodiscard]] std::optional<Error> DryRunError(const Question& question) const {
    if (!attributes_->dry_run || !question.webhook().side_effects) return std::nullopt;
    return BadRequestError("admission webhook " + JsonString(question.webhook().name) +
                           " does not support dry run");
  }
  void AddWarnings(AdmissionAnswer& answer) {
    for (std::string& warning : answer.warnings) outcome_.warnings.push_back(std::move(warning));
  }
  void Finish() {
    const AdmissionWebhooks::Done done = std::move(done_);
    done(std::move(outcome_));  // may destroy this
  }

  ServerState& state_;
  const std::shared_ptr<AdmissionAttributes> attributes_;
  std::vector<std::unique_ptr<Question>> questions_{};
  AdmissionOutcome outcome_{};

 private:
  AdmissionWebhooks::Done done_;
};

class MutatingRun final : public Run {
 public:
  using Run::Run;

  void Next() {
    while (at_ < questions_.size() || BeginAgain()) {
      const std::size_t index = at_++;
      if (again_ && !due_again_[index]) continue;
      Question& question = *questions_[index];
      if (!question.Fits(*attributes_)) continue;
      if (const std::optional<Error> refused = DryRunError(question)) return Fail(*refused);
      question.Ask(*attributes_, [this, index](Result<std::optional<AdmissionAnswer>> answer) {
        if (!answer) return Fail(answer.error());
        if (*answer && !Take(index, **answer)) return Finish();
        Next();
      });
      return;
    }
    Finish();
  }

 private:
  void Fail(const Error& error) {
    outcome_.allowed = error;
    Finish();
  }

  // Once, if an object has changed after somebody who wants to know.
  bool BeginAgain() {
    if (again_) return false;
    again_ = true;
    at_ = 0;
    for (const bool due : due_again_) {
      if (due) return true;
    }
    at_ = questions_.size();
    return false;
  }

  // False: it is refused.
  bool Take(std::size_t index, AdmissionAnswer& answer) {
    AddWarnings(answer);
    const Question& question = *questions_[index];
    if (!answer.allowed) {
      outcome_.allowed = RefusedByWebhook(question.webhook().name, answer.status);
      return false;
    }
    if (!again_) asked_[index] = true;
    if (answer.patch.size() == 0 || attributes_->object.is_null()) return true;
    json::Value shown = ShownIn(question.at(), attributes_->object);
    const json::Value before = shown;
    if (Result<void> applied = json::ApplyPatch(answer.patch, shown); !applied) {
      outcome_.allowed = InternalError(applied.error().message());
      return false;
    }
    if (shown == before) return true;
    attributes_->object = TakenFrom(question.at(), std::move(shown));
    outcome_.changed = true;
    for (std::size_t i = 0; i < questions_.size(); ++i) {
      if (i != index && asked_[i] && questions_[i]->webhook().again) due_again_[i] = true;
    }
    return true;
  }

  std::size_t at_ = 0;
  bool again_ = false;  // the second round
  std::vector<bool> asked_ = std::vector<bool>(questions_.size());
  std::vector<bool> due_again_ = std::vector<bool>(questions_.size());
};

class ValidatingRun final : public Run {
 public:
  using Run::Run;

  void Begin() {
    for (std::size_t i = 0; i < questions_.size(); ++i) {
      Question& question = *questions_[i];
      if (!question.Fits(*attributes_)) continue;
      if (const std::optional<Error> refused = DryRunError(question)) {
        errors_[i] = *refused;
        continue;
      }
      ++under_way_;
      question.Ask(*attributes_, [this, i](Result<std::optional<AdmissionAnswer>> answer) {
        if (!answer) {
          errors_[i] = answer.error();
        } else if (*answer) {
          AddWarnings(**answer);
          if (!(*answer)->allowed) {
            errors_[i] = RefusedByWebhook(questions_[i]->webhook().name, (*answer)->status);
          }
        }
        --under_way_;
        FinishIfAll();
      });
    }
    FinishIfAll();
  }

 private:
  // The first of them in the order of the webhooks decides.
  void FinishIfAll() {
    if (under_way_ > 0) return;
    for (const std::optional<Error>& error : errors_) {
      if (!error) continue;
      outcome_.allowed = *error;
      break;
    }
    Finish();
  }

  std::size_t under_way_ = 0;
  std::vector<std::optional<Error>> errors_ = std::vector<std::optional<Error>>(questions_.size());
};

}  // namespace

AdmissionWebhooks::Ticket AskInTurn(ServerState& state,
                                    std::shared_ptr<AdmissionAttributes> attributes,
                                    std::vector<AdmissionQuestionFor> questions,
                                    AdmissionWebhooks::Done done) {
  auto run = std::make_shared<MutatingRun>(state, std::move(attributes), std::move(questions),
                                           std::move(done));
  state.Post([weak = std::weak_ptr(run)] {
    if (const auto begun = weak.lock()) begun->Next();
  });
  return run;
}

AdmissionWebhooks::Ticket AskAtOnce(ServerState& state,
                                    std::shared_ptr<AdmissionAttributes> attributes,
                                    std::vector<AdmissionQuestionFor> questions,
                                    AdmissionWebhooks::Done done) {
  auto run = std::make_shared<ValidatingRun>(state, std::move(attributes), std::move(questions),
                                             std::move(done));
  state.Post([weak = std::weak_ptr(run)] {
    if (const auto begun = weak.lock()) begun->Begin();
  });
  return run;
}

}  // namespace kinformer::apiserver
