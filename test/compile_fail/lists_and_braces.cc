// Lists that are taken for Results or sorted in place, and braces in place of a map.
// case negated_list: a list is an ObjectRange and no Result: if \(!pods.ok\(\)\) return
// case starred_list: a list is an ObjectRange and no Result: the objects are in the range
// case sorted_list: the objects of a range keep their places: std::vector<corev1::Pod>
// case labels_in_braces: labels are given as text, which is read first: LabelSelector::Parse
// case labels_of_client: labels are given as text, which is read first: LabelSelector::Parse
// case fields_in_braces: fields are given as text, which is read first: FieldSelector::Parse
// case json_in_braces: an object is made with its name: json::Value::MakeObject
// case json_texts_in_braces: an object is made with its name: json::Value::MakeObject
// case json_numbers_in_braces: an object is made with its name: json::Value::MakeObject
// case config_timeout: a length of time needs its unit
// case client_timeout: a length of time needs its unit
// case plugin_timeout: a length of time needs its unit
// case sync_timeout: a length of time needs its unit
// case transport_timeout: a length of time needs its unit

#include <algorithm>
#include <chrono>
#include <ranges>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/cache/lister.h"
#include "kinformer/client/client.h"
#include "kinformer/client/config.h"
#include "kinformer/client/http_transport.h"
#include "kinformer/controller/controller_options.h"
#include "kinformer/controller/delegating_client.h"
#include "kinformer/json/json.h"
#include "kinformer/object/field_selector.h"

using kinformer::Result;
using kinformer::corev1::Pod;
namespace json = kinformer::json;

bool Older(const Pod& a, const Pod& b);

Result<void> Use(const kinformer::Lister<Pod>& lister, const kinformer::DelegatingClient& cached,
                 kinformer::Config& config) {
  const auto pods = lister.Namespace("shop").List();
#if defined(negated_list)
  if (!pods) return pods.error();
#elif defined(starred_list)
  for (const Pod pod : *pods) static_cast<void>(pod);
#elif defined(sorted_list)
  std::sort(pods.begin(), pods.end(), Older);
#elif defined(labels_in_braces)
  const kinformer::LabelSelector web = {{"app", "web"}, {"tier", "front"}};
#elif defined(labels_of_client)
  cached.List<Pod>({.namespace_ = "shop", .label_selector = {{"app", "web"}}}).OrExit();
#elif defined(fields_in_braces)
  const kinformer::FieldSelector here = {{"spec.nodeName", "node-7"}};
#elif defined(json_in_braces)
  const json::Value body = {{"spec", {{"replicas", 3}}}};
#elif defined(json_texts_in_braces)
  const json::Value body = {{"kind", "Pod"}};
#elif defined(json_numbers_in_braces)
  const json::Value body = {{"replicas", 3}, {"paused", true}};
#elif defined(config_timeout)
  config.timeout = 30;
#elif defined(client_timeout)
  const kinformer::ClientOptions options{.timeout = 30};
#elif defined(plugin_timeout)
  const kinformer::ExecConfig plugin{.command = "login", .timeout = 30};
#elif defined(sync_timeout)
  const kinformer::ControllerOptions options{.cache_sync_timeout = 120};
#elif defined(transport_timeout)
  const kinformer::HttpTransportOptions options{.connect_timeout = 5};
#else
  if (!pods.ok()) return pods.error();
  std::vector<Pod> sorted(pods.begin(), pods.end());
  std::sort(sorted.begin(), sorted.end(), Older);
  std::ranges::sort(sorted, Older);
  static_cast<void>(std::ranges::distance(pods));
  static_cast<void>(std::distance(pods.begin(), pods.end()));
  for (const Pod pod : pods | std::views::drop(1) | std::views::take(2)) static_cast<void>(pod);
  const auto web = kinformer::LabelSelector::Parse("app=web").OrExit();
  cached.List<Pod>({.namespace_ = "shop", .label_selector = web}).OrExit();
  cached.List<Pod>({.namespace_ = "shop", .label_selector = {}}).OrExit();
  auto body = json::Value::MakeObject({{"spec", json::Value::MakeObject({{"replicas", 3}})}});
  body = {};
  body.Set("args", json::Value::MakeArray({"a", "b"}));
  body.Set("finalizers", json::Array{"a", "b"});
  auto read = json::Parse("{}");
  read.OrExit().Set("a", body);
  const auto kept = read;
  kept.OrExit().contains("a") ? config.timeout = std::chrono::seconds(30)
                              : config.timeout = kinformer::Duration(0);
  const Result<void> done;
  done.OrExit();
#endif
  return {};
}
