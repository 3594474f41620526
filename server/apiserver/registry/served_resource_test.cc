#include "apiserver/registry/served_resource.h"

#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/registry/testing/test_objects.h"

namespace kinformer::apiserver {
namespace {

using testing::Builtin;

ServedResource WithRules(std::string_view name) {
  ServedResource resource = Builtin(name);
  ApplyBuiltinRules(resource);
  return resource;
}

TEST(ServedResources, Generation_OfEachBuiltInResource) {
  const auto rule = [](std::string_view name) { return WithRules(name).generation; };
  EXPECT_EQ(rule("apps/deployments"), GenerationRule::kSpecOrAnnotations);
  for (const char* name :
       {"pods", "apps/replicasets", "apps/statefulsets", "apps/daemonsets", "batch/jobs",
        "batch/cronjobs", "networking.k8s.io/ingresses", "networking.k8s.io/networkpolicies",
        "policy/poddisruptionbudgets", "apiextensions.k8s.io/customresourcedefinitions",
        "replicationcontrollers", "networking.k8s.io/ingressclasses",
        "autoscaling/horizontalpodautoscalers", "resource.k8s.io/resourceslices",
        "resource.k8s.io/devicetaintrules"}) {
    EXPECT_EQ(rule(name), GenerationRule::kSpec) << name;
  }
  for (const char* name :
       {"discovery.k8s.io/endpointslices", "podtemplates", "scheduling.k8s.io/priorityclasses",
        "admissionregistration.k8s.io/validatingwebhookconfigurations",
        "admissionregistration.k8s.io/mutatingwebhookconfigurations"}) {
    EXPECT_EQ(rule(name), GenerationRule::kAllButMetadata) << name;
  }
  for (const char* name : {"configmaps", "secrets", "services", "nodes", "events"}) {
    EXPECT_EQ(rule(name), GenerationRule::kNone) << name;
  }
}

TEST(ServedResources, NameRule_OfEachBuiltInResource) {
  const auto rule = [](std::string_view name) { return WithRules(name).name_rule; };
  for (const char* name : {"namespaces", "services", "apps/statefulsets"}) {
    EXPECT_EQ(rule(name), NameRule::kLabel) << name;
  }
  for (const char* name :
       {"events", "events.k8s.io/events", "policy/poddisruptionbudgets",
        "certificates.k8s.io/certificatesigningrequests", "apiregistration.k8s.io/apiservices",
        "rbac.authorization.k8s.io/roles", "rbac.authorization.k8s.io/clusterrolebindings"}) {
    EXPECT_EQ(rule(name), NameRule::kPathSegment) << name;
  }
  for (const char* name :
       {"pods", "configmaps", "apps/deployments", "batch/jobs", "example.com/services"}) {
    EXPECT_EQ(rule(name), NameRule::kSubdomain) << name;
  }
}

TEST(ServedResources, Deletion_OfEachBuiltInResource) {
  const auto rule = [](std::string_view name) { return WithRules(name).deletion; };
  EXPECT_EQ(rule("replicationcontrollers"), DeletionRule::kOrphan);
  EXPECT_EQ(rule("batch/jobs"), DeletionRule::kOrphan);
  EXPECT_EQ(rule("events"), DeletionRule::kAlone);
  EXPECT_EQ(rule("events.k8s.io/events"), DeletionRule::kAlone);
  EXPECT_EQ(rule("apiextensions.k8s.io/customresourcedefinitions"), DeletionRule::kAlone);
  for (const char* name :
       {"pods", "apps/deployments", "batch/cronjobs", "jobs", "apps/replicationcontrollers"}) {
    EXPECT_EQ(rule(name), DeletionRule::kBackground) << name;
  }
}

TEST(ServedResources, Writes_OfEachBuiltInResource) {
  struct Row {
    const char* name;
    bool create_on_update;
    bool unconditional_update;
    bool delete_returns_object;
  };
  for (const Row& row : {
           Row{"pods", false, true, true},
           Row{"namespaces", false, true, true},
           Row{"services", true, true, true},
           Row{"persistentvolumes", false, true, true},
           Row{"persistentvolumeclaims", false, true, true},
           Row{"serviceaccounts", false, true, true},
           Row{"resourcequotas", false, true, true},
           Row{"podtemplates", false, true, true},
           Row{"example.com/pods", false, true, false},
           Row{"configmaps", false, true, false},
           Row{"endpoints", true, true, false},
           Row{"events", true, true, false},
           Row{"limitranges", true, true, false},
           Row{"coordination.k8s.io/leases", true, false, false},
           Row{"node.k8s.io/runtimeclasses", true, false, false},
           Row{"rbac.authorization.k8s.io/roles", true, true, false},
           Row{"apps/deployments", false, true, false},
           Row{"storage.k8s.io/csinodes", false, false, false},
           Row{"storage.k8s.io/volumeattachments", false, false, false},
           Row{"resource.k8s.io/devicetaintrules", false, false, false},
           Row{"scheduling.k8s.io/podgroups", false, false, false},
           Row{"lifecycle.k8s.io/evictions", false, false, false},
           Row{"policy/poddisruptionbudgets", false, false, false},
           Row{"apiextensions.k8s.io/customresourcedefinitions", false, false, false},
           Row{"admissionregistration.k8s.io/validatingadmissionpolicies", false, false, false},
       }) {
    const ServedResource resource = WithRules(row.name);
    EXPECT_EQ(resource.create_on_update, row.create_on_update) << row.name;
    EXPECT_EQ(resource.unconditional_update, row.unconditional_update) << row.name;
    EXPECT_EQ(resource.delete_returns_object, row.delete_returns_object) << row.name;
  }
}

TEST(ServedResources, SelectableFields_OfEachBuiltInResource) {
  struct Row {
    const char* name;
    const char* fields;
  };
  constexpr const char* kCoreEvents =
      "involvedObject.kind/involvedObject/kind "
      "involvedObject.namespace/involvedObject/namespace "
      "involvedObject.name/involvedObject/name involvedObject.uid/involvedObject/uid "
      "involvedObject.apiVersion/involvedObject/apiVersion "
      "involvedObject.resourceVersion/involvedObject/resourceVersion "
      "involvedObject.fieldPath/involvedObject/fieldPath reason/reason "
      "reportingComponent/reportingComponent type/type source/source/component ";
  constexpr const char* kEvents =
      "regarding.kind/involvedObject/kind regarding.namespace/involvedObject/namespace "
      "regarding.name/involvedObject/name regarding.uid/involvedObject/uid "
      "regarding.apiVersion/involvedObject/apiVersion "
      "regarding.resourceVersion/involvedObject/resourceVersion "
      "regarding.fieldPath/involvedObject/fieldPath reason/reason "
      "reportingController/reportingComponent type/type ";
  for (const Row& row : {
           Row{"pods",
               "spec.nodeName/spec/nodeName spec.host/spec/nodeName "
               "spec.restartPolicy/spec/restartPolicy spec.schedulerName/spec/schedulerName "
               "spec.serviceAccountName/spec/serviceAccountName "
               "spec.hostNetwork/spec/hostNetwork=false status.phase/status/phase "
               "status.podIP/status/podIP status.podIPs/status/podIPs/0/ip "
               "status.nominatedNodeName/status/nominatedNodeName "},
           Row{"nodes", "spec.unschedulable/spec/unschedulable=false "},
           Row{"namespaces", "status.phase/status/phase "},
           Row{"secrets", "type/type "},
           Row{"services", "spec.clusterIP/spec/clusterIP spec.type/spec/type "},
           Row{"replicationcontrollers", "status.replicas/status/replicas=0 "},
           Row{"events", kCoreEvents},
           Row{"events.k8s.io/events", kEvents},
           Row{"batch/jobs", "status.successful/status/succeeded=0 "},
           Row{"certificates.k8s.io/certificatesigningrequests",
               "spec.signerName/spec/signerName "},
           Row{"certificates.k8s.io/clustertrustbundles", "spec.signerName/spec/signerName "},
           Row{"certificates.k8s.io/podcertificaterequests",
               "spec.signerName/spec/signerName spec.podName/spec/podName "
               "spec.nodeName/spec/nodeName "},
           Row{"resource.k8s.io/resourceslices",
               "spec.nodeName/spec/nodeName spec.driver/spec/driver "},
           Row{"resource.k8s.io/resourceclaims", ""},
           Row{"batch/cronjobs", ""},
           Row{"configmaps", ""},
           Row{"example.com/pods", ""},
           Row{"example.com/nodes", ""},
           Row{"example.com/namespaces", ""},
           Row{"example.com/secrets", ""},
           Row{"example.com/services", ""},
           Row{"example.com/replicationcontrollers", ""},
           Row{"example.com/jobs", ""},
           Row{"example.com/resourceslices", ""},
       }) {
    std::string fields;
    for (const SelectableField& field : WithRules(row.name).fields) {
      fields += field.name + field.pointer;
      fields += (field.fallback.empty() ? "" : "=" + field.fallback) + " ";
    }
    EXPECT_EQ(fields, row.fields) << row.name;
  }
}

TEST(ServedResources, Finalizers_OfDefinitionsAndCustomResourcesNeedNoDomain) {
  ServedResource resource = Builtin("namespaces");
  resource.namespaced = true;
  resource.name_rule = NameRule::kLabel;
  EXPECT_TRUE(resource.metadata_rules().qualified_finalizers);
  EXPECT_TRUE(resource.metadata_rules().namespaced);
  EXPECT_EQ(resource.metadata_rules().name, NameRule::kLabel);
  resource.custom = true;
  EXPECT_FALSE(resource.metadata_rules().qualified_finalizers);
  EXPECT_FALSE(Builtin("apiextensions.k8s.io/customresourcedefinitions")
                   .metadata_rules()
                   .qualified_finalizers);
}

TEST(ServedResources, Version_HasTheFirstTextOfItsFramesReady) {
  const auto version =
      ServedVersion::Make({.version = "v1", .api_version = "apps/v1", .kind = "Thing"});
  const std::string head = R"({"kind":"Thing","apiVersion":"apps/v1",)";
  EXPECT_EQ(version->head, head);
  const std::vector<std::string> types = {"ADDED", "MODIFIED", "DELETED"};
  for (std::size_t i = 0; i < types.size(); ++i) {
    const std::string start = R"({"type":")" + types[i] + R"(","object":)" + head;
    EXPECT_EQ(version->frame_start.at(i), start);
    EXPECT_EQ(version->frame_next.at(i), "}\n" + start);
  }
  const Error error = version->NotHandled("no reason");
  EXPECT_EQ(error.reason(), Reason::kBadRequest);
  EXPECT_EQ(error.message(), "Thing in version \"v1\" cannot be handled as a Thing: no reason");
}

TEST(ServedResources, Parts_AreFoundByNameAndVersion) {
  ServedResource resource;
  resource.custom = true;
  resource.group = "g.io";
  resource.plural = "things";
  resource.kind = "Thing";
  resource.verbs = {"get", "list"};
  EXPECT_TRUE(resource.HasVerb("get"));
  EXPECT_TRUE(resource.HasVerb("list"));
  EXPECT_FALSE(resource.HasVerb("watch"));
  EXPECT_FALSE(resource.Is("g.io", "things")) << "custom";
  EXPECT_TRUE(Builtin("apps/deployments").Is("apps", "deployments"));
  EXPECT_FALSE(Builtin("apps/deployments").Is("", "deployments"));
  EXPECT_FALSE(Builtin("apps/deployments").Is("apps", "pods"));

  resource.subresources = {{.name = "status", .verbs = {"get", "patch"}, .only_version = "v1"},
                           {.name = "scale", .only_version = "v1"},
                           {.name = "scale", .only_version = "v2"},
                           {.name = "all"}};
  const auto found = [&](std::string_view name, std::string_view version) {
    const Subresource* const sub = resource.FindSubresource(name, version);
    return sub == nullptr ? -1 : static_cast<int>(sub - resource.subresources.data());
  };
  EXPECT_EQ(found("status", "v1"), 0);
  EXPECT_EQ(found("status", "v2"), -1);
  EXPECT_EQ(found("scale", "v1"), 1);
  EXPECT_EQ(found("scale", "v2"), 2);
  EXPECT_EQ(found("scale", "v3"), -1);
  EXPECT_EQ(found("all", "v3"), 3);
  EXPECT_EQ(found("other", "v1"), -1);
  EXPECT_TRUE(resource.subresources[0].HasVerb("patch"));
  EXPECT_FALSE(resource.subresources[0].HasVerb("update"));

  EXPECT_EQ(resource.StorageVersion(), nullptr);
  for (const char* name : {"v3", "v2", "v1"}) {
    const std::string_view text = name;
    resource.versions.push_back(
        ServedVersion::Make({.version = name, .served = text != "v3", .storage = text == "v2"}));
  }
  EXPECT_EQ(resource.FindVersion("v1"), resource.versions[2]);
  EXPECT_EQ(resource.FindVersion("v2"), resource.versions[1]);
  EXPECT_EQ(resource.FindVersion("v3"), nullptr) << "not served";
  EXPECT_EQ(resource.FindVersion("v4"), nullptr);
  EXPECT_EQ(resource.StorageVersion(), resource.versions[1]);

  EXPECT_EQ(resource.FormOf("v2"), 0U) << "no forms";
  resource.forms =
      std::make_shared<const std::vector<std::string>>(std::vector<std::string>{"v1", "v2", "v3"});
  EXPECT_EQ(resource.FormOf("v1"), 0U);
  EXPECT_EQ(resource.FormOf("v2"), 1U);
  EXPECT_EQ(resource.FormOf("v3"), 2U);
}

class CountingWatcher final : public Watcher {
 public:
  void OnEvents() override {}
  void OnClose() override { ++closed; }
  void OnExpire() override {}
  int closed = 0;
};

TEST(ServedResources, Watches_AreClosedWithThoseOfConvertedObjects) {
  ServedResource resource;
  const auto objects = std::make_shared<ConvertedObjects>();
  resource.converted["v1"] = objects;
  CountingWatcher own;
  CountingWatcher converted;
  resource.watchers->Add("", "", own);
  objects->watchers->Add("", "", converted);
  resource.CloseWatches();
  EXPECT_EQ(own.closed, 1);
  EXPECT_EQ(converted.closed, 1);
  EXPECT_EQ(resource.converted.size(), 1U);

  resource.DropConverted();
  EXPECT_EQ(own.closed, 1);
  EXPECT_EQ(converted.closed, 2);
  EXPECT_TRUE(resource.converted.empty());
  resource.watchers->Remove(own);
  objects->watchers->Remove(converted);
}

}  // namespace
}  // namespace kinformer::apiserver
