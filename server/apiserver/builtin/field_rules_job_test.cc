#include <gtest/gtest.h>
#include <string>

#include "apiserver/builtin/field_rules.h"
#include "apiserver/registry/testing/test_objects.h"

namespace kinformer::apiserver {
namespace {

using testing::Builtin;
using testing::Lines;
using testing::Quoted;

std::string Causes(const std::string& resource, const std::string& subresource,
                   const std::string& old, const std::string& object) {
  return Lines(ValidateChange(Builtin(resource), subresource, Quoted(old), Quoted(object)));
}

TEST(JobRules, Fields_AreImmutable) {
  for (const char* field : {"completions", "selector", "completionMode", "podFailurePolicy",
                            "backoffLimitPerIndex", "managedBy", "successPolicy", "template"}) {
    const auto spec = [&](const char* value) {
      return std::string("{'spec':{'") + field + "':'" + value + "'}}";
    };
    EXPECT_EQ(Causes("batch/jobs", "", spec("a"), spec("a")), "") << field;
    EXPECT_EQ(Causes("batch/jobs", "", spec("a"), spec("b")),
              std::string("spec.") + field + ": Invalid value: \"b\": field is immutable\n");
    EXPECT_EQ(Causes("batch/jobs", "", spec("a"), "{'spec':{}}"),
              std::string("spec.") + field + ": Invalid value: null: field is immutable\n");
  }
  EXPECT_EQ(Causes("batch/jobs", "", "{'spec':{'parallelism':1}}", "{'spec':{'parallelism':2}}"),
            "");
  EXPECT_EQ(Causes("batch/cronjobs", "", "{'spec':{'template':1}}", "{'spec':{'template':2}}"), "");
}

TEST(JobRules, IndexedJob_ScalesWithItsParallelism) {
  const auto job = [](int completions, int parallelism, const char* mode = "Indexed") {
    return "{'spec':{'completionMode':'" + std::string(mode) +
           "','completions':" + std::to_string(completions) +
           ",'parallelism':" + std::to_string(parallelism) + "}}";
  };
  EXPECT_EQ(Causes("batch/jobs", "", job(2, 2), job(3, 3)), "");
  EXPECT_EQ(Causes("batch/jobs", "", job(2, 2), job(2, 3)), "");
  EXPECT_EQ(Causes("batch/jobs", "", job(2, 2), job(3, 2)),
            "spec.completions: Invalid value: 3: can only be modified in tandem with "
            "spec.parallelism\n");
  EXPECT_EQ(Causes("batch/jobs", "", job(2, 2, "NonIndexed"), job(3, 3, "NonIndexed")),
            "spec.completions: Invalid value: 3: field is immutable\n");
}

// A suspended Job that does not run may change where its pods will be placed, and their resources.
TEST(JobRules, SuspendedJob_PlacementMayChange) {
  const auto job = [](bool suspended, const char* pod, int active = 0) {
    return "{'spec':{'suspend':" + std::string(suspended ? "true" : "false") +
           ",'template':{'spec':" + pod + "}},'status':{'active':" + std::to_string(active) + "}}";
  };
  struct Row {
    const char* old;
    const char* pod;
    bool allowed;
  };
  for (const Row& row : {
           Row{"{}", "{'nodeSelector':{'a':'b'}}", true},
           Row{"{'affinity':{'a':{}}}", "{}", true},
           Row{"{'tolerations':[]}", "{'tolerations':[{'key':'a'}]}", true},
           Row{"{'schedulingGates':[{'name':'a'}]}", "{'schedulingGates':[]}", true},
           Row{"{'nodeName':'a'}", "{'nodeName':'b'}", false},
           Row{"{'containers':[{'name':'a'},{'name':'b','resources':{'limits':{'cpu':'1'}}}]}",
               "{'containers':[{'name':'a','resources':{'limits':{'cpu':'2'}}},{'name':'b'}]}",
               true},
           Row{"{'initContainers':[{'name':'a'}]}",
               "{'initContainers':[{'name':'a','resources':{'limits':{'cpu':'2'}}}]}", true},
           Row{"{'containers':[{'name':'a'}]}", "{'containers':[{'name':'b'}]}", false},
           Row{"{'containers':[{'name':'a'}]}", "{'containers':[{'name':'a'},{'name':'b'}]}",
               false},
           Row{"{'containers':[{'name':'a'},{'name':'b'}]}", "{'containers':[{'name':'a'}]}",
               false},
           Row{"{'containers':[{'name':'a'}]}", "{}", false},
           Row{"{'containers':[{'name':'a'}]}", "{'containers':[]}", false},
           Row{"{'containers':[]}", "{'containers':[],'nodeSelector':{'a':'b'}}", true},
       }) {
    SCOPED_TRACE(std::string(row.old) + " -> " + row.pod);
    const std::string text = Quoted(row.pod).Dump();
    EXPECT_EQ(
        Causes("batch/jobs", "", job(true, row.old), job(true, row.pod)),
        row.allowed ? "" : "spec.template.spec: Invalid value: " + text + ": field is immutable\n");
    // Nothing may change once it runs, or has pods.
    const std::string whole =
        "spec.template: Invalid value: {\"spec\":" + text + "}: field is immutable\n";
    EXPECT_EQ(Causes("batch/jobs", "", job(false, row.old), job(true, row.pod)), whole);
    EXPECT_EQ(Causes("batch/jobs", "", job(true, row.old, 1), job(true, row.pod, 1)), whole);
  }
  EXPECT_EQ(Causes("batch/jobs", "", "{'spec':{'suspend':true,'template':{'spec':{}}}}",
                   "{'spec':{'suspend':true,'template':{'spec':{'nodeSelector':{}}}}}"),
            "");
}

TEST(NamespaceRules, Phase_FollowsTheDeletion) {
  const auto space = [](const char* phase, bool ending) {
    return std::string("{'metadata':{") + (ending ? "'deletionTimestamp':'t'" : "") +
           "},'status':{'phase':'" + phase + "'}}";
  };
  const auto check = [&](const char* phase, bool ending) {
    return Causes("namespaces", "status", "{}", space(phase, ending));
  };
  EXPECT_EQ(check("Active", false), "");
  EXPECT_EQ(check("Terminating", true), "");
  EXPECT_EQ(check("Terminating", false),
            "status.Phase: Invalid value: \"Terminating\": may only be 'Active' if "
            "`deletionTimestamp` is empty\n");
  EXPECT_EQ(check("Active", true),
            "status.Phase: Invalid value: \"Active\": may only be 'Terminating' if "
            "`deletionTimestamp` is not empty\n");
  EXPECT_EQ(Causes("namespaces", "", "{}", space("Active", true)), "");
  EXPECT_EQ(Causes("nodes", "status", "{}", space("Active", true)), "");
}

TEST(SubresourceRules, EachSubresource_HasItsOwnRules) {
  const std::string one = "{'spec':{'containers':[{'name':'a'}]}}";
  const std::string other = "{'spec':{'containers':[{'name':'a'}],'ephemeralContainers':[{}]}}";
  EXPECT_EQ(Causes("pods", "ephemeralcontainers", one, other),
            "spec.ephemeralContainers[0].name: Required value\n"
            "spec.ephemeralContainers[0].image: Required value\n");
  EXPECT_EQ(Causes("pods", "resize", one, "{'spec':{}}"),
            "spec.containers: Forbidden: containers may not be added or removed on resize\n");
  const std::string approved = "{'status':{'conditions':[{'type':'Approved','status':'True'}]}}";
  EXPECT_EQ(Causes("certificates.k8s.io/certificatesigningrequests", "status", "{}", approved),
            "status.conditions: Forbidden: updates may not add a condition of type \"Approved\"\n");
  EXPECT_EQ(Causes("certificates.k8s.io/certificatesigningrequests", "", "{}", approved), "");
  EXPECT_EQ(Causes("pods", "status", "{}", approved), "");
}

TEST(FoldFields, TextsBecomeData_EmptyDataGoes) {
  struct Row {
    const char* resource;
    const char* object;
    const char* folded;
  };
  for (const Row& row : {
           Row{"secrets", "{'stringData':{'a':'hi','b':''}}", "{'data':{'a':'aGk=','b':''}}"},
           Row{"secrets", "{'data':{'a':'AA==','c':'AA=='},'stringData':{'a':'hi'}}",
               "{'data':{'a':'aGk=','c':'AA=='}}"},
           Row{"secrets", "{'stringData':{}}", "{}"},
           Row{"secrets", "{'data':{},'type':'x'}", "{'type':'x'}"},
           Row{"secrets", "{'data':null}", "{}"},
           Row{"secrets", "{'data':''}", "{'data':''}"},
           Row{"configmaps", "{'data':{},'binaryData':{}}", "{}"},
           Row{"configmaps", "{'data':{'a':'b'},'binaryData':{'a':'AA=='}}",
               "{'data':{'a':'b'},'binaryData':{'a':'AA=='}}"},
           Row{"configmaps", "{'stringData':{'a':'hi'}}", "{'stringData':{'a':'hi'}}"},
           Row{"pods", "{'data':{},'stringData':{'a':'hi'}}",
               "{'data':{},'stringData':{'a':'hi'}}"},
           Row{"other/secrets", "{'data':{}}", "{'data':{}}"},
       }) {
    json::Value object = Quoted(row.object);
    FoldFields(Builtin(row.resource), object);
    EXPECT_EQ(object.Dump(), Quoted(row.folded).Dump()) << row.resource << row.object;
  }
}

}  // namespace
}  // namespace kinformer::apiserver
