// Typical first mistakes with a Client and its ResourceClients, made by users of client-go.
// case dynamic_of_resource: Dynamic takes the RestMapping of a resource, which says its kind
// case get_with_context: no context goes in front: .*CallOptions: pods.Get\("web-0"
// case list_with_context: no context goes in front: .*CallOptions: pods.List
// case create_with_context: no context goes in front: .*CallOptions: pods.Create
// case update_with_context: no context goes in front: .*CallOptions: pods.Update
// case delete_with_context: no context goes in front: .*CallOptions: pods.Delete
// case watch_with_context: no context goes in front: .*CallOptions, and events come to a function
// case list_to_vector: a list is an ObjectList, which keeps what its objects are views of
// case watch_of_view: a watch calls its function with each event, until that returns false
// case watch_of_void: a watch calls its function with each event, until that returns false
// case parts_of_answer: a Result holds a value or an error, and not both
// case warnings_as_in_go: warning_handler is called with the warning's text
// case observer_of_two: request_observer is called with the record of a request
// case wrapper_of_reference: a wrapper is called with a std::shared_ptr<Transport>, and returns it
// case tweak_of_pointer: a tweak changes the options that it is called with
// case recorder_of_format: there is no Eventf: recorder->Event

#include "kinformer/client/client.h"

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/client/config.h"
#include "kinformer/client/dynamic_client.h"
#include "kinformer/client/lister_watcher.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/events/event_recorder.h"

using kinformer::Client;
using kinformer::ListOptions;
using kinformer::corev1::Pod;
namespace corev1 = kinformer::corev1;

void Use(const Client& client, const std::stop_token& stop, kinformer::EventRecorder& recorder) {
  const kinformer::GroupVersionResource deployments{"apps", "v1", "deployments"};
  const auto pods = client.For<Pod>("default");
  const Pod::Mutable pod;
  static_cast<void>(deployments);
#if defined(dynamic_of_resource)
  auto web = client.Dynamic(deployments, "default").Get("web");
#elif defined(get_with_context)
  auto read = pods.Get(stop, "web-0", {});
#elif defined(list_with_context)
  auto read = pods.List(stop, {});
#elif defined(create_with_context)
  auto made = pods.Create(stop, pod, {});
#elif defined(update_with_context)
  auto made = pods.Update(stop, pod, {});
#elif defined(delete_with_context)
  pods.Delete(stop, "web-0", {}).OrExit();
#elif defined(watch_with_context)
  auto watch = pods.Watch(stop, {});
#elif defined(list_to_vector)
  std::vector<Pod> all = pods.List().OrExit();
#elif defined(watch_of_view)
  pods.Watch({}, [](Pod) { return true; }).OrExit();
#elif defined(watch_of_void)
  pods.Watch({}, [](const kinformer::ResourceWatchEvent<Pod>&) {}).OrExit();
#elif defined(parts_of_answer)
  const auto [read, error] = pods.Get("web-0");
#elif defined(warnings_as_in_go)
  auto other = Client::FromEnvironment(
      {.warning_handler = [](int, const std::string&, const std::string&) {}});
#elif defined(observer_of_two)
  auto other = Client::FromEnvironment({.request_observer = [](const std::string&, int) {}});
#elif defined(wrapper_of_reference)
  kinformer::Config config;
  config.Wrap([](kinformer::Transport& inner) { return &inner; });
#elif defined(tweak_of_pointer)
  auto watch = kinformer::NewFilteredListWatch<Pod>(
      client, "", [](ListOptions* options) { options->labelSelector = "app=web"; });
#elif defined(recorder_of_format)
  recorder.Eventf(pod, corev1::kEventTypeNormal, "Printed", "%d pages", 2);
#else
  pods.Get("web-0", {}, {.stop = stop}).OrExit();
  pods.List({.labelSelector = "app=web", .fieldSelector = "a=b", .limit = 10}, {.stop = stop})
      .OrExit();
  pods.Create(pod, {}, {.stop = stop}).OrExit();
  pods.Watch({}, [](const auto&) { return true; }, {.stop = stop}).OrExit();
  const ListOptions options{.labelSelector = "app=web"};
  pods.List(options).OrExit();
  Client::FromEnvironment({.warning_handler = [](std::string_view) {},
                           .request_observer = [](const kinformer::RequestRecord&) {},
                           .verbosity = 6})
      .OrExit();
  kinformer::Config config;
  config.Wrap([](auto inner) { return std::make_shared<kinformer::ForwardingTransport>(inner); });
  auto watch = kinformer::NewFilteredListWatch<Pod>(
      client, "", [](ListOptions& tweaked) { tweaked.labelSelector = "app=web"; });
  const auto web = pods.Get("web-0").OrExit();
  recorder.Event(*web, corev1::kEventTypeNormal, "Printed", "2 pages");
#endif
}
