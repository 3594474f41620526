// Typical first mistakes with a Clientset, made by users of client-go.
// case version_without_header: BatchV1\(\) needs its header: .*kinformer/clientset/batchv1.h
// case create_of_read_only: the API has no create for this resource
// case apply_of_read_only: the API has no patch for this resource, and so no apply
// case get_of_review: the API has no get for this resource
// case watch_of_review: the API has no watch for this resource
// case delete_of_review: the API has no delete for this resource
// case list_of_review: the API has no list for this resource
// case update_of_review: the API has no update for this resource
// case status_of_config_map: the API has no status of its own for this resource
// case delete_all_namespaces: the API has no deletecollection for this resource
// case awaited_status: the API has no status of its own for this resource
// case verbs_without_header: the verbs of a kind are in the header of its version
// case scale_without_header: a Scale has a header of its own: .*kinformer/api/autoscalingv1.h
// case logs_without_header: GetLogs needs the header of logs
// case proxy_without_header: ProxyGet makes a RestRequest: .*kinformer/client/rest_request.h
// case context_in_front: no context goes in front: .*CallOptions: pods.Get\("web-0"
// case update_of_view: Create and Update take the kind's struct, T::Mutable
// case scale_of_pod: no member named|has no member

#include "kinformer/client/clientset.h"

#include <stop_token>

#include "kinformer/api/batchv1.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/client/async_typed_client.h"
#include "kinformer/clientset/appsv1.h"
#include "kinformer/clientset/authenticationv1.h"
#include "kinformer/clientset/corev1.h"

using kinformer::ApplyOptions;
using kinformer::AsyncTypedClient;
using kinformer::Clientset;
namespace corev1 = kinformer::corev1;

void Use(const Clientset& clientset, const std::stop_token& stop) {
  const auto core = clientset.CoreV1();
  const auto components = core.ComponentStatuses();
  const auto reviews = clientset.AuthenticationV1().TokenReviews();
  const auto maps = core.ConfigMaps("default");
  const auto pods = core.Pods("default");
  const corev1::ConfigMap::Mutable map;
  const corev1::Pod::Mutable pod;
#if defined(version_without_header)
  auto jobs = clientset.BatchV1();
#elif defined(create_of_read_only)
  components.Create(corev1::ComponentStatus::Mutable());
#elif defined(apply_of_read_only)
  components.Apply(corev1::ComponentStatus::Mutable(), ApplyOptions());
#elif defined(get_of_review)
  reviews.Get("a", {});
#elif defined(watch_of_review)
  reviews.Watch({}, [](const auto&) { return true; });
#elif defined(delete_of_review)
  reviews.Delete("a");
#elif defined(list_of_review)
  reviews.List({});
#elif defined(update_of_review)
  reviews.Update(map);
#elif defined(status_of_config_map)
  maps.UpdateStatus(map, {});
#elif defined(delete_all_namespaces)
  core.Namespaces().DeleteCollection({}, {});
#elif defined(awaited_status)
  AsyncTypedClient(maps).UpdateStatus(map);
#elif defined(verbs_without_header)
  AsyncTypedClient<kinformer::batchv1::Job>* jobs = nullptr;
  jobs->Get("a");
#elif defined(scale_without_header)
  auto scale = clientset.AppsV1().Deployments("default").GetScale("web");
#elif defined(logs_without_header)
  pods.GetLogs("web-0");
#elif defined(proxy_without_header)
  core.Services("default").ProxyGet("", "web", "80", "/metrics");
#elif defined(context_in_front)
  auto read = pods.Get(stop, "web-0", {});
#elif defined(update_of_view)
  const auto read = pods.Get("web-0").OrExit();
  pods.Update(corev1::Pod(*read), {}).OrExit();
#elif defined(scale_of_pod)
  pods.GetScale("web-0");
#else
  pods.Get("web-0", {}, {.stop = stop}).OrExit();
  pods.Update(pod).OrExit();
  maps.Apply(map, {.fieldManager = "me"}).OrExit();
  components.List().OrExit();
  static_cast<void>(reviews);
#endif
}
