#include "apiserver/builtin/match_checks.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "apiserver/registry/testing/test_objects.h"

namespace kinformer::apiserver {
namespace {

using testing::Lines;
using testing::Quoted;

std::string RuleCauses(const std::string& rule) {
  std::vector<StatusCause> causes;
  CheckRule(Quoted("{" + rule + "}"), "r", causes);
  return Lines(causes);
}

TEST(MatchChecks, Rules_AreThoseOfARealServer) {
  struct Row {
    const char* rule;
    const char* causes;
  };
  for (const Row& row : {
           Row{"'operations':['*'],'apiGroups':['*'],'apiVersions':['*'],'resources':['*/*']", ""},
           Row{"'operations':['*','CREATE']",
               "r.operations: Invalid value: [\"*\",\"CREATE\"]: if '*' is present, must not "
               "specify other operations\n"},
           Row{"'operations':['create']",
               "r.operations[0]: Unsupported value: \"create\": supported values: \"*\", "
               "\"CONNECT\", \"CREATE\", \"DELETE\", \"UPDATE\"\n"},
           Row{"'apiGroups':['','*']",
               "r.apiGroups: Invalid value: [\"\",\"*\"]: if '*' is present, must not specify "
               "other API groups\n"},
           Row{"'apiVersions':['']", "r.apiVersions[0]: Required value\n"},
           Row{"'resources':['']", "r.resources[0]: Required value\n"},
           Row{"'resources':['*','pods']",
               "r.resources: Invalid value: [\"*\",\"pods\"]: if '*' is present, must not specify "
               "other resources without subresources\n"},
           Row{"'resources':['*','pods/status']", ""},
           Row{"'resources':['*/*','a']",
               "r.resources: Invalid value: [\"*/*\",\"a\"]: if '*/*' is present, must not specify "
               "other resources\n"},
           Row{"'resources':['a/*','a/b','*/c','d/c']",
               "r.resources[1]: Invalid value: \"a/b\": if 'a/*' is present, must not specify a/b\n"
               "r.resources[3]: Invalid value: \"d/c\": if '*/c' is present, must not specify "
               "d/c\n"},
           Row{"'scope':'All'",
               "r.scope: Unsupported value: \"All\": supported values: \"*\", \"Cluster\", "
               "\"Namespaced\"\n"},
       }) {
    EXPECT_EQ(RuleCauses(row.rule), row.causes) << row.rule;
  }
}

std::string ResourceCauses(const std::string& resources) {
  std::vector<StatusCause> causes;
  CheckMatchResources(Quoted("{" + resources + "}"), "m", causes);
  std::string lines = Lines(causes);
  // The long explanations of names are left out.
  for (const char* rule : {": a valid label must", ": name part must"}) {
    if (const std::size_t at = lines.find(rule); at != std::string::npos) lines.resize(at);
  }
  return lines;
}

TEST(MatchChecks, MatchResources_AreThoseOfARealServer) {
  struct Row {
    const char* resources;
    const char* causes;
  };
  for (const Row& row : {
           Row{"", ""},
           Row{"'matchPolicy':'Some'",
               "m.matchPolicy: Unsupported value: \"Some\": supported values: \"Equivalent\", "
               "\"Exact\"\n"},
           Row{"'excludeResourceRules':[{'resourceNames':['a','a/b','a']}]",
               "m.excludeResourceRules[0].resourceNames[1]: Invalid value: \"a/b\": may not "
               "contain '/'\nm.excludeResourceRules[0].resourceNames[2]: Duplicate value: \"a\"\n"},
           Row{"'namespaceSelector':{'matchLabels':{'a b':'c'}}",
               "m.namespaceSelector.matchLabels: Invalid value: \"a b\""},
           Row{"'objectSelector':{'matchLabels':{'a':'-'}}",
               "m.objectSelector.matchLabels: Invalid value: \"-\""},
           Row{"'objectSelector':{'matchExpressions':[{'key':'a','operator':'In'},"
               "{'key':'a','operator':'Exists','values':['b']},{'key':'a','operator':'Is'}]}",
               "m.objectSelector.matchExpressions[0].values: Required value: must be specified "
               "when `operator` is 'In' or 'NotIn'\n"
               "m.objectSelector.matchExpressions[1].values: Forbidden: may not be specified when "
               "`operator` is 'Exists' or 'DoesNotExist'\n"
               "m.objectSelector.matchExpressions[2].operator: Invalid value: \"Is\": not a valid "
               "selector operator\n"},
           Row{"'objectSelector':{'matchExpressions':[{'key':'a','operator':'In','values':['-']}]}",
               "m.objectSelector.matchExpressions[0].values[0]: Invalid value: \"-\""},
       }) {
    EXPECT_EQ(ResourceCauses(row.resources), row.causes) << row.resources;
  }
}

}  // namespace
}  // namespace kinformer::apiserver
