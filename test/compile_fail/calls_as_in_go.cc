// Calls whose arguments stand where Go has them.
// case patch_of_one_state: MergeFrom takes both states and gives a Result: const auto patch =
// case patch_of_one_state_in_place: MergeFrom takes both states and gives a Result
// case immediate_before_the_function: Go's `immediate` stands behind the function, and true is the
// case immediate_without_timeout: Go's `immediate` stands behind the function, and true is the
// case name_behind_the_limiter: a queue's name is one of its options: RateLimitingQueue
// case name_in_a_string: a queue's name is one of its options: RateLimitingQueue

#include <chrono>
#include <stop_token>
#include <string>

#include "kinformer/api/appsv1.h"
#include "kinformer/api/appsv1_mutable.h"
#include "kinformer/base/wait.h"
#include "kinformer/controller/delegating_client.h"
#include "kinformer/controller/merge_from.h"
#include "kinformer/object/object_name.h"
#include "kinformer/workqueue/rate_limiting_queue.h"

using kinformer::ObjectName;
using kinformer::Result;
using kinformer::appsv1::Deployment;
using namespace std::chrono_literals;
namespace wait = kinformer::wait;

Result<void> Use(kinformer::Env& env, kinformer::DelegatingClient& client,
                 const Deployment::Mutable& before, const Deployment::Mutable& after,
                 const std::stop_token& stop) {
  const auto limiter = kinformer::ItemExponentialFailureRateLimiter<ObjectName>(5ms, 1000s);
  const auto running = []() -> Result<bool> { return true; };
#if defined(patch_of_one_state)
  const auto patch = kinformer::MergeFrom(before);
#elif defined(patch_of_one_state_in_place)
  if (const auto done = client.Patch(after, kinformer::MergeFrom(before)); !done) return {};
#elif defined(immediate_before_the_function)
  return wait::PollUntilTimeout(env, stop, 1s, 30s, true, running);
#elif defined(immediate_without_timeout)
  return wait::PollUntilCancel(env, stop, 1s, false, running);
#elif defined(name_behind_the_limiter)
  kinformer::RateLimitingQueue<ObjectName> queue(env, limiter, "pods");
#elif defined(name_in_a_string)
  kinformer::RateLimitingQueue<ObjectName> queue(env, limiter, std::string("pods"));
#else
  const auto patch = kinformer::MergeFrom(before, after);
  if (!patch) return patch.error();
  if (const auto done = client.Patch<Deployment>(ObjectName{"shop", "web"}, *patch); !done)
    return {};
  kinformer::RateLimitingQueue<ObjectName> queue(env, {.name = "pods"});
  if (const auto done = wait::PollUntilTimeout(env, stop, 1s, 30s, running); !done) return done;
  return wait::PollUntilCancel(env, stop, 1s, running, wait::FirstAsked::kAfterInterval);
#endif
  return {};
}
