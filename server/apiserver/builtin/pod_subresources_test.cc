#include "apiserver/builtin/pod_subresources.h"

#include <gtest/gtest.h>
#include <string>

#include "apiserver/registry/testing/test_objects.h"

namespace kinformer::apiserver {
namespace {

using testing::Lines;
using testing::Quoted;

struct Row {
  std::string old;
  std::string object;
  std::string result;
};

void ExpectEphemeral(const Row& row) {
  EXPECT_EQ(Lines(ValidateEphemeralContainers(Quoted("{'spec':" + row.old + "}"),
                                              Quoted("{'spec':" + row.object + "}"))),
            row.result)
      << row.old << " -> " << row.object;
}

void ExpectResize(const Row& row) {
  EXPECT_EQ(Lines(ValidateResize(Quoted("{'spec':" + row.old + "}"),
                                 Quoted("{'spec':" + row.object + "}"))),
            row.result)
      << row.old << " -> " << row.object;
}

TEST(EphemeralContainers, Merge_TakesOnlyThem) {
  const json::Value old = Quoted("{'spec':{'a':1,'ephemeralContainers':[{'name':'x'}]}}");
  EXPECT_EQ(MergeEphemeralContainers(
                old, Quoted("{'spec':{'a':2,'ephemeralContainers':[{'name':'y'}]},'b':1}"))
                .Dump(),
            R"({"spec":{"a":1,"ephemeralContainers":[{"name":"y"}]}})");
  EXPECT_EQ(MergeEphemeralContainers(old, Quoted("{'spec':{'ephemeralContainers':[]}}")).Dump(),
            R"({"spec":{"a":1}})");
  EXPECT_EQ(MergeEphemeralContainers(old, Quoted("{'spec':{}}")).Dump(), R"({"spec":{"a":1}})");
}

TEST(EphemeralContainers, Container_NeedsANameAndAnImage) {
  const std::string at = "spec.ephemeralContainers[0].";
  const std::string next = "spec.ephemeralContainers[1].";
  for (const Row& row : {
           Row{"{}", "{'ephemeralContainers':[{'name':'a','image':'i'}]}", ""},
           Row{"{}", "{'ephemeralContainers':[{'image':'i'}]}", at + "name: Required value\n"},
           Row{"{}", "{'ephemeralContainers':[{'name':'a'}]}", at + "image: Required value\n"},
           Row{"{}", "{'ephemeralContainers':[{'name':'a','image':'i'},{'name':'a','image':'i'}]}",
               next + "name: Duplicate value: \"a\"\n"},
           Row{"{}",
               "{'containers':[{'name':'a'}],'ephemeralContainers':[{'name':'a','image':'i'}]}",
               at + "name: Duplicate value: \"a\"\n"},
           Row{"{}",
               "{'initContainers':[{'name':'a'}],'ephemeralContainers':[{'name':'a','image':'i'}]}",
               at + "name: Duplicate value: \"a\"\n"},
           // The target is a container of the pod.
           Row{"{}",
               "{'containers':[{'name':'c'}],'ephemeralContainers':[{'name':'a','image':'i',"
               "'targetContainerName':'c'}]}",
               ""},
           Row{"{}",
               "{'initContainers':[{'name':'c'}],'ephemeralContainers':[{'name':'a','image':'i',"
               "'targetContainerName':'c'}]}",
               ""},
           Row{"{}",
               "{'containers':[{'name':'c'}],'ephemeralContainers':[{'name':'a','image':'i',"
               "'targetContainerName':'d'}]}",
               at + "targetContainerName: Not found: \"d\"\n"},
           Row{"{}", "{'ephemeralContainers':[{'name':'a','image':'i','targetContainerName':''}]}",
               ""},
           // Existing ones stay.
           Row{"{'ephemeralContainers':[{'name':'a','image':'i'}]}",
               "{'ephemeralContainers':[{'name':'b','image':'i'},{'name':'a','image':'i'}]}", ""},
           Row{"{'ephemeralContainers':[{'name':'a','image':'i'}]}",
               "{'ephemeralContainers':[{'name':'a','image':'j'}]}",
               "spec.ephemeralContainers: Forbidden: existing ephemeral containers \"a\" may not "
               "be changed\n\n"},
           Row{"{'ephemeralContainers':[{'name':'a','image':'i'}]}", "{}",
               "spec.ephemeralContainers: Forbidden: existing ephemeral containers \"a\" may not "
               "be removed\n\n"},
       }) {
    ExpectEphemeral(row);
  }
  for (const std::string member :
       {"ports", "resources", "resizePolicy", "restartPolicyRules", "livenessProbe",
        "readinessProbe", "startupProbe", "lifecycle", "restartPolicy"}) {
    const auto with = [&](const char* value) {
      return "{'ephemeralContainers':[{'name':'a','image':'i','" + member + "':" + value + "}]}";
    };
    const std::string why = at + member + ": Forbidden: cannot be set for an Ephemeral Container\n";
    ExpectEphemeral({"{}", with("[{}]"), why});
    ExpectEphemeral({"{}", with("{'a':1}"), why});
    ExpectEphemeral({"{}", with("'x'"), why});
    ExpectEphemeral({"{}", with("[]"), ""});
    ExpectEphemeral({"{}", with("{}"), ""});
    ExpectEphemeral({"{}", with("''"), ""});
  }
}

TEST(PodResize, Merge_TakesResourcesAndPolicy) {
  const json::Value old = Quoted(
      "{'spec':{'containers':[{'name':'a','image':'1','resources':{'limits':{'cpu':'1'}},"
      "'resizePolicy':[1]},{'name':'b'}],'initContainers':[{'name':'c'}]}}");
  EXPECT_EQ(
      MergeResize(old, Quoted("{'spec':{'containers':[{'name':'x','image':'2'},{'resources':"
                              "{'limits':{'cpu':'2'}},'resizePolicy':[2]}],'initContainers':"
                              "[{'resources':{}}]}}"))
          .Dump(),
      R"({"spec":{"containers":[{"name":"a","image":"1"},{"name":"b","resources":{"limits":)"
      R"({"cpu":"2"}},"resizePolicy":[2]}],"initContainers":[{"name":"c","resources":{}}]}})");
  // Another number of containers is kept for the validation.
  EXPECT_EQ(MergeResize(Quoted("{'spec':{'containers':[{'name':'a'}]}}"),
                        Quoted("{'spec':{'containers':[{},{}],'initContainers':[{}]}}"))
                .Dump(),
            R"({"spec":{"containers":[{},{}],"initContainers":[{}]}})");
  EXPECT_EQ(MergeResize(Quoted("{'spec':{'containers':[]}}"), Quoted("{}")).Dump(),
            R"({"spec":{"containers":[]}})");
  EXPECT_EQ(
      MergeResize(Quoted("{'spec':{'containers':[{'name':'a'}]}}"), Quoted("{'spec':{}}")).Dump(),
      R"({"spec":{"containers":[{"name":"a"}]}})");
}

std::string Pod(const char* list, const char* resources, const char* more = "") {
  return std::string("{'") + list + "':[{'name':'z'},{'name':'a','resources':" + resources + more +
         "}]}";
}

TEST(PodResize, OnlyCpuAndMemory_MayChange) {
  for (const char* list : {"containers", "initContainers"}) {
    const auto pod = [&](const char* resources, const char* more = "") {
      return Pod(list, resources, more);
    };
    const std::string at = std::string("spec.") + list + "[1].resources.";
    const std::string fixed = "spec: Forbidden: only cpu and memory resources are mutable\n";
    const char* one = "{'requests':{'cpu':'1','memory':'1Gi'},'limits':{'cpu':'2','memory':'2Gi'}}";
    for (const Row& row : {
             Row{pod(one), pod(one), ""},
             Row{pod(one),
                 pod("{'requests':{'cpu':'2','memory':'2Gi'},'limits':{'cpu':'3','memory':'2Gi'}}"),
                 ""},
             Row{pod(one),
                 pod("{'requests':{'cpu':'3','memory':'3Gi'},'limits':{'cpu':'2','memory':'2Gi'}}"),
                 at +
                     "requests: Invalid value: \"3\": must be less than or equal to cpu limit of "
                     "2\n" +
                     at +
                     "requests: Invalid value: \"3Gi\": must be less than or equal to memory limit "
                     "of 2Gi\n"},
             Row{pod(one), pod("{'requests':{'cpu':'1','memory':'1Gi'},'limits':{'cpu':'2'}}"),
                 at + "limits: Forbidden: resource limits cannot be removed\n"},
             Row{pod(one), pod("{'requests':{'memory':'1Gi'},'limits':{'cpu':'2','memory':'2Gi'}}"),
                 at + "requests: Forbidden: resource requests cannot be removed\n"},
             Row{pod("{'requests':{'cpu':'1'}}"),
                 pod("{'requests':{'cpu':'2'},'limits':{'memory':'1Gi'}}"), ""},
             Row{pod("{'limits':{'cpu':'1','memory':'1Gi'}}"), pod("{'limits':{'cpu':'1'}}"),
                 at + "limits: Forbidden: resource limits cannot be removed\n"},
             Row{pod("{'requests':{'cpu':'1','x':'1'}}"), pod("{'requests':{'cpu':'1','x':'2'}}"),
                 fixed},
             Row{pod("{'requests':{'cpu':'1','x':'1'}}"), pod("{'requests':{'cpu':'1'}}"), fixed},
             Row{pod(one), pod(one, ",'image':'i'"), fixed},
             Row{pod("{'requests':{'cpu':'1'}}"),
                 pod("{'requests':{'cpu':'1'},'limits':{'cpu':'1','memory':'1Gi'}}"), ""},
             Row{pod("{'requests':{'cpu':'1'}}"), pod("{'requests':{'cpu':'0'}}"),
                 "spec: Invalid value: \"Burstable\": Pod QOS Class may not change as a result of "
                 "resizing\n"},
         }) {
      ExpectResize(row);
    }
    const std::string count = std::string("spec.") + list + ": Forbidden: " + list +
                              " may not be added or removed on resize\n";
    ExpectResize({pod("{}"), "{}", count});
    ExpectResize({"{}", pod("{}"), count});
  }
  ExpectResize({"{'nodeName':'a'}", "{'nodeName':'b'}",
                "spec: Forbidden: only cpu and memory resources are mutable\n"});
}

TEST(QosClass, DependsOnCpuAndMemoryOfAllContainers) {
  struct Class {
    const char* spec;
    const char* qos;
  };
  constexpr const char* kBest = "BestEffort";
  constexpr const char* kBurst = "Burstable";
  constexpr const char* kSure = "Guaranteed";
  for (const Class& row : {
           Class{"{}", kBest},
           Class{"{'containers':[{}]}", kBest},
           Class{"{'containers':[{'resources':{'limits':{'x':'1'}}}]}", kBest},
           Class{"{'containers':[{'resources':{'limits':{'cpu':'0'},'requests':{'cpu':'0'}}}]}",
                 kBest},
           Class{"{'containers':[{'resources':{'requests':{'cpu':'1'}}}]}", kBurst},
           Class{"{'containers':[{'resources':{'limits':{'memory':'1'}}}]}", kBurst},
           Class{"{'containers':[{'resources':{'limits':{'cpu':'1','memory':'1'}}}]}", kSure},
           Class{"{'containers':[{'resources':{'limits':{'cpu':'1','memory':'1'},'requests':"
                 "{'cpu':'1','memory':'1'}}}]}",
                 kSure},
           Class{"{'containers':[{'resources':{'limits':{'cpu':'2','memory':'1'},'requests':"
                 "{'cpu':'1','memory':'1'}}}]}",
                 kBurst},
           Class{"{'containers':[{'resources':{'limits':{'cpu':'1','memory':'1'}}},{}]}", kBurst},
           Class{"{'containers':[{'resources':{'limits':{'cpu':'1','memory':'1'}}}],"
                 "'initContainers':[{}]}",
                 kBurst},
           Class{"{'initContainers':[{'resources':{'limits':{'cpu':'1','memory':'1'}}}]}", kSure},
           // The resources of the whole pod count in place of its containers'.
           Class{"{'resources':{'limits':{'cpu':'1','memory':'1'}},'containers':[{}]}", kSure},
           Class{"{'resources':{'requests':{'cpu':'1'}},'containers':[{'resources':{'limits':"
                 "{'cpu':'1','memory':'1'}}}]}",
                 kBurst},
           Class{"{'resources':{'requests':{}},'containers':[{'resources':{'limits':{'cpu':'1',"
                 "'memory':'1'}}}]}",
                 kSure},
       }) {
    EXPECT_EQ(QosClassOf(Quoted(row.spec)), row.qos) << row.spec;
  }
}

}  // namespace
}  // namespace kinformer::apiserver
