#include "apiserver/builtin/policy_checks.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "apiserver/registry/testing/test_objects.h"

namespace kinformer::apiserver {
namespace {

using testing::Lines;
using testing::Quoted;

struct Row {
  const char* spec;
  const char* causes;
};

std::string PolicyCauses(const std::string& spec) {
  return Lines(ValidateValidatingPolicy(Quoted("{'metadata':{'name':'p'},'spec':{" + spec + "}}")));
}

TEST(PolicyChecks, Policies_AreCheckedAsInARealServer) {
  for (const Row& row : {
           Row{"'validations':[{'expression':'true'}]", ""},
           Row{"'failurePolicy':'Maybe'",
               "spec.failurePolicy: Unsupported value: \"Maybe\": supported values: \"Fail\", "
               "\"Ignore\"\n"},
           Row{"'paramKind':{}",
               "spec.paramKind.apiVersion: Required value\nspec.paramKind.kind: Required value\n"},
           Row{"'paramKind':{'apiVersion':'a/b/c','kind':'K'}",
               "spec.paramKind.apiVersion: Invalid value: \"a/b/c\": unexpected GroupVersion "
               "string: a/b/c\n"},
           Row{"'paramKind':{'apiVersion':'a/','kind':'K'}",
               "spec.paramKind.apiVersion: Invalid value: \"a/\": version must be specified\n"},
           Row{"'matchConstraints':{'matchPolicy':'x'}",
               "spec.matchConstraints.matchPolicy: Unsupported value: \"x\": supported values: "
               "\"Equivalent\", \"Exact\"\n"},
           Row{"'matchConditions':[{'name':'n','expression':'1'}]",
               "spec.matchConditions[0].expression: Invalid value: \"1\": must evaluate to bool "
               "but got int\n"},
           Row{"'variables':[{'name':'a-b','expression':'1'},{'name':' ','expression':' '},"
               "{'name':'if','expression':'2'}]",
               "spec.variables[0].name: Invalid value: \"a-b\": must be a valid CEL identifier\n"
               "spec.variables[1].name: Required value: name is not specified\n"
               "spec.variables[1].expression: Required value: expression is not specified\n"
               "spec.variables[2].name: Invalid value: \"if\": must be a valid CEL identifier\n"},
           Row{"'variables':[{'name':'a','expression':'variables.b'},"
               "{'name':'b','expression':'1'}]",
               "spec.variables[0].expression: Invalid value: \"variables.b\": compilation failed: "
               "ERROR: <input>:1:10: undefined field 'b'\n | variables.b\n | .........^\n"},
           Row{"'validations':[{'expression':'variables.b'}]",
               "spec.validations[0].expression: Invalid value: \"variables.b\": compilation "
               "failed: ERROR: <input>:1:1: undeclared reference to 'variables' (in container "
               "'')\n | variables.b\n | ^\n"},
           Row{"'variables':[{'name':'a','expression':'1'}],'validations':[{'expression':"
               "'variables.a == 1'},{'expression':'variables.a'}]",
               "spec.validations[1].expression: Invalid value: \"variables.a\": must evaluate to "
               "bool but got int\n"},
           Row{"'validations':[{'expression':' '},{'expression':'true','message':' ',"
               "'messageExpression':' '}]",
               "spec.validations[0].expression: Required value: expression is not specified\n"
               "spec.validations[1].messageExpression: Invalid value: \" \": must be non-empty if "
               "specified\n"
               "spec.validations[1].message: Invalid value: \" \": must be non-empty if "
               "specified\n"},
           Row{"'validations':[{'expression':'true','message':'a\\nb','reason':'No'}]",
               "spec.validations[0].message: Invalid value: \"a\\nb\": must not contain line "
               "breaks\n"
               "spec.validations[0].reason: Unsupported value: \"No\": supported values: "
               "\"Forbidden\", \"Invalid\", \"RequestEntityTooLarge\"\n"},
           Row{"'validations':[{'expression':'true','messageExpression':'1'}]",
               "spec.validations[0].messageExpression: Invalid value: \"1\": must evaluate to "
               "string but got int\n"},
           Row{"'auditAnnotations':[{'key':'k','valueExpression':'null'},"
               "{'key':'k','valueExpression':'1'},{'key':'l','valueExpression':' '}]",
               "spec.auditAnnotations[1].valueExpression: Invalid value: \"1\": must evaluate to "
               "one of [string null_type] but got int\n"
               "spec.auditAnnotations[1].key: Duplicate value: \"k\"\n"
               "spec.auditAnnotations[2].valueExpression: Required value: valueExpression is not "
               "specified\n"},
       }) {
    EXPECT_EQ(PolicyCauses(row.spec), row.causes) << row.spec;
  }
}

TEST(PolicyChecks, MessageExpressions_CannotAskTheAuthorizer) {
  const std::string causes = PolicyCauses(
      "'validations':[{'expression':'authorizer.path(string(1)).check(string(2)).allowed()',"
      "'messageExpression':'string(authorizer.path(string(1)).check(string(2)).allowed())'}]");
  EXPECT_EQ(causes.find("spec.validations[0].messageExpression: Invalid value: "), 0U) << causes;
  EXPECT_NE(causes.find("undeclared reference to 'authorizer'"), std::string::npos) << causes;
}

TEST(PolicyChecks, ChainsOfVariables_AreBounded) {
  std::string variables = "{'name':'v0','expression':'1'}";
  for (int i = 1; i < 1000; ++i) {
    variables += ",{'name':'v" + std::to_string(i);
    variables += "','expression':'variables.v" + std::to_string(i - 1) + " + 1'}";
  }
  const std::string causes = PolicyCauses("'variables':[" + variables + "]");
  EXPECT_NE(causes.find("variables are nested too deeply"), std::string::npos);
}

TEST(PolicyChecks, Bindings_AreCheckedAsInARealServer) {
  for (const Row& row : {
           Row{"'policyName':'p','validationActions':['Deny','Audit']", ""},
           Row{"'validationActions':['Deny','Deny','No']",
               "spec.validationActions[1]: Duplicate value: \"Deny\"\n"
               "spec.validationActions[2]: Unsupported value: \"No\": supported values: "
               "\"Audit\", \"Deny\", \"Warn\"\n"},
           Row{"'validationActions':['Deny','Warn']",
               "spec.validationActions: Invalid value: [\"Deny\",\"Warn\"]: must not contain both "
               "Deny and Warn (repeating the same validation failure information in the API "
               "response and headers serves no purpose)\n"},
           Row{"'paramRef':{}",
               "spec.paramRef: Required value: one of name or selector must be specified\n"
               "spec.paramRef.parameterNotFoundAction: Required value\n"},
           Row{"'paramRef':{'name':'a/b','selector':{},'parameterNotFoundAction':'No'}",
               "spec.paramRef.name: Invalid value: \"a/b\": may not contain '/'\n"
               "spec.paramRef.name: Forbidden: name and selector are mutually exclusive\n"
               "spec.paramRef.selector: Forbidden: name and selector are mutually exclusive\n"
               "spec.paramRef.parameterNotFoundAction: Unsupported value: \"No\": supported "
               "values: \"Deny\", \"Allow\"\n"},
           Row{"'matchResources':{'matchPolicy':'x'}",
               "spec.matchResources.matchPolicy: Unsupported value: \"x\": supported values: "
               "\"Equivalent\", \"Exact\"\n"},
       }) {
    EXPECT_EQ(Lines(ValidateValidatingBinding(Quoted("{'spec':{" + std::string(row.spec) + "}}"))),
              row.causes)
        << row.spec;
  }
}

}  // namespace
}  // namespace kinformer::apiserver
