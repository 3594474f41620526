#include "apiserver/admission/admission_run.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "kinformer/json/json_diff.h"

#include "apiserver/admission/added_limit.h"
#include "apiserver/admission/admission_call.h"
#include "apiserver/errors/status.h"
#include "apiserver/registry/custom_object.h"
#include "wire/json_cost.h"

namespace kinformer::apiserver {
namespace {

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

// Webhooks about one request, and its objects as they see them.
struct Run {
  Run(const AdmissionParts& with, std::shared_ptr<AdmissionAttributes> about,
      std::vector<AdmissionQuestionFor> questions, bool mutates)
      : parts(with), attributes(std::move(about)), objects(parts, attributes) {
    for (AdmissionQuestionFor& question : questions) {
      calls.push_back(
          std::make_unique<AdmissionCall>(parts, attributes, std::move(question), mutates));
    }
  }

  void AddWarnings(AdmissionAnswer& answer) {
    for (std::string& warning : answer.warnings) outcome.warnings.push_back(std::move(warning));
  }

  const AdmissionParts parts;
  const std::shared_ptr<AdmissionAttributes> attributes;
  VersionedObjects objects;
  std::vector<std::unique_ptr<AdmissionCall>> calls{};
  AdmissionOutcome outcome{};
};

class MutatingRun {
 public:
  MutatingRun(Run& run, BetweenRounds between) : run_(run), between_(std::move(between)) {}

  // Calls the webhooks in turn, and once more those that are due again.
  Task<Result<void>> CallAll() {
    for (int round = 1; round <= 2; ++round) {
      const bool again = round == 2;
      if (again && between_ != nullptr) {
        const Result<void> others = co_await AskOthers();
        if (!others) co_return others;
      }
      for (std::size_t i = 0; i < run_.calls.size(); ++i) {
        if (again && !due_again_[i]) continue;
        if (!run_.calls[i]->Fits(run_.objects.latest(), run_.attributes->old)) continue;
        const Result<void> called = co_await CallOne(i, again);
        if (!called) co_return called.error();
      }
    }
    co_return co_await TakeChanged();
  }

 private:
  // Lets others change the object of the request, too. All webhooks that want to see that are due.
  Task<Result<void>> AskOthers() {
    const Result<void> taken = co_await TakeChanged();
    if (!taken) co_return taken;
    const Result<bool> changed = co_await between_();
    if (!changed.ok()) co_return changed.error();
    run_.objects.Restart();
    if (!*changed) co_return {};
    run_.outcome.changed = true;
    for (std::size_t i = 0; i < run_.calls.size(); ++i) {
      if (asked_[i] && run_.calls[i]->webhook().again) due_again_[i] = true;
    }
    co_return {};
  }

  Task<Result<void>> CallOne(std::size_t index, bool again) {
    AdmissionCall& call = *run_.calls[index];
    const Result<void> shown = co_await run_.objects.Show(call.at());
    if (!shown) {
      // Wrapped twice, as on a real server.
      co_return InternalServerError(InternalServerError(shown.error().message()).message());
    }
    const Result<bool> met = co_await call.MeetsConditions(run_.objects.shown(call.at()));
    if (!met.ok()) co_return met.error();
    if (!*met) co_return {};
    if (const std::optional<Error> refused = call.DryRunError()) co_return *refused;
    Result<std::optional<AdmissionAnswer>> answer =
        co_await call.Ask(run_.objects.shown(call.at()));
    if (!answer) co_return answer.error();
    if (!again) asked_[index] = true;
    if (!*answer) co_return {};
    run_.AddWarnings(**answer);
    if (!(*answer)->allowed) {
      co_return RefusedByWebhook(call.webhook().name, (*answer)->status);
    }
    if ((*answer)->patch.size() == 0) co_return {};
    co_return co_await ApplyPatch(index, std::move((*answer)->patch));
  }

  Task<Result<void>> ApplyPatch(std::size_t index, json::Value patch) {
    const AdmissionCall& call = *run_.calls[index];
    std::shared_ptr<const json::Value> before = run_.objects.shown(call.at()).object;
    if (before->is_null()) {
      co_return InternalServerError(
          "admission webhook " + JsonString(call.webhook().name) +
          " attempted to modify the object, which is not supported for this operation");
    }
    Patched patched;
    co_await run_.parts.off_loop.Do(run_.attributes->bytes, [&] {
      Apply(patch, call.at(), *before, patched);
      before = nullptr;
      // Their destruction may take long, too.
      patch = json::Value();
      if (!patched.changed) patched.object = json::Value();
    });
    if (!patched.applied) co_return InternalServerError(patched.applied.error().message());
    if (!patched.changed) co_return {};
    added_ += patched.added;
    if (added_ > kMostAdded) co_return TooMuchAdded("admission webhooks");
    run_.objects.Replace(call.at(), std::move(patched.object));
    run_.outcome.changed = true;
    for (std::size_t i = 0; i < run_.calls.size(); ++i) {
      if (i != index && asked_[i] && run_.calls[i]->webhook().again) due_again_[i] = true;
    }
    co_return {};
  }

  // Replaces the object of the request by the changed one.
  Task<Result<void>> TakeChanged() {
    if (!run_.objects.replaced()) co_return {};
    const Result<std::shared_ptr<const json::Value>> taken = co_await run_.objects.Take();
    if (!taken) co_return taken.error();
    json::Value copy =
        co_await run_.parts.off_loop.Do(run_.attributes->bytes, [&] { return **taken; });
    run_.attributes->object = std::move(copy);
    co_return {};
  }

  Run& run_;
  const BetweenRounds between_;
  std::size_t added_ = 0;  // by all patches
  std::vector<bool> asked_ = std::vector<bool>(run_.calls.size());
  // The webhook wants reinvocation, and the object changed after its call.
  std::vector<bool> due_again_ = std::vector<bool>(run_.calls.size());
};

class ValidatingRun {
 public:
  explicit ValidatingRun(Run& run) : run_(run) {}

  // Makes all versions first, and then calls all webhooks.
  Task<Result<void>> CallAll() {
    for (std::size_t i = 0; i < run_.calls.size(); ++i) {
      AdmissionCall& call = *run_.calls[i];
      fits_[i] = call.Fits(run_.attributes->object, run_.attributes->old);
      if (!fits_[i]) continue;
      const Result<void> shown = co_await run_.objects.Show(call.at());
      if (!shown) co_return InternalServerError(shown.error().message());
      const Result<bool> met = co_await call.MeetsConditions(run_.objects.shown(call.at()));
      if (!met.ok()) co_return met.error();
      fits_[i] = *met;
    }
    co_await Called<bool>([this](Called<bool>::Done done) {
      all_answered_ = std::move(done);
      AskMore();
      return nullptr;
    });
    // The first error in the order of the webhooks decides.
    for (const std::optional<Error>& error : errors_) {
      if (error) co_return *error;
    }
    co_return {};
  }

 private:
  // Calls all webhooks at once, up to the memory limit for calls under way.
  void AskMore() {
    // No answer arrives before this returns.
    for (; next_ < run_.calls.size(); ++next_) {
      if (under_way_ * 2 * run_.attributes->bytes > kMostAsked) break;
      const std::size_t i = next_;
      if (!fits_[i]) continue;
      AdmissionCall& call = *run_.calls[i];
      errors_[i] = call.DryRunError();
      if (errors_[i]) continue;
      ++under_way_;
      tickets_[i] = Start<Result<std::optional<AdmissionAnswer>>>(
          run_.parts.state.env, call.Ask(run_.objects.shown(call.at())),
          [this, i](Result<std::optional<AdmissionAnswer>> answer) {
            Take(i, answer);
            --under_way_;
            AskMore();
          });
    }
    if (under_way_ > 0 || next_ < run_.calls.size()) return;
    const Called<bool>::Done done = std::move(all_answered_);
    done(true);  // may destroy this
  }

  void Take(std::size_t index, Result<std::optional<AdmissionAnswer>>& answer) {
    if (!answer) {
      errors_[index] = answer.error();
    } else if (*answer) {
      run_.AddWarnings(**answer);
      if (!(*answer)->allowed) {
        errors_[index] = RefusedByWebhook(run_.calls[index]->webhook().name, (*answer)->status);
      }
    }
  }

  Run& run_;
  std::vector<bool> fits_ = std::vector<bool>(run_.calls.size());  // false: it is not called
  std::size_t next_ = 0;                                           // next webhook to call
  std::size_t under_way_ = 0;
  std::vector<AsyncTicket> tickets_ = std::vector<AsyncTicket>(run_.calls.size());
  std::vector<std::optional<Error>> errors_ = std::vector<std::optional<Error>>(run_.calls.size());
  Called<bool>::Done all_answered_{};
};

// Finishes a run whose calls are made by `kind`.
template <class Kind>
Task<AdmissionOutcome> CallAll(Run& run, Kind& kind) {
  co_await NextTurn(run.parts.state);
  Result<void> allowed = co_await kind.CallAll();
  run.outcome.allowed = std::move(allowed);
  run.objects.Discard();
  co_return std::move(run.outcome);
}

}  // namespace

Task<AdmissionOutcome> AskInTurn(AdmissionParts parts,
                                 std::shared_ptr<AdmissionAttributes> attributes,
                                 std::vector<AdmissionQuestionFor> questions,
                                 BetweenRounds between) {
  Run run(parts, std::move(attributes), std::move(questions), /*mutates=*/true);
  MutatingRun kind(run, std::move(between));
  co_return co_await CallAll(run, kind);
}

Task<AdmissionOutcome> AskAtOnce(AdmissionParts parts,
                                 std::shared_ptr<AdmissionAttributes> attributes,
                                 std::vector<AdmissionQuestionFor> questions) {
  Run run(parts, std::move(attributes), std::move(questions), /*mutates=*/false);
  ValidatingRun kind(run);
  co_return co_await CallAll(run, kind);
}

}  // namespace kinformer::apiserver
