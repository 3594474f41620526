#include "apiserver/admission/admission_run.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "kinformer/json/json_diff.h"

#include "apiserver/admission/admission_call.h"
#include "apiserver/errors/status.h"
#include "apiserver/registry/custom_object.h"
#include "wire/json_cost.h"

namespace kinformer::apiserver {
namespace {

// Limit of the memory that the patches of all webhooks together add to an object.
constexpr std::size_t kMostAdded = std::size_t{16} << 20;
// Approximate limit of the calls under way at once, in bytes: each contains the objects.
constexpr std::size_t kMostAsked = std::size_t{16} << 20;

// Result of a patch.
struct Patched {
  Result<void> applied{};
  json::Value object{};
  bool changed = false;
  std::size_t added = 0;  // approximate growth of the object in memory
};

void Apply(const json::Value& patch, const ResourceAt& at, const json::Value& before,
           Patched& patched) {
  patched.object = before;
  patched.applied = json::ApplyPatch(patch, patched.object);
  if (!patched.applied) return;
  patched.changed = !(patched.object == before);
  if (!patched.changed) return;
  const std::size_t cost = json::CostOf(before);
  patched.added = std::max(json::CostOf(patched.object), cost) - cost;
  // Later steps, such as a conversion, may rely on the defaults.
  if (at.version->schema != nullptr) {
    patched.applied = FillDefaults(*at.version->schema, patched.object);
  }
}

// Base of both kinds of runs.
class Run {
 public:
  Run(const AdmissionParts& parts, std::shared_ptr<AdmissionAttributes> attributes,
      std::vector<AdmissionQuestionFor> questions, bool mutates, AdmissionDone done)
      : parts_(parts),
        attributes_(std::move(attributes)),
        objects_(parts, attributes_),
        done_(std::move(done)) {
    for (AdmissionQuestionFor& about : questions) {
      calls_.push_back(
          std::make_unique<AdmissionCall>(parts, attributes_, std::move(about), mutates));
    }
  }

 protected:
  void AddWarnings(AdmissionAnswer& answer) {
    for (std::string& warning : answer.warnings) outcome_.warnings.push_back(std::move(warning));
  }
  void Finish() {
    objects_.Discard();
    const AdmissionDone done = std::move(done_);
    done(std::move(outcome_));  // may destroy this
  }

  // Runs `work`, off the loop if the objects are large, and then `then` on the loop.
  void Do(std::function<void()> work, std::function<void()> then) {
    if (!OffLoop::IsMuch(attributes_->bytes)) {
      work();
      return then();
    }
    under_way_ = parts_.off_loop.Start(std::move(work), std::move(then));
  }

  const AdmissionParts parts_;
  const std::shared_ptr<AdmissionAttributes> attributes_;
  VersionedObjects objects_;
  std::vector<std::unique_ptr<AdmissionCall>> calls_{};
  AdmissionOutcome outcome_{};

 private:
  AdmissionDone done_;
  OffLoop::Ticket under_way_{};
};

class MutatingRun final : public Run {
 public:
  using Run::Run;

  void Next() {
    while (at_ < calls_.size() || BeginAgain()) {
      const std::size_t index = at_++;
      if (again_ && !due_again_[index]) continue;
      AdmissionCall& call = *calls_[index];
      if (!call.Fits(objects_.latest(), attributes_->old)) continue;
      return objects_.Show(call.at(), [this, index](const Result<ShownObjects>& shown) {
        // Wrapped twice, as on a real server.
        if (!shown) {
          return Fail(InternalServerError(InternalServerError(shown.error().message()).message()));
        }
        Ask(index);
      });
    }
    TakeChanged();
  }

 private:
  void Fail(const Error& error) {
    outcome_.allowed = error;
    Finish();
  }

  void Ask(std::size_t index) {
    AdmissionCall& call = *calls_[index];
    if (const std::optional<Error> refused = call.DryRunError()) return Fail(*refused);
    call.Ask(objects_.shown(call.at()),
             [this, index](Result<std::optional<AdmissionAnswer>> answer) {
               if (!answer) return Fail(answer.error());
               if (!again_) asked_[index] = true;
               if (!*answer) return Next();
               Take(index, **answer);
             });
  }

  void Take(std::size_t index, AdmissionAnswer& answer) {
    AddWarnings(answer);
    const AdmissionCall& call = *calls_[index];
    if (!answer.allowed) return Fail(RefusedByWebhook(call.webhook().name, answer.status));
    if (answer.patch.size() == 0) return Next();
    const std::shared_ptr<const json::Value> before = objects_.shown(call.at()).object;
    if (before->is_null()) {
      return Fail(InternalServerError(
          "admission webhook " + JsonString(call.webhook().name) +
          " attempted to modify the object, which is not supported for this operation"));
    }
    const auto patched = std::make_shared<Patched>();
    auto apply = [patched, patch = std::move(answer.patch), at = call.at(), before] {
      Apply(patch, at, *before, *patched);
    };
    Do(std::move(apply), [this, index, patched] { Replace(index, *patched); });
  }

  void Replace(std::size_t index, Patched& patched) {
    if (!patched.applied) return Fail(InternalServerError(patched.applied.error().message()));
    if (patched.changed) {
      added_ += patched.added;
      if (added_ > kMostAdded) return Fail(TooMuchAdded());
      objects_.Replace(calls_[index]->at(), std::move(patched.object));
      outcome_.changed = true;
      for (std::size_t i = 0; i < calls_.size(); ++i) {
        if (i != index && asked_[i] && calls_[i]->webhook().again) due_again_[i] = true;
      }
    }
    Next();
  }

  static Error TooMuchAdded() {
    return Error(
               Reason::kRequestEntityTooLarge,
               "Request entity too large: the patches of admission webhooks would add more than " +
                   std::to_string(kMostAdded) + " bytes")
        .WithHttpStatus(413);
  }

  // Starts a second round, once, if the object changed after a webhook that wants reinvocation.
  bool BeginAgain() {
    if (again_) return false;
    again_ = true;
    at_ = 0;
    for (const bool due : due_again_) {
      if (due) return true;
    }
    at_ = calls_.size();
    return false;
  }

  void TakeChanged() {
    if (!objects_.replaced()) return Finish();
    objects_.Take([this](const Result<std::shared_ptr<const json::Value>>& taken) {
      if (!taken) return Fail(taken.error());
      const auto copy = std::make_shared<json::Value>();
      Do([copy, object = *taken] { *copy = *object; },
         [this, copy] {
           attributes_->object = std::move(*copy);
           Finish();
         });
    });
  }

  std::size_t at_ = 0;
  bool again_ = false;     // in the second round
  std::size_t added_ = 0;  // by all patches
  std::vector<bool> asked_ = std::vector<bool>(calls_.size());
  std::vector<bool> due_again_ = std::vector<bool>(calls_.size());
};

class ValidatingRun final : public Run {
 public:
  using Run::Run;

  // Makes all versions first, and then calls all webhooks.
  void ShowNext() {
    while (shown_.size() < calls_.size()) {
      const AdmissionCall& call = *calls_[shown_.size()];
      if (call.Fits(attributes_->object, attributes_->old)) {
        return objects_.Show(call.at(), [this](const Result<ShownObjects>& shown) {
          if (!shown) {
            outcome_.allowed = InternalServerError(shown.error().message());
            return Finish();
          }
          shown_.push_back(true);
          ShowNext();
        });
      }
      shown_.push_back(false);
    }
    AskMore();
  }

 private:
  // Calls all webhooks at once, up to the memory limit for calls under way.
  void AskMore() {
    // No answer arrives before this returns.
    for (; next_ < calls_.size(); ++next_) {
      if (under_way_ * 2 * attributes_->bytes > kMostAsked) break;
      const std::size_t i = next_;
      if (!shown_[i]) continue;
      AdmissionCall& call = *calls_[i];
      errors_[i] = call.DryRunError();
      if (errors_[i]) continue;
      ++under_way_;
      call.Ask(objects_.shown(call.at()), [this, i](Result<std::optional<AdmissionAnswer>> answer) {
        if (!answer) {
          errors_[i] = answer.error();
        } else if (*answer) {
          AddWarnings(**answer);
          if (!(*answer)->allowed) {
            errors_[i] = RefusedByWebhook(calls_[i]->webhook().name, (*answer)->status);
          }
        }
        --under_way_;
        AskMore();
      });
    }
    FinishIfAll();
  }

  // The first error in the order of the webhooks decides.
  void FinishIfAll() {
    if (under_way_ > 0 || next_ < calls_.size()) return;
    for (const std::optional<Error>& error : errors_) {
      if (!error) continue;
      outcome_.allowed = *error;
      break;
    }
    Finish();
  }

  std::vector<bool> shown_{};  // false: the webhook is not called
  std::size_t next_ = 0;       // next webhook to call
  std::size_t under_way_ = 0;
  std::vector<std::optional<Error>> errors_ = std::vector<std::optional<Error>>(calls_.size());
};

}  // namespace

AdmissionTicket AskInTurn(const AdmissionParts& parts,
                          std::shared_ptr<AdmissionAttributes> attributes,
                          std::vector<AdmissionQuestionFor> questions, AdmissionDone done) {
  auto run = std::make_shared<MutatingRun>(parts, std::move(attributes), std::move(questions),
                                           /*mutates=*/true, std::move(done));
  parts.state.Post([weak = std::weak_ptr(run)] {
    if (const auto begun = weak.lock()) begun->Next();
  });
  return run;
}

AdmissionTicket AskAtOnce(const AdmissionParts& parts,
                          std::shared_ptr<AdmissionAttributes> attributes,
                          std::vector<AdmissionQuestionFor> questions, AdmissionDone done) {
  auto run = std::make_shared<ValidatingRun>(parts, std::move(attributes), std::move(questions),
                                             /*mutates=*/false, std::move(done));
  parts.state.Post([weak = std::weak_ptr(run)] {
    if (const auto begun = weak.lock()) begun->ShowNext();
  });
  return run;
}

}  // namespace kinformer::apiserver
