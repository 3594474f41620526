// Typical first mistakes with the bounds of a DelegatingClient, with parts of objects, and with
// kinds that are known only at run time.
// case deadline_span: WithDeadline takes a moment of the Env's steady clock: .* span is for Within
// case deadline_of_wall_clock: WithDeadline takes a moment of the Env's steady clock
// case deadline_of_context: WithDeadline takes a moment .* Within\(context.call\(\)\)
// case within_context: Within takes CallOptions: those of a reconcile, Within\(context.call\(\)\)
// case within_token: Within takes CallOptions: .*\.stop = token
// case within_span: Within takes CallOptions: .*\.timeout = std::chrono::seconds\(5\)
// case namespace_of_view: a namespace is a std::string, and this text is a view of one
// case namespace_of_request: WithNamespace takes the namespace's name alone
// case part_without_kind_of_part: Get needs two kinds, of the whole object and of its part
// case part_as_in_go: Get needs two kinds, of the whole object and of its part
// case part_of_text: an object is named by namespace and name: \{"default", "web-0"\}
// case part_of_mutable_kind: this T is the struct that is written; name the view that is read
// case part_created_of_view: an object is named, not given
// case part_updated_of_struct: an object is named, not given
// case part_created_without_kind: the kind of the whole object is needed, and its name
// case part_updated_without_kind: the kind of the whole object is needed, and its name
// case part_of_mapping_alone: behind a RestMapping and the name Get takes the kind of the part
// case mapping_and_text: an object is named by namespace and name: \{"default", "web-0"\}
// case mapping_and_patch_of_text: an object is named by namespace and name
// case mapping_and_delete_of_view: an object is named, not given
// case mapping_and_list_of_text: List takes ReadOptions behind the mapping
// case mapping_and_created_struct: behind a RestMapping an object is a json::Value
// case mapping_and_updated_struct: behind a RestMapping an object is a json::Value
// case get_of_resource: a resource's name does not say its kind and scope, too: .*MappingFor
// case list_of_resource: a resource's name does not say its kind and scope, too: .*MappingFor
// case delete_of_kind: a resource's name does not say its kind and scope, too: .*MappingFor
// case create_of_resource: a resource's name does not say its kind and scope, too: .*MappingFor
// case index_without_kind: IndexField needs the kind, in angle brackets

#include <chrono>
#include <stop_token>

#include "kinformer/api/appsv1.h"
#include "kinformer/api/appsv1_mutable.h"
#include "kinformer/api/autoscalingv1.h"
#include "kinformer/api/autoscalingv1_mutable.h"
#include "kinformer/api/corev1.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/api/policyv1.h"
#include "kinformer/api/policyv1_mutable.h"
#include "kinformer/client/discovery.h"
#include "kinformer/controller/delegating_client.h"
#include "kinformer/controller/reconciler.h"

using kinformer::DelegatingClient;
using kinformer::Request;
using kinformer::appsv1::Deployment;
using kinformer::autoscalingv1::Scale;
using kinformer::corev1::Pod;
using kinformer::policyv1::Eviction;
using std::chrono::seconds;

void Use(const DelegatingClient& client, const kinformer::ReconcileContext& context,
         const Request& request, Pod view, Deployment web, const kinformer::RestMapping& mapping,
         const kinformer::GroupVersionResource& resource, const kinformer::GroupVersionKind& kind) {
  const kinformer::Patch patch;
  Pod::Mutable copy = view.DeepCopy();
  Scale::Mutable scale;
  static_cast<void>(copy);
#if defined(deadline_span)
  client.WithDeadline(seconds(5)).List<Pod>().OrExit();
#elif defined(deadline_of_wall_clock)
  client.WithDeadline(std::chrono::system_clock::now()).List<Pod>().OrExit();
#elif defined(deadline_of_context)
  client.WithDeadline(context).List<Pod>().OrExit();
#elif defined(within_context)
  client.Within(context).Get<Pod>(request).OrExit();
#elif defined(within_token)
  client.Within(std::stop_token()).Get<Pod>(request).OrExit();
#elif defined(within_span)
  client.Within(seconds(5)).Get<Pod>(request).OrExit();
#elif defined(namespace_of_view)
  client.WithNamespace(view.metadata().namespace_()).List<Pod>().OrExit();
#elif defined(namespace_of_request)
  client.WithNamespace(request).List<Pod>().OrExit();
#elif defined(part_without_kind_of_part)
  client.SubResource("scale").Get<Deployment>(request).OrExit();
#elif defined(part_as_in_go)
  client.SubResource("scale").Get(web, &scale).OrExit();
#elif defined(part_of_text)
  client.SubResource("scale").Get<Deployment, Scale>("web").OrExit();
#elif defined(part_of_mutable_kind)
  client.SubResource("scale").Get<Deployment, Scale::Mutable>(request).OrExit();
#elif defined(part_created_of_view)
  client.SubResource("eviction").Create<Pod>(view, Eviction::Mutable()).OrExit();
#elif defined(part_updated_of_struct)
  client.SubResource("scale").Update<Deployment>(web.DeepCopy(), scale).OrExit();
#elif defined(part_created_without_kind)
  client.SubResource("eviction").Create(request, Eviction::Mutable()).OrExit();
#elif defined(part_updated_without_kind)
  client.SubResource("scale").Update(request, scale).OrExit();
#elif defined(part_of_mapping_alone)
  client.SubResource("scale").Get(mapping, request).OrExit();
#elif defined(mapping_and_text)
  client.Get(mapping, "web-0").OrExit();
#elif defined(mapping_and_patch_of_text)
  client.Patch(mapping, "web-0", patch).OrExit();
#elif defined(mapping_and_delete_of_view)
  client.Delete(mapping, view).OrExit();
#elif defined(mapping_and_list_of_text)
  client.List(mapping, "default").OrExit();
#elif defined(mapping_and_created_struct)
  client.Create(mapping, copy).OrExit();
#elif defined(mapping_and_updated_struct)
  client.Update(mapping, copy).OrExit();
#elif defined(get_of_resource)
  client.Get(resource, request).OrExit();
#elif defined(list_of_resource)
  client.List(resource).OrExit();
#elif defined(delete_of_kind)
  client.Delete(kind, request).OrExit();
#elif defined(create_of_resource)
  client.Create(resource, kinformer::json::Value()).OrExit();
#elif defined(index_without_kind)
  client.IndexField("node", [](Pod pod, auto& out) { out.Add(pod.spec().nodeName()); }).OrExit();
#else
  client.WithDeadline(context.env().Now() + seconds(5)).List<Pod>().OrExit();
  client.Within(context.call()).Within({.timeout = seconds(5)}).Get<Pod>(request).OrExit();
  client.WithNamespace("default").WithNamespace(request.namespace_).List<Pod>().OrExit();
  client.SubResource("scale").Get<Deployment, Scale>({"default", "web"}).OrExit();
  client.SubResource("scale").Get<Deployment, Scale>(request, context.call()).OrExit();
  client.SubResource("scale").Update<Deployment>(request, scale).OrExit();
  client.SubResource("eviction").Create<Pod>(request, Eviction::Mutable(), {}).OrExit();
  client.SubResource("scale").Get(mapping, request, {"autoscaling", "v1", "Scale"}).OrExit();
  client.SubResource("scale").Get(mapping, request, kind, context.call()).OrExit();
  client.SubResource("scale").Create(mapping, request, kinformer::json::Value()).OrExit();
  client.Status().Update(copy).OrExit();
  client.Status().Update<Pod>(copy, {.fieldManager = "a"}).OrExit();
  client.Get(mapping, {"default", "web-0"}).OrExit();
  client.Get(mapping, request, context.call()).OrExit();
  client.List(mapping).OrExit();
  client.List(mapping, {.namespace_ = "default"}).OrExit();
  client.Patch(mapping, request, patch).OrExit();
  client.Delete(mapping, {"default", "web-0"}).OrExit();
  client.DeleteAllOf(mapping, {.namespace_ = "default"}).OrExit();
  client.Create(mapping, kinformer::json::Value()).OrExit();
  client.Update(mapping, kinformer::json::Value(), {.fieldManager = "a"}).OrExit();
  client.IndexField(mapping, "a", [](kinformer::Unstructured, auto& out) { out.Add("b"); })
      .OrExit();
  static_cast<void>(resource);
  static_cast<void>(web);
#endif
}
