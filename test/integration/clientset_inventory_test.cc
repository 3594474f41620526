// A Clientset has every built-in resource of the embedded API server, with every verb of the
// discovery document, and no other.

#include <chrono>
#include <concepts>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "kinformer/base/simulation.h"
#include "kinformer/client/discovery.h"
#include "kinformer/clientset/all.h"
#include "kinformer/testing/api_server.h"

namespace kinformer::testing {
namespace {

using Names = std::set<std::string>;

// Group, version, resource.
using Key = std::tuple<std::string, std::string, std::string>;

struct Entry {
  bool namespaced = false;
  Names verbs{};
  Names parts{};
};

// Names a class template, to look for it in a list.
template <template <bool, class, class> class Verb>
struct Named {};

template <template <bool, class, class> class Verb, template <bool, class, class> class... Verbs>
constexpr bool Has(kinformer::internal::VerbList<Verbs...> /*list*/) {
  return (std::same_as<Named<Verb>, Named<Verbs>> || ...);
}

// Returns the verbs that the list does not take away, and the parts that it adds.
template <class List>
Entry EntryOf(bool namespaced) {
  using namespace kinformer::internal;  // NOLINT(google-build-using-namespace)
  Entry entry{.namespaced = namespaced};
  const auto verb = [&](const char* name, bool lacks) {
    if (!lacks) entry.verbs.insert(name);
  };
  verb("create", Has<NoCreate>(List()));
  verb("update", Has<NoUpdate>(List()));
  verb("patch", Has<NoPatch>(List()));
  verb("delete", Has<NoDelete>(List()));
  verb("deletecollection", Has<NoDeleteCollection>(List()));
  verb("get", Has<NoGet>(List()));
  verb("list", Has<NoList>(List()));
  verb("watch", Has<NoWatch>(List()));
  const auto part = [&](const char* name, bool has) {
    if (has) entry.parts.insert(name);
  };
  part("status", !Has<NoStatus>(List()));
  part("scale", Has<ScaleVerbs>(List()));
  part("eviction", Has<EvictionVerb>(List()));
  part("binding", Has<BindingVerb>(List()));
  part("token", Has<TokenVerb>(List()));
  part("approval", Has<ApprovalVerb>(List()));
  part("ephemeralcontainers", Has<EphemeralContainersVerb>(List()));
  part("resize", Has<ResizeVerb>(List()));
  part("finalize", Has<FinalizeVerb>(List()));
  part("log", Has<LogVerb>(List()));
  part("proxy", Has<ProxyVerb>(List()));
  return entry;
}

// Returns the resources of a Clientset, each of which has its accessor.
std::map<Key, Entry> Inventory() {
  std::map<Key, Entry> all;
#define NAMESPACED(call) call(std::string())
#define CLUSTER(call) call()
#define CLIENTSET_RESOURCE(space, version_method, method, kind, group, version, resource, scope) \
  static_assert(std::same_as<decltype(scope(std::declval<Clientset>().version_method().method)), \
                             space::kind##Interface>);                                           \
  all[{group, version, resource}] =                                                              \
      EntryOf<space::kind##Verbs::List>(std::string_view(#scope) == "NAMESPACED");
#include "testing/clientset_inventory.inc"
#undef CLIENTSET_RESOURCE
#undef CLUSTER
#undef NAMESPACED
  return all;
}

// Streams have functions of their own (client/remote_command.h, client/port_forward.h); Go's
// clients have no method for a node's proxy.
const std::set<std::pair<std::string, std::string>> kElsewhere{
    {"pods", "attach"}, {"pods", "exec"}, {"pods", "portforward"}, {"nodes", "proxy"}};

class ClientsetInventory : public ::testing::Test {
 protected:
  // Returns what discovery says, without what has functions elsewhere.
  std::map<Key, Entry> Discovered() {
    std::map<Key, Entry> all;
    EXPECT_TRUE(sim_.RunBlocking(
        [&] {
          const Client client = Client::ForTransport(sim_.env(), server_.transport(), {.qps = -1});
          for (const auto& version : client.Discovery().ServerGroupsAndResources().OrExit()) {
            for (const ApiResource& resource : version.resources) {
              Entry entry{.namespaced = resource.namespaced,
                          .verbs = Names(resource.verbs.begin(), resource.verbs.end())};
              for (const ApiSubresource& part : resource.subresources) {
                const std::string& name = resource.resource.resource;
                if (!kElsewhere.contains({name, part.name})) entry.parts.insert(part.name);
              }
              all[{version.group, version.version, resource.resource.resource}] = entry;
            }
          }
        },
        std::chrono::minutes(10)));
    return all;
  }

  Simulation sim_;
  ApiServer server_{sim_};
};

TEST_F(ClientsetInventory, EveryResourceOfTheServer_HasItsAccessorAndItsVerbs) {
  const std::map<Key, Entry> inventory = Inventory();
  const std::map<Key, Entry> discovered = Discovered();
  EXPECT_GT(discovered.size(), 60U) << "the server has the built-in resources";
  for (const auto& [key, served] : discovered) {
    const auto& [group, version, resource] = key;
    const std::string where = group + "/" + version + " " + resource;
    const auto at = inventory.find(key);
    if (at == inventory.end()) {
      ADD_FAILURE() << where << " has no accessor";
      continue;
    }
    EXPECT_EQ(at->second.namespaced, served.namespaced) << where;
    EXPECT_EQ(at->second.verbs, served.verbs) << where;
    EXPECT_EQ(at->second.parts, served.parts) << where;
  }
}

TEST_F(ClientsetInventory, VersionsThatNoServerHasByDefault_HaveAccessors) {
  const std::map<Key, Entry> inventory = Inventory();
  for (const Key& key :
       {Key{"apps", "v1beta2", "deployments"}, Key{"extensions", "v1beta1", "ingresses"},
        Key{"metrics.k8s.io", "v1beta1", "pods"},
        Key{"resource.k8s.io", "v1alpha3", "devicetaintrules"}}) {
    EXPECT_TRUE(inventory.contains(key)) << std::get<2>(key);
  }
  const Entry& metrics = inventory.at({"metrics.k8s.io", "v1beta1", "pods"});
  EXPECT_EQ(metrics.verbs, (Names{"get", "list", "watch"}));
  EXPECT_EQ(inventory.at({"authorization.k8s.io", "v1beta1", "subjectaccessreviews"}).verbs,
            Names{"create"});
}

}  // namespace
}  // namespace kinformer::testing
