#include "kinformer/leaderelection/lease_candidate.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>

#include "kinformer/api/coordinationv1beta1_mutable.h"
#include "kinformer/cache/shared_informer_factory.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/object/object_name.h"
#include "kinformer/workqueue/worker.h"

namespace kinformer {
namespace {

using Candidate = coordinationv1beta1::LeaseCandidate;

// Well below the half hour after which servers ignore a candidate.
constexpr Duration kRenewsEvery = std::chrono::minutes(5);

// Whether the server has pinged the candidate and has no answer yet.
bool IsAsked(const Candidate& candidate) {
  const auto pinged = candidate.spec().pingTime();
  const auto renewed = candidate.spec().renewTime();
  return pinged && (!renewed || *renewed < *pinged);
}

metav1::MicroTime JustAfter(const metav1::MicroTime& time) {
  constexpr std::int32_t kMicro = 1000;
  constexpr std::int32_t kSecond = 1'000'000'000;
  if (time.nanos() >= kSecond - kMicro) return metav1::MicroTime(time.seconds() + 1);
  return metav1::MicroTime(time.seconds(), time.nanos() + kMicro);
}

class Applicant final : public LeaseCandidate {
 public:
  // `itself`: selector of the candidate.
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
    const auto keep_if_asked = [&queue, self](const Candidate& candidate) {
      if (IsAsked(candidate)) queue.Add(self);
    };
    const Result<EventHandlerRegistration> handler = informer.AddEventHandler(
        {.on_add = [=](const Added<Candidate>& e) { keep_if_asked(e.object); },
         .on_update = [=](const Updated<Candidate>& e) { keep_if_asked(e.new_object); },
         .on_delete = [&queue, self](const Deleted<Candidate>&) { queue.Add(self); }});
    if (!handler) {
      env.log().Log(LogLevel::kError, "the candidate is not watched",
                    {{"err", handler.error().ToString()}});
    }
    queue.Add(self);
    factory.Start();
    const std::stop_callback ends(stop, [&queue] { queue.ShutDown(); });
    const auto keep = [&](const ObjectName& name) {
      Result<void> kept = Keep(stop);
      if (kept) queue.AddAfter(name, kRenewsEvery);
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

  // Creates the candidate if it is absent, and renews it.
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
    Candidate::Mutable renewed = (*there)->DeepCopy();
    renewed.spec.renewTime = Now();
    // If this clock is behind the server's, the answer would look older than the ping.
    if (const auto pinged = (*there)->spec().pingTime()) {
      renewed.spec.renewTime = std::max(Now(), JustAfter(*pinged));
    }
    const Result<Ref<Candidate>> written = candidates_.Update(renewed, {}, call);
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
