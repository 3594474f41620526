#include "apiserver/builtin/field_rules.h"

#include <gtest/gtest.h>
#include <string>

#include "apiserver/registry/testing/test_objects.h"

namespace kinformer::apiserver {
namespace {

using testing::Builtin;
using testing::Lines;
using testing::Quoted;

struct Change {
  const char* resource;
  const char* old;
  const char* object;
  const char* causes;
};

void Expect(const Change& change, const char* subresource = "") {
  SCOPED_TRACE(std::string(change.resource) + " " + change.old + " -> " + change.object);
  EXPECT_EQ(Lines(ValidateChange(Builtin(change.resource), subresource, Quoted(change.old),
                                 Quoted(change.object))),
            change.causes);
}

TEST(FieldRules, SealedData_CannotChange) {
  constexpr const char* kFlag =
      "immutable: Forbidden: field is immutable when `immutable` is set\n";
  constexpr const char* kData = "data: Forbidden: field is immutable when `immutable` is set\n";
  constexpr const char* kBinary =
      "binaryData: Forbidden: field is immutable when `immutable` is set\n";
  for (const char* kind : {"configmaps", "secrets"}) {
    for (const Change& change : {
             Change{kind, "{'data':{'a':'1'}}", "{'data':{'a':'2'}}", ""},
             Change{kind, "{'immutable':false,'data':{'a':'1'}}", "{'data':{'a':'2'}}", ""},
             Change{kind, "{'data':{'a':'1'}}", "{'immutable':true,'data':{'a':'2'}}", ""},
             Change{kind, "{'immutable':true}", "{}", kFlag},
             Change{kind, "{'immutable':true}", "{'immutable':false}", kFlag},
             Change{kind, "{'immutable':true}", "{'immutable':true}", ""},
             Change{kind, "{'immutable':true,'data':{'a':'1'}}", "{'immutable':true}", kData},
             Change{kind, "{'immutable':true}", "{'immutable':true,'data':{'a':'1'}}", kData},
             Change{kind, "{'immutable':true}", "{'immutable':true,'data':{}}", ""},
             Change{kind, "{'immutable':true,'data':{'a':'1'}}",
                    "{'immutable':true,'data':{'a':'2'}}", kData},
             Change{kind, "{'immutable':true,'data':{'a':'1'}}",
                    "{'immutable':true,'data':{'a':'1'}}", ""},
             Change{kind, "{'immutable':true,'binaryData':{'a':'1'}}",
                    "{'immutable':true,'binaryData':{'b':'1'}}", kBinary},
         }) {
      Expect(change);
    }
  }
}

constexpr const char* kPodRule =
    "spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,"
    "`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only "
    "additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set "
    "to 1 if it was previously negative)\n";

TEST(FieldRules, Pod_FewFieldsMayChange) {
  constexpr const char* kToleration =
      "spec.tolerations: Forbidden: existing toleration can not be modified except its "
      "tolerationSeconds\n";
  for (const Change& change : {
           Change{"pods", "{'spec':{'nodeName':'a'}}", "{'spec':{'nodeName':'a'}}", ""},
           Change{"pods", "{'spec':{'nodeName':'a'}}", "{'spec':{'nodeName':'b'}}", kPodRule},
           Change{"pods", "{'spec':{'nodeName':'a'}}", "{'spec':{}}", kPodRule},
           // Images
           Change{"pods", "{'spec':{'containers':[{'name':'a','image':'1'}]}}",
                  "{'spec':{'containers':[{'name':'a','image':'2'}]}}", ""},
           Change{"pods", "{'spec':{'containers':[{'name':'a'}]}}",
                  "{'spec':{'containers':[{'name':'a','image':'2'}]}}", ""},
           Change{"pods", "{'spec':{'containers':[{'name':'a','image':'1'}]}}",
                  "{'spec':{'containers':[{'name':'b','image':'1'}]}}", kPodRule},
           Change{"pods", "{'spec':{'containers':[{'name':'a','image':'1'}]}}",
                  "{'spec':{'containers':[{'name':'a','image':'1'},{'name':'b','image':'1'}]}}",
                  kPodRule},
           Change{"pods", "{'spec':{'containers':[{'name':'a','image':'1'}]}}", "{'spec':{}}",
                  kPodRule},
           Change{"pods", "{'spec':{}}", "{'spec':{'containers':[{'image':'1'}]}}", kPodRule},
           Change{"pods", "{'spec':{'containers':[]}}", "{'spec':{'containers':[],'a':1}}",
                  kPodRule},
           Change{"pods",
                  "{'spec':{'initContainers':[{'name':'a','image':'1'},{'name':'b','image':'x'}]}}",
                  "{'spec':{'initContainers':[{'name':'a','image':'2'},{'name':'b','image':'y'}]}}",
                  ""},
           Change{"pods", "{'spec':{'ephemeralContainers':[{'name':'a','image':'1'}]}}",
                  "{'spec':{'ephemeralContainers':[{'name':'a','image':'2'}]}}", kPodRule},
           // Deadlines become shorter only.
           Change{"pods", "{'spec':{}}", "{'spec':{'activeDeadlineSeconds':5}}", ""},
           Change{"pods", "{'spec':{'activeDeadlineSeconds':5}}",
                  "{'spec':{'activeDeadlineSeconds':4}}", ""},
           Change{"pods", "{'spec':{'activeDeadlineSeconds':5,'nodeName':''}}",
                  "{'spec':{'activeDeadlineSeconds':5}}", kPodRule},
           Change{"pods", "{'spec':{'activeDeadlineSeconds':5}}",
                  "{'spec':{'activeDeadlineSeconds':6}}",
                  "spec.activeDeadlineSeconds: Invalid value: 6: must be less than or equal to "
                  "previous value\n"},
           Change{"pods", "{'spec':{'activeDeadlineSeconds':5}}", "{'spec':{}}",
                  "spec.activeDeadlineSeconds: Invalid value: null: must not update from a "
                  "positive integer to nil value\n"},
           // Tolerations
           Change{"pods", "{'spec':{'tolerations':[{'key':'a'}]}}",
                  "{'spec':{'tolerations':[{'key':'b'},{'key':'a'}]}}", ""},
           Change{"pods", "{'spec':{'tolerations':[{'key':'a'},{'key':'b'}]}}",
                  "{'spec':{'tolerations':[{'key':'b'},{'key':'c'}]}}", kToleration},
           Change{"pods", "{'spec':{'tolerations':[{'key':'a','effect':'e'}]}}",
                  "{'spec':{'tolerations':[{'key':'a','effect':'e'},{'key':'b'}]}}", ""},
           // Scheduling gates are removed only; a gated pod may be placed.
           Change{"pods", "{'spec':{'schedulingGates':[{'name':'a'},{'name':'b'}]}}",
                  "{'spec':{'schedulingGates':[{'name':'b'}]}}", ""},
           Change{"pods", "{'spec':{'schedulingGates':[{'name':'a'}]}}", "{'spec':{}}", ""},
           Change{"pods", "{'spec':{'schedulingGates':[{'name':'b','a':1},{'name':'c'}]}}",
                  "{'spec':{'schedulingGates':[{'name':'b','a':1}]}}", ""},
           Change{"pods", "{'spec':{'schedulingGates':[{'name':'a'}]}}",
                  "{'spec':{'schedulingGates':[{'name':'a'},{'name':'b'}]}}", kPodRule},
           Change{"pods", "{'spec':{'nodeSelector':{'a':'1'}}}", "{'spec':{}}", kPodRule},
           Change{"pods", "{'spec':{'schedulingGates':[{'name':'a'}],'nodeSelector':{'a':'1'}}}",
                  "{'spec':{'schedulingGates':[{'name':'a'}],'affinity':{'b':{}}}}", ""},
           Change{"pods", "{'spec':{'schedulingGates':[{'name':'a'}]}}",
                  "{'spec':{'schedulingGates':[{'name':'a'}],'nodeName':'n'}}", kPodRule},
           // Grace
           Change{"pods", "{'spec':{'terminationGracePeriodSeconds':-1}}",
                  "{'spec':{'terminationGracePeriodSeconds':1}}", ""},
           Change{"pods", "{'spec':{'terminationGracePeriodSeconds':-1}}",
                  "{'spec':{'terminationGracePeriodSeconds':2}}", kPodRule},
           Change{"pods", "{'spec':{'terminationGracePeriodSeconds':0}}",
                  "{'spec':{'terminationGracePeriodSeconds':1}}", kPodRule},
           Change{"pods", "{'spec':{}}", "{'spec':{'terminationGracePeriodSeconds':1}}", kPodRule},
       }) {
    Expect(change);
  }
}

TEST(FieldRules, StatefulSet_NamedFieldsMayChange) {
  for (const char* field :
       {"replicas", "ordinals", "template", "updateStrategy", "revisionHistoryLimit",
        "persistentVolumeClaimRetentionPolicy", "minReadySeconds"}) {
    const std::string object = std::string("{'spec':{'serviceName':'s','") + field + "':1}}";
    Expect({"apps/statefulsets", "{'spec':{'serviceName':'s'}}", object.c_str(), ""});
    Expect({"apps/statefulsets", object.c_str(), "{'spec':{'serviceName':'s'}}", ""});
  }
  Expect({"apps/statefulsets", "{'spec':{'serviceName':'s'}}", "{'spec':{'serviceName':'t'}}",
          "spec.serviceName: Invalid value: \"t\": field is immutable\n"});
  Expect({"apps/statefulsets", "{'spec':{'serviceName':'s','podManagementPolicy':'OrderedReady'}}",
          "{'spec':{'podManagementPolicy':'Parallel'}}",
          "spec.serviceName: Invalid value: \"\": field is immutable\n"
          "spec.podManagementPolicy: Invalid value: \"Parallel\": field is immutable\n"});
  Expect({"apps/statefulsets", "{'spec':{'serviceName':'s'}}",
          "{'spec':{'serviceName':'s','other':1}}",
          "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', "
          "'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', "
          "'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden\n"});
}

TEST(FieldRules, Claim_OnlyVolumeAndSizeMayChange) {
  constexpr const char* kRule =
      "spec: Forbidden: spec is immutable after creation except resources.requests and "
      "volumeAttributesClassName for bound claims\n";
  constexpr const char* kSize =
      "spec.resources.requests.storage: Forbidden: field can not be less than status.capacity\n";
  const auto claim = [](const char* size, const char* more, const char* status) {
    return std::string("{'spec':{'resources':{'requests':{'storage':'") + size + "'}}" + more +
           "},'status':{" + status + "}}";
  };
  const std::string both = std::string(kRule) + kSize;
  struct Row {
    std::string old;
    std::string object;
    std::string causes;
  };
  constexpr const char* kBound = "'phase':'Bound','capacity':{'storage':'2Gi'}";
  for (const Row& row : {
           Row{claim("2Gi", "", ""), claim("2Gi", "", ""), ""},
           Row{claim("2Gi", "", ""), claim("2Gi", ",'volumeName':'v'", ""), ""},
           Row{claim("2Gi", ",'volumeName':'v'", ""), claim("2Gi", ",'volumeName':'w'", ""), kRule},
           Row{claim("2Gi", "", ""), claim("3Gi", "", ""), kRule},
           Row{claim("2Gi", "", kBound), claim("3Gi", "", kBound), ""},
           Row{claim("2Gi", "", kBound), claim("1Gi", "", kBound), kSize},
           Row{claim("3Gi", "", kBound), claim("2Gi", "", kBound), kSize},
           Row{claim("4Gi", "", kBound), claim("3Gi", "", kBound), ""},
           Row{claim("3Gi", "", ""), claim("2Gi", "", "'phase':'Bound'"), ""},
           Row{claim("2Gi", "", kBound), claim("2Gi", ",'volumeAttributesClassName':'c'", kBound),
               ""},
           Row{claim("2Gi", "", ""), claim("2Gi", ",'volumeAttributesClassName':'c'", ""), kRule},
           Row{claim("2Gi", "", kBound), claim("2Gi", ",'storageClassName':'c'", kBound), kRule},
           Row{claim("2Gi", "", kBound), "{'spec':{},'status':{'phase':'Bound'}}", both},
       }) {
    Expect({"persistentvolumeclaims", row.old.c_str(), row.object.c_str(), row.causes.c_str()});
  }
}

TEST(FieldRules, SingleFields_AreImmutable) {
  constexpr const char* kImmutable = "field is immutable\n";
  constexpr const char* kNoRole = R"({"APIGroup":"","Kind":"","Name":""}: )";
  struct Row {
    const char* resource;
    const char* pointer;  // of the only member
    std::string causes;
  };
  const auto row = [&](const char* resource, const char* field) {
    return Row{resource, field, std::string(field) + ": Invalid value: \"b\": " + kImmutable};
  };
  for (const Row& each : {
           row("secrets", "type"),
           row("apps/deployments", "spec.selector"),
           row("apps/replicasets", "spec.selector"),
           row("apps/daemonsets", "spec.selector"),
           row("storage.k8s.io/storageclasses", "provisioner"),
           row("storage.k8s.io/storageclasses", "reclaimPolicy"),
           row("storage.k8s.io/storageclasses", "volumeBindingMode"),
           row("networking.k8s.io/ingressclasses", "spec.controller"),
           row("discovery.k8s.io/endpointslices", "addressType"),
           Row{"rbac.authorization.k8s.io/rolebindings", "roleRef",
               std::string("roleRef: Invalid value: ") + kNoRole + kImmutable},
           Row{"rbac.authorization.k8s.io/clusterrolebindings", "roleRef",
               std::string("roleRef: Invalid value: ") + kNoRole + kImmutable},
           Row{"scheduling.k8s.io/priorityclasses", "value",
               "value: Forbidden: may not be changed in an update.\n"},
           // Others with the same names
           Row{"rbac.authorization.k8s.io/roles", "roleRef", ""},
           Row{"other/somebindings", "roleRef", ""},
           Row{"apps/secrets", "type", ""},
           Row{"deployments", "spec.selector", ""},
           Row{"apps/controllerrevisions", "spec.selector", ""},
           Row{"extensions/replicasets", "spec.selector", ""},
           Row{"extensions/daemonsets", "spec.selector", ""},
           Row{"networking.k8s.io/ingresses", "spec.controller", ""},
           Row{"endpointslices", "addressType", ""},
           Row{"storage.k8s.io/csidrivers", "provisioner", ""},
       }) {
    const auto object = [&](const char* value) {
      const std::string field(each.pointer);
      const std::string leaf = "{'" + field.substr(field.find('.') + 1) + "':'" + value + "'}";
      return field.starts_with("spec.") ? "{'spec':" + leaf + "}" : leaf;
    };
    Expect({each.resource, object("a").c_str(), object("b").c_str(), each.causes.c_str()});
    Expect({each.resource, object("a").c_str(), object("a").c_str(), ""});
  }
  ServedResource custom = Builtin("secrets");
  custom.custom = true;
  EXPECT_EQ(Lines(ValidateChange(custom, "", Quoted("{'type':'a'}"), Quoted("{'type':'b'}"))), "");
}

}  // namespace
}  // namespace kinformer::apiserver
