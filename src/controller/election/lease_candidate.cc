#include "kinformer/lease_candidate.h"

#include <chrono>
#include <utility>

#include "kinformer/api/coordinationv1beta1_mutable.h"
#include "kinformer/object_name.h"
#include "kinformer/resource_client.h"
#include "kinformer/shared_informer_factory.h"
#include "kinformer/worker.h"

namespace kinformer {
namespace {

using Candidate = coordinationv1beta1::LeaseCandidate;

constexpr Duration kLooksAtLeastEvery = std::chrono::minutes(5);

class Applicant final : public LeaseCandidate {
 public:
  // `itself` selects the candidate.
  Applicant(const Client& client, LeaseCandidateOptions options, FieldSelector itself)
      : client_(client),
        itself_(std::move(itself)),
        candidates_(client.For<Candidate>(options.namespace_)),
        options_(std::move(options)) {}

  void Run(const std::stop_token& stop) override {
    Env& env = client_.env();
    RateLimitingQueue<ObjectName> queue(env, {.name = "leasecandidate"});
    SharedInformerFactory factory(client_);
    SharedInformer<Candidate> informer = factory.InformerFor<Candidate>(
        {.namespace_ = options_.namespace_, .field_selector = itself_});
    const ObjectName self{options_.namespace_, options_.name};
    const auto look = [&queue, self](const auto&) { queue.Add(self); };
    const Result<EventHandlerRegistration> handler =
        informer.AddEventHandler({.on_add = look, .on_update = look, .on_delete = look});
    if (!handler) {
      env.log().Log(LogLevel::kError, "the candidate is not watched",
                    {{"err", handler.error().ToString()}});
    }
    queue.Add(self);
    factory.Start();
    const std::stop_callback ends(stop, [&queue] { queue.ShutDown(); });
    const auto keep = [&](const ObjectName& name) {
      Result<void> kept = Keep(stop);
      if (kept) queue.AddAfter(name, kLooksAtLeastEvery);
      return stop.stop_requested() ? Result<void>() : std::move(kept);
    };
    while (ProcessNextWorkItem(env, queue, keep, "leasecandidate")) {
    }
    factory.Shutdown();
  }

 private:
  [[nodiscard]] metav1::MicroTime Now() const {
    return metav1::MicroTime(
        std::chrono::floor<std::chrono::system_clock::duration>(client_.env().WallNow()));
  }

  Result<void> Keep(const std::stop_token& stop) const {
    const CallOptions call{.stop = stop};
    const Result<Ref<Candidate>> there = candidates_.Get(options_.name, {}, call);
    if (!there && !IsNotFound(there.error())) return there.error();
    if (!there) {
      Candidate::Mutable candidate;
      candidate.metadata.name = options_.name;
      candidate.metadata.namespace_ = options_.namespace_;
      candidate.spec.leaseName = options_.lease_name;
      candidate.spec.binaryVersion = options_.binary_version;
      candidate.spec.emulationVersion = options_.emulation_version;
      candidate.spec.strategy = options_.strategy;
      candidate.spec.renewTime = Now();
      const Result<Ref<Candidate>> made = candidates_.Create(candidate, {}, call);
      return made ? Result<void>() : made.error();
    }
    const auto pinged = (*there)->spec().pingTime();
    const auto renewed = (*there)->spec().renewTime();
    if (!pinged || (renewed && *renewed >= *pinged)) return {};
    Candidate::Mutable answer = (*there)->DeepCopy();
    answer.spec.renewTime = Now();
    const Result<Ref<Candidate>> written = candidates_.Update(answer, {}, call);
    return written ? Result<void>() : written.error();
  }

  const Client client_;
  const FieldSelector itself_;
  const ResourceClient<Candidate> candidates_;
  const LeaseCandidateOptions options_;
};

}  // namespace

Result<std::unique_ptr<LeaseCandidate>> LeaseCandidate::New(const Client& client,
                                                            LeaseCandidateOptions options) {
  const auto missing = [](const char* field) {
    return Error(Reason::kInvalidArgument,
                 std::string("LeaseCandidateOptions::") + field + " is empty");
  };
  if (options.namespace_.empty()) return missing("namespace_");
  if (options.name.empty()) return missing("name");
  if (options.lease_name.empty()) return missing("lease_name");
  Result<FieldSelector> itself = FieldSelector::Parse("metadata.name=" + options.name);
  if (!itself) return std::move(itself).error();
  return std::unique_ptr<LeaseCandidate>(
      std::make_unique<Applicant>(client, std::move(options), *std::move(itself)));
}

}  // namespace kinformer
