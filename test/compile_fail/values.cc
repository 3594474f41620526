// Numbers without a unit, texts that must be parsed first, and Results instead of their values.
// case timeout_of_number: a length of time needs its unit: std::chrono::seconds\(30\)
// case requeue_of_number: a length of time needs its unit: std::chrono::seconds\(30\)
// case resync_of_number: a length of time needs its unit: std::chrono::seconds\(30\)
// case lease_of_number: a length of time needs its unit: std::chrono::seconds\(30\)
// case quantity_of_text: text is no quantity yet, and may be none: resource::Quantity::Parse
// case quantities_of_text: text is no quantity yet, and may be none: resource::Quantity::Parse
// case patch_in_its_result: this patch is still in its Result: .*MergeFrom\(before, after\)
// case status_patch_in_its_result: this patch is still in its Result
// case client_patch_in_its_result: this patch is still in its Result
// case event_of_result: the object is still in its Result: if \(!pod\) return pod.error\(\)
// case event_with_action_of_result: the object is still in its Result
// case event_of_error: an event's message is text: give error.message\(\)
// case event_with_action_of_error: an event's message is text: give error.message\(\)
// case arrow_of_passing_result: the object would go with this Result: keep it, const auto pod
// case config_of_path: LoadDefault finds the files itself: FromKubeconfigFile\(path\) reads one
// case namespace_of_list: the namespace is the client's: client.For<corev1::Pod>
// case label_selector_of_list: these options are the request's own, by the API's names: .*labelSel
// case field_selector_of_list: these options are the request's own, by the API's names: .*fieldSel
// case lock_among_the_rest: the lock stands before the rest: NewForLease\(config,
// case any_lock_among_the_rest: the lock stands before the rest: New\(env, std::move\(lock\)
// case view_of_passing_ref: (use of deleted function|invokes a deleted function)

#include <chrono>
#include <memory>

#include "kinformer/api/appsv1.h"
#include "kinformer/api/corev1.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/cache/shared_informer_factory.h"
#include "kinformer/client/config.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/controller/delegating_client.h"
#include "kinformer/controller/merge_from.h"
#include "kinformer/controller/reconciler.h"
#include "kinformer/events/event_recorder.h"
#include "kinformer/events/events.h"
#include "kinformer/leaderelection/leader_elector.h"

using kinformer::ObjectName;
using kinformer::ReconcileResult;
using kinformer::Ref;
using kinformer::Result;
using kinformer::corev1::Pod;
using namespace std::chrono_literals;

Result<ReconcileResult> Use(const kinformer::Client& client, kinformer::DelegatingClient& cached,
                            Pod::Mutable& pod, kinformer::EventRecorder& recorder,
                            kinformer::events::EventRecorder& recorder_with_actions,
                            const kinformer::Config& config,
                            std::unique_ptr<kinformer::ResourceLock> lock) {
  const auto pods = client.For<Pod>("default");
  const auto read = pods.Get("web-0");
  const auto patch = kinformer::MergeFrom(pod, pod);
  const ObjectName name{"default", "web-0"};
#if defined(timeout_of_number)
  return IgnoreNotFound(pods.Get("web-0", {}, {.timeout = 5}).error());
#elif defined(requeue_of_number)
  return ReconcileResult{.requeue_after = 30};
#elif defined(resync_of_number)
  const kinformer::SharedInformerFactory factory(client, {.default_resync = 30});
#elif defined(lease_of_number)
  const kinformer::LeaderElectionConfig election{.lease_duration = 15};
#elif defined(quantity_of_text)
  pod.spec.containers.emplace_back().resources.limits["memory"] = "128Mi";
#elif defined(quantities_of_text)
  pod.spec.containers.emplace_back().resources.limits = {{"memory", "128Mi"}};
#elif defined(patch_in_its_result)
  cached.Patch<Pod>(name, patch).OrExit();
#elif defined(status_patch_in_its_result)
  cached.Status().Patch<Pod>(name, kinformer::MergeFrom(pod, pod)).OrExit();
#elif defined(client_patch_in_its_result)
  pods.Patch("web-0", patch).OrExit();
#elif defined(event_of_result)
  recorder.Event(read, kinformer::kEventTypeNormal, "Printed", "two pages");
#elif defined(event_with_action_of_result)
  recorder_with_actions.Event(read, kinformer::kEventTypeNormal, "Printed", "Printing", "two");
#elif defined(event_of_error)
  recorder.Event(*read, kinformer::kEventTypeWarning, "Failed", read.error());
#elif defined(event_with_action_of_error)
  recorder_with_actions.Event(**read, kinformer::kEventTypeWarning, "Failed", "Printing",
                              read.error());
#elif defined(arrow_of_passing_result)
  if (pods.Get("web-0")->spec().hostNetwork()) return ReconcileResult{};
#elif defined(config_of_path)
  kinformer::Config::LoadDefault("/home/me/.kube/dev.yaml").OrExit();
#elif defined(namespace_of_list)
  pods.List({.namespace_ = "shop"}).OrExit();
#elif defined(label_selector_of_list)
  pods.List({.label_selector = "app=web"}).OrExit();
#elif defined(field_selector_of_list)
  pods.List({.field_selector = "spec.nodeName=node-7"}).OrExit();
#elif defined(lock_among_the_rest)
  kinformer::LeaderElector::NewForLease(
      config, {.lock = {.namespace_ = "default", .name = "mine"}, .lease_duration = 15s})
      .OrExit();
#elif defined(any_lock_among_the_rest)
  kinformer::LeaderElector::New(client.env(), {.lock = std::move(lock), .renew_deadline = 10s})
      .OrExit();
#elif defined(view_of_passing_ref)
  const Pod view = pods.Get("web-0").OrExit();
#else
  pods.Get("web-0", {}, {.timeout = 5s}).OrExit();
  pods.Get("web-0", {}, {.timeout = std::chrono::milliseconds(5)}).OrExit();
  pods.List({}).OrExit();
  pods.List().OrExit();
  pods.List({.labelSelector = "app=web"}, {.timeout = 5s}).OrExit();
  const kinformer::SharedInformerFactory factory(client, {.default_resync = 30s});
  auto& limits = pod.spec.containers.emplace_back().resources.limits;
  limits["memory"] = kinformer::resource::Quantity::Parse("128Mi").OrExit();
  limits = {{"cpu", kinformer::resource::Quantity::FromInt(1)}};
  cached.Patch<Pod>(name, *patch).OrExit();
  cached.Status().Patch<Pod>(name, *patch).OrExit();
  pods.Patch("web-0", *patch).OrExit();
  if (kinformer::IsNotFound(read)) return {};
  recorder.Event(*read, kinformer::kEventTypeNormal, "Printed", "two pages");
  recorder.Event(**read, kinformer::kEventTypeNormal, "Printed", "two pages");
  recorder_with_actions.Event(*read, **read, kinformer::kEventTypeNormal, "Printed", "Printing",
                              "two pages");
  const std::vector<Ref<Pod>> refs{*read};
  for (Pod each : refs) static_cast<void>(each);
  if (read->spec().hostNetwork() && (*read)->spec().hostNetwork()) return {};
  kinformer::Config::LoadDefault().OrExit();
  kinformer::Config::LoadDefault({.context = "kind"}).OrExit();
  kinformer::LeaderElector::NewForLease(config, {.namespace_ = "default", .name = "mine"},
                                        {.lease_duration = 15s})
      .OrExit();
  kinformer::LeaderElector::New(client.env(), std::move(lock), {.renew_deadline = 10s}).OrExit();
#endif
  return ReconcileResult{.requeue_after = 30s};
}
