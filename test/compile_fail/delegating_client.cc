// Typical first mistakes with a DelegatingClient, made by users of controller-runtime.
// case update_view: this is a view of a cached object, which nobody can change: DeepCopy\(\) it
// case create_view: this is a view of a cached object, which nobody can change: DeepCopy\(\) it
// case update_status_view: this is a view of a cached object, which nobody can change: DeepCopy\(\)
// case apply_view: this is a view of a cached object, which nobody can change: DeepCopy\(\) it
// case status_update_view: this is a view of a cached object, which nobody can change: DeepCopy
// case status_apply_view: this is a view of a cached object, which nobody can change: DeepCopy
// case part_create_view: this is a view of a cached object, which nobody can change: DeepCopy
// case part_update_view: this is a view of a cached object, which nobody can change: DeepCopy
// case part_apply_view: this is a view of a cached object, which nobody can change: DeepCopy\(\) it
// case update_typed_view: take the kind's struct, T::Mutable .* not the view; DeepCopy
// case update_ref: this is a Ref to a cached object, .* ref->DeepCopy\(\) makes a copy
// case create_ref: this is a Ref to a cached object, .* ref->DeepCopy\(\) makes a copy
// case update_status_ref: this is a Ref to a cached object, .* ref->DeepCopy\(\) makes a copy
// case apply_ref: this is a Ref to a cached object, .* ref->DeepCopy\(\) makes a copy
// case update_result: this is a Result: look whether it is ok\(\)
// case create_pointer: this is a pointer: give the struct itself, \*pointer
// case create_shared: this is a pointer: give the struct itself, \*pointer
// case create_text: this is text: give the kind's struct
// case create_json: JSON does not tell the compiler its kind: give the RestMapping
// case create_plain: this struct has no metadata: give a CustomResource<T>::Mutable
// case create_number: what is written is the struct of a kind
// case update_other_kind: this is not the struct of the kind that is named
// case get_without_kind: Get needs the kind, takes a name, and gives the object as its result
// case get_as_in_go: Get needs the kind, takes a name, and gives the object as its result
// case get_of_text: an object is named by namespace and name: \{"default", "web-0"\}
// case get_of_two_texts: an object is named by namespace and name: \{"default", "web-0"\}
// case get_of_view: an object is named, not given
// case get_of_mutable_kind: this T is the struct that is written; name the view that is read
// case get_of_plain_kind: this T is a struct of yours: name the kind that is made of it
// case get_of_ref_kind: this T is a Ref: name the kind
// case get_of_pointer_kind: this T is a pointer: name the kind
// case get_of_any_kind: this T can be any kind, and the kind must be known at compile time
// case list_without_kind: List needs the kind, of the objects and not of their list
// case list_as_in_go: List needs the kind, of the objects and not of their list
// case list_of_text: List takes ReadOptions
// case list_of_plain_kind: this T is a struct of yours
// case patch_view: an object is named, not given
// case patch_as_in_go: Patch needs the kind, and the object's name, not the object
// case delete_view: an object is named, not given
// case delete_as_in_go: Delete needs the kind, and the object's name, not the object
// case delete_text: an object is named by namespace and name
// case delete_all_as_in_go: DeleteAllOf needs the kind
// case delete_all_of_text: DeleteAllOf takes ReadOptions, which say where
// case list_of_selector_text: text is no LabelSelector yet, .*LabelSelector::Parse
// case list_of_field_text: text is no FieldSelector yet, .*FieldSelector::Parse
// case index_without_values: an index function is called with the object and with where its values
// case metadata_of_plain_kind: this T is a struct of yours
// case list_metadata_of_plain_kind: this T is a struct of yours
// case list_metadata_of_mutable_kind: this T is the struct that is written; name the view that is
// case list_metadata_of_any_kind: this T can be any kind, and the kind must be known
// case list_metadata_of_selector_text: text is no LabelSelector yet, .*LabelSelector::Parse
// case index_metadata_of_object: an index function is called with the object and with where its
// case index_metadata_without_values: an index function is called with the object and with where
// case index_metadata_of_text: an index function is called with the object and with where its
// case index_metadata_of_plain_kind: this T is a struct of yours
// case status_patch_of_plain_kind: this T is a struct of yours
// case status_patch_of_mutable_kind: this T is the struct that is written; name the view that is
// case status_patch_of_ref_kind: this T is a Ref: name the kind
// case list_metadata_without_kind: ListMetadata needs the kind, of the objects and not of their
// case list_metadata_as_in_go: ListMetadata needs the kind, of the objects and not of their list
// case list_metadata_of_text: ListMetadata takes ReadOptions, and gives the metadata as its result
// case index_metadata_as_in_go: IndexMetadataField needs the kind, in angle brackets
// case status_patch_as_in_go: Patch needs the kind, and the object's name, not the object
// case status_patch_view: an object is named, not given
// case status_patch_of_text: an object is named by namespace and name
// case api_reader_of_plain_kind: this T is a struct of yours
// case informer_of_plain_kind: this T is a struct of yours
// case factory_by_value: DelegatingClient shares its factory: make that with
// case factory_pointer: DelegatingClient shares its factory: make that with

#include "kinformer/controller/delegating_client.h"

#include <memory>
#include <string>

#include "kinformer/api/corev1.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/api/policyv1.h"
#include "kinformer/api/policyv1_mutable.h"
#include "kinformer/object/custom_resource.h"

using kinformer::DelegatingClient;
using kinformer::ObjectName;
using kinformer::Ref;
using kinformer::Result;
using kinformer::SharedInformerFactory;
using kinformer::corev1::Node;
using kinformer::corev1::Pod;

struct Widget {
  static constexpr kinformer::CustomKind kKind{.group = "example.com", .version = "v1"};
  int size = 0;
};

void Use(const DelegatingClient& client, Pod view, const Ref<Pod>& ref, const ObjectName& name) {
  Pod::Mutable copy = view.DeepCopy();
  const kinformer::Patch patch;
  static_cast<void>(copy);
#if defined(update_view)
  client.Update(view).OrExit();
#elif defined(create_view)
  client.Create(view).OrExit();
#elif defined(update_status_view)
  client.UpdateStatus(*ref).OrExit();
#elif defined(apply_view)
  client.Apply(view).OrExit();
#elif defined(status_update_view)
  client.Status().Update(view).OrExit();
#elif defined(status_apply_view)
  client.Status().Apply(view).OrExit();
#elif defined(part_create_view)
  client.SubResource("eviction").Create<Pod>(name, kinformer::policyv1::Eviction()).OrExit();
#elif defined(part_update_view)
  client.SubResource("eviction").Update<Pod>(name, kinformer::policyv1::Eviction()).OrExit();
#elif defined(part_apply_view)
  client.SubResource("eviction").Apply<Pod>(name, kinformer::policyv1::Eviction()).OrExit();
#elif defined(update_typed_view)
  client.Update<Pod>(view).OrExit();
#elif defined(update_ref)
  client.Update(ref).OrExit();
#elif defined(create_ref)
  client.Create(ref).OrExit();
#elif defined(update_status_ref)
  client.UpdateStatus(ref).OrExit();
#elif defined(apply_ref)
  client.Apply(ref).OrExit();
#elif defined(update_result)
  client.Update(client.Get<Pod>(name)).OrExit();
#elif defined(create_pointer)
  client.Create(&copy).OrExit();
#elif defined(create_shared)
  client.Create(std::make_shared<Pod::Mutable>()).OrExit();
#elif defined(create_text)
  client.Create("kind: Pod").OrExit();
#elif defined(create_json)
  client.Create(kinformer::json::Value()).OrExit();
#elif defined(create_plain)
  client.Create(Widget{}).OrExit();
#elif defined(create_number)
  client.Create(3).OrExit();
#elif defined(update_other_kind)
  client.Update<Node>(copy).OrExit();
#elif defined(get_without_kind)
  auto got = client.Get(name);
#elif defined(get_as_in_go)
  client.Get(name, &copy).OrExit();
#elif defined(get_of_text)
  client.Get<Pod>("web-0").OrExit();
#elif defined(get_of_two_texts)
  client.Get<Pod>("default", "web-0").OrExit();
#elif defined(get_of_view)
  client.Get<Pod>(view).OrExit();
#elif defined(get_of_mutable_kind)
  client.Get<Pod::Mutable>(name).OrExit();
#elif defined(get_of_plain_kind)
  client.Get<Widget>(name).OrExit();
#elif defined(get_of_ref_kind)
  client.Get<Ref<Pod>>(name).OrExit();
#elif defined(get_of_pointer_kind)
  client.Get<Pod*>(name).OrExit();
#elif defined(get_of_any_kind)
  client.Get<kinformer::Unstructured>(name).OrExit();
#elif defined(list_without_kind)
  auto pods = client.List();
#elif defined(list_as_in_go)
  std::vector<Pod::Mutable> pods;
  client.List(&pods).OrExit();
#elif defined(list_of_text)
  client.List<Pod>("default").OrExit();
#elif defined(list_of_plain_kind)
  client.List<Widget>().OrExit();
#elif defined(patch_view)
  client.Patch<Pod>(view, patch).OrExit();
#elif defined(patch_as_in_go)
  client.Patch(copy, patch).OrExit();
#elif defined(delete_view)
  client.Delete<Pod>(view).OrExit();
#elif defined(delete_as_in_go)
  client.Delete(copy).OrExit();
#elif defined(delete_text)
  client.Delete<Pod>("web-0").OrExit();
#elif defined(delete_all_as_in_go)
  client.DeleteAllOf(copy).OrExit();
#elif defined(delete_all_of_text)
  client.DeleteAllOf<Pod>("default").OrExit();
#elif defined(list_of_selector_text)
  client.List<Pod>({.namespace_ = "default", .label_selector = "app=web"}).OrExit();
#elif defined(list_of_field_text)
  client.List<Pod>({.field_selector = std::string("spec.nodeName=a")}).OrExit();
#elif defined(index_without_values)
  client.IndexField<Pod>("spec.nodeName", [](Pod pod) { return pod.spec().nodeName(); }).OrExit();
#elif defined(metadata_of_plain_kind)
  client.GetMetadata<Widget>(name).OrExit();
#elif defined(list_metadata_of_plain_kind)
  client.ListMetadata<Widget>().OrExit();
#elif defined(list_metadata_of_mutable_kind)
  client.ListMetadata<Pod::Mutable>().OrExit();
#elif defined(list_metadata_of_any_kind)
  client.ListMetadata<kinformer::Unstructured>().OrExit();
#elif defined(list_metadata_of_selector_text)
  client.ListMetadata<Pod>({.label_selector = "app=web"}).OrExit();
#elif defined(index_metadata_of_object)
  client.IndexMetadataField<Pod>("a", [](Pod pod, auto& out) { out.Add(pod.spec().nodeName()); })
      .OrExit();
#elif defined(index_metadata_without_values)
  client.IndexMetadataField<Pod>("a", [](const auto& object) { return object.metadata().name(); })
      .OrExit();
#elif defined(index_metadata_of_text)
  client.IndexMetadataField<Pod>("metadata.name", "metadata.name").OrExit();
#elif defined(index_metadata_of_plain_kind)
  client.IndexMetadataField<Widget>("a", [](const auto&, auto&) {}).OrExit();
#elif defined(status_patch_of_plain_kind)
  client.Status().Patch<Widget>(name, patch).OrExit();
#elif defined(status_patch_of_mutable_kind)
  client.Status().Patch<Pod::Mutable>(name, patch).OrExit();
#elif defined(status_patch_of_ref_kind)
  client.Status().Patch<Ref<Pod>>(name, patch).OrExit();
#elif defined(list_metadata_without_kind)
  auto pods = client.ListMetadata();
#elif defined(list_metadata_as_in_go)
  std::vector<Pod::Mutable> pods;
  client.ListMetadata(&pods).OrExit();
#elif defined(list_metadata_of_text)
  client.ListMetadata<Pod>("default").OrExit();
#elif defined(index_metadata_as_in_go)
  client.IndexMetadataField(copy, "a", [](const auto&, auto&) {}).OrExit();
#elif defined(status_patch_as_in_go)
  client.Status().Patch(copy, patch).OrExit();
#elif defined(status_patch_view)
  client.Status().Patch<Pod>(view, patch).OrExit();
#elif defined(status_patch_of_text)
  client.Status().Patch<Pod>("web-0", patch).OrExit();
#elif defined(api_reader_of_plain_kind)
  client.APIReader<Widget>();
#elif defined(informer_of_plain_kind)
  client.InformerFor<Widget>().OrExit();
#elif defined(factory_by_value)
  SharedInformerFactory factory(client.client());
  const DelegatingClient other(client.client(), factory);
#elif defined(factory_pointer)
  SharedInformerFactory factory(client.client());
  const DelegatingClient other(client.client(), &factory, {});
#else
  client.Update(copy).OrExit();
  client.Create<Pod>(ref->DeepCopy()).OrExit();
  client.Get<Pod>({"default", "web-0"}).OrExit();
  client.Get<Pod>({.name = "web-0"}, {.timeout = std::chrono::seconds(1)}).OrExit();
  client.Get<kinformer::CustomResource<Widget>>(name).OrExit();
  client.Create(kinformer::CustomResource<Widget>::Mutable{}).OrExit();
  client.List<Pod>({.namespace_ = "default"}).OrExit();
  client.List<Pod>().OrExit();
  client.Patch<Pod>(name, patch).OrExit();
  client.Status().Patch<Pod>(name, patch).OrExit();
  client.ListMetadata<Pod>({.namespace_ = "default"}).OrExit();
  client
      .IndexMetadataField<Pod>("a", [](const auto& o, auto& out) { out.Add(o.metadata().name()); })
      .OrExit();
  client.Delete<Pod>({"default", "web-0"}, {.propagationPolicy = "Orphan"}).OrExit();
  client.DeleteAllOf<Pod>({.namespace_ = "default"}).OrExit();
  client.IndexField<Pod>("a", [](Pod pod, auto& out) { out.Add(pod.spec().nodeName()); }).OrExit();
  const DelegatingClient other(client.client(),
                               std::make_shared<SharedInformerFactory>(client.client()));
#endif
}
