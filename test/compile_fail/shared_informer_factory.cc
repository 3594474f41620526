// Typical first mistakes with a SharedInformerFactory, made by users of client-go.
// case informer_plain: this T is a struct of yours: name the kind that is made of it
// case informer_mutable: this T is the struct that is written; name the view that is read
// case informer_any: this T can be any kind
// case informer_as_in_go: InformerFor takes the kind in angle brackets, and no object
// case informer_of_nothing: InformerFor takes the kind in angle brackets, and no object
// case informer_of_text: InformerFor takes InformerOptions<T>
// case informer_of_function: InformerFor takes InformerOptions<T>
// case metadata_plain: this T is a struct of yours
// case reader_plain: this T is a struct of yours
// case first_served_plain: this T is a struct of yours
// case resource_without_kind: ForResource needs the kind and its scope, too
// case metadata_without_kind: MetadataInformerFor needs the kind and its scope, too
// case release_of_kind: Release takes the informer that the factory gave
// case release_of_object: Release takes the informer that the factory gave
// case release_of_resource: Release takes the informer that the factory gave
// case release_of_lister: Release takes the informer that the factory gave
// case start_of_stop: Start takes nothing: informers run until Shutdown
// case wait_of_time: a wait takes a stop token, and how long it may take behind that
// case wait_of_source: this is the source of the token: give its token, stop.token\(\)
// case wait_of_std_source: this is the source of the token: give its token, stop.token\(\)
// case handlers_of_time: a wait takes a stop token, and how long it may take behind that
// case resync_as_in_go: a factory's options have names
// case of_config: a factory is made of a Client: Client::NewForConfig\(config\)
// case of_pointer: a factory is made of a Client
// case index_as_in_go: an index function is called with the object and with where its values go
// case index_of_text: an index function is called with the object and with where its values go
// case transform_as_in_go: a transform is called with a const AnyRef& and gives
// case transform_in_place: a transform is called with a const AnyRef& and gives
// case transform_of_kind: a transform of a kind is called with a const Ref<T>& and gives
// case transform_of_resource: a transform is called with a const AnyRef& and gives
// case selector_text: text is no LabelSelector yet, .*LabelSelector::Parse\("app=web"\)
// case field_text: text is no FieldSelector yet, .*FieldSelector::Parse
// case informer_selector_text: text is no LabelSelector yet, .*LabelSelector::Parse
// case namespace_selector_text: text is no LabelSelector yet, .*LabelSelector::Parse
// case tweak_of_value: a tweak changes the options that it is called with
// case trace_of_text: trace is called with each step
// case list_of_text: text is no LabelSelector yet, .*LabelSelector::Parse
// case list_to_vector: a list is an ObjectRange, which keeps what its objects are views of

#include "kinformer/cache/shared_informer_factory.h"

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/base/stop.h"
#include "kinformer/client/config.h"
#include "kinformer/object/custom_resource.h"

using kinformer::SharedInformerFactory;
using kinformer::corev1::Pod;

struct Widget {
  static constexpr kinformer::CustomKind kKind{.group = "example.com", .version = "v1"};
  int size = 0;
};

void Use(const kinformer::Client& client, kinformer::StopSource& stop, std::stop_source& source) {
  const kinformer::GroupVersionResource widgets{"example.com", "v1", "widgets"};
  static_cast<void>(widgets);
  static_cast<void>(source);
#if defined(resync_as_in_go)
  SharedInformerFactory factory(client, std::chrono::seconds(30));
#elif defined(of_config)
  SharedInformerFactory factory(kinformer::Config{});
#elif defined(of_pointer)
  SharedInformerFactory factory(&client);
#elif defined(transform_as_in_go)
  SharedInformerFactory factory(client, {.transform = [](Pod pod) { return pod.DeepCopy(); }});
#elif defined(transform_in_place)
  SharedInformerFactory factory(
      client, {.transform = [](Pod::Mutable& pod) { pod.metadata.managedFields.clear(); }});
#elif defined(transform_of_kind)
  SharedInformerFactory factory(
      client, {.transform = kinformer::TransformOf<Pod>([](Pod pod) { return pod.DeepCopy(); })});
#elif defined(transform_of_resource)
  SharedInformerFactory factory(
      client, {.by_resource = {{kinformer::ResourceOf<Pod>(), {.transform = [](Pod) {}}}}});
#elif defined(selector_text)
  SharedInformerFactory factory(client, {.namespaces = {"shop"}, .label_selector = "app=web"});
#elif defined(field_text)
  SharedInformerFactory factory(client, {.field_selector = "spec.nodeName=a"});
#elif defined(namespace_selector_text)
  SharedInformerFactory factory(client,
                                {.by_namespace = {{"shop", {.label_selector = "app=web"}}}});
#elif defined(tweak_of_value)
  SharedInformerFactory factory(client, {.tweak_list_options = [](kinformer::ListOptions* o) {
                                  o->labelSelector = "app=web";
                                }});
#else
  SharedInformerFactory factory(client, {.default_resync = std::chrono::seconds(30)});
#endif
#if defined(informer_plain)
  factory.InformerFor<Widget>();
#elif defined(informer_mutable)
  factory.InformerFor<Pod::Mutable>();
#elif defined(informer_any)
  factory.InformerFor<kinformer::Unstructured>();
#elif defined(informer_as_in_go)
  const Pod::Mutable pod;
  factory.InformerFor(pod);
#elif defined(informer_of_nothing)
  factory.InformerFor();
#elif defined(informer_of_text)
  factory.InformerFor<Pod>("default");
#elif defined(informer_of_function)
  factory.InformerFor<Pod>([](const kinformer::Client&) { return 3; });
#elif defined(metadata_plain)
  factory.MetadataInformerFor<Widget>();
#elif defined(reader_plain)
  factory.ReaderFor<Widget>();
#elif defined(first_served_plain)
  factory.InformerForFirstServed<Pod, Widget>().OrExit();
#elif defined(resource_without_kind)
  factory.ForResource(widgets);
#elif defined(metadata_without_kind)
  factory.MetadataInformerFor(widgets);
#elif defined(release_of_kind)
  factory.Release<Pod>();
#elif defined(release_of_object)
  factory.Release(Pod::Mutable{});
#elif defined(release_of_resource)
  factory.Release(widgets);
#elif defined(release_of_lister)
  factory.Release(factory.InformerFor<Pod>().lister());
#elif defined(start_of_stop)
  factory.Start(stop.token());
#elif defined(wait_of_time)
  factory.WaitForCacheSync(std::chrono::seconds(30)).OrExit();
#elif defined(wait_of_source)
  factory.WaitForCacheSync(stop).OrExit();
#elif defined(wait_of_std_source)
  factory.WaitForCacheSync(source).OrExit();
#elif defined(handlers_of_time)
  factory.WaitForHandlersSync(std::chrono::seconds(30)).OrExit();
#elif defined(index_as_in_go)
  factory.InformerFor<Pod>({.indexers = {{"node", [](const Pod& pod) {
                                            return std::vector{std::string(pod.spec().nodeName())};
                                          }}}});
#elif defined(index_of_text)
  factory.InformerFor<Pod>().AddIndexers({{"node", "spec.nodeName"}}).OrExit();
#elif defined(informer_selector_text)
  factory.InformerFor<Pod>({.label_selector = "app=web"});
#elif defined(trace_of_text)
  factory.InformerFor<Pod>({.trace = [](const std::string&) {}});
#elif defined(list_of_text)
  if (factory.InformerFor<Pod>().lister().List("app=web").empty()) return;
#elif defined(list_to_vector)
  std::vector<Pod> all = factory.InformerFor<Pod>().lister().List();
#else
  factory.InformerFor<Pod>(
      {.indexers = {{"node", [](Pod pod, auto& out) { out.Add(pod.spec().nodeName()); }},
                    {"namespace", kinformer::MetaNamespaceIndexFunc<Pod>}},
       .trace = [](const kinformer::TraceEvent&) {},
       .label_selector = kinformer::LabelSelector::Parse("app=web").OrExit()});
  SharedInformerFactory changing(
      client, {.tweak_list_options = [](auto& options) { options.labelSelector = "a"; },
               .transform = [](const auto& object) { return kinformer::Result(object); }});
  SharedInformerFactory plain(client, {.tweak_list_options = nullptr, .transform = {}});
  factory.InformerFor<Pod>({.namespaces = {"default"}});
  factory.InformerFor<Pod>();
  factory.InformerFor<Pod>(kinformer::InformerOptions<Pod>{});
  factory.InformerFor<Pod>([&](kinformer::Duration resync) {
    return SharedInformerFactory(client).InformerFor<Pod>({.resync_period = resync});
  });
  factory.InformerFor<kinformer::CustomResource<Widget>>();
  factory.MetadataInformerFor<Pod>();
  factory.Release(factory.InformerFor<Pod>());
  factory.Release(factory.ForResource(widgets, "Widget", true));
  factory.MetadataInformerFor(widgets, "Widget");
  factory.ForResource(widgets, "Widget", true);
  factory.Start();
  factory.WaitForCacheSync(stop.token(), {.timeout = std::chrono::seconds(30)}).OrExit();
  factory.WaitForCacheSync().OrExit();
  factory.WaitForCacheSync({}).OrExit();
#endif
}
