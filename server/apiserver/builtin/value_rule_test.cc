#include "apiserver/builtin/value_rule.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "kinformer/internal/registry.h"

#include "apiserver/registry/testing/test_objects.h"

namespace kinformer::apiserver {
namespace {

using testing::Lines;
using testing::Quoted;

constexpr std::string_view kInvalid = "FieldValueInvalid";

// Returns what the rule says of a container's members, which stand at spec.containers[1].
std::string Broken(const ValueRow& row, const std::string& container) {
  const KindInfo* pod = internal::FindType("", "v1", "Pod");
  const internal::FieldDescriptor* spec = FindJsonMember(*pod->message, "spec");
  const internal::FieldDescriptor* containers = FindJsonMember(*spec->message, "containers");
  const ValueRule rule(*containers->message, row);
  const FieldPlace object;
  const FieldPlace in_spec{.parent = &object, .member = "spec"};
  const FieldPlace place{.parent = &in_spec, .member = "containers", .index = 1};
  std::vector<StatusCause> causes;
  const json::Value object_value = Quoted(container);
  rule.Check(object_value[rule.field().json_name], place, causes);
  return Lines(causes);
}

// Returns what the rule says of a pod's `spec`.
std::string BrokenSpec(const ValueRow& row, const std::string& spec) {
  const KindInfo* pod = internal::FindType("", "v1", "Pod");
  const ValueRule rule(*FindJsonMember(*pod->message, "spec")->message, row);
  const FieldPlace object;
  const FieldPlace place{.parent = &object, .member = "spec"};
  std::vector<StatusCause> causes;
  const json::Value object_value = Quoted(spec);
  rule.Check(object_value[rule.field().json_name], place, causes);
  return Lines(causes);
}

ValueRow Row(std::string_view member, std::string_view rule, std::string_view argument,
             std::string_view field, std::string_view text) {
  return {"*", "k8s.io.api.core.v1.Container", member, rule, argument, kInvalid, field, text};
}

TEST(ValueRule, Enum_OtherValues_AreNamedInTheCause) {
  const ValueRow row = Row("imagePullPolicy", "enum", "Always|Never", "imagePullPolicy",
                           "Unsupported value: %: supported values: \"Always\", \"Never\"");
  EXPECT_EQ(Broken(row, "{'imagePullPolicy':'Never'}"), "");
  EXPECT_EQ(Broken(row, "{'imagePullPolicy':''}"), "") << "absent";
  EXPECT_EQ(Broken(row, "{}"), "");
  EXPECT_EQ(Broken(row, "{'imagePullPolicy':'never'}"),
            "spec.containers[1].imagePullPolicy: Unsupported value: \"never\": supported values: "
            "\"Always\", \"Never\"\n");
}

TEST(ValueRule, Texts_LongerOrOfAnotherForm_BreakTheRule) {
  const ValueRow length = Row("name", "length", "3", "name", "Invalid value: %: too long");
  EXPECT_EQ(Broken(length, "{'name':'abc'}"), "");
  EXPECT_EQ(Broken(length, "{'name':'abcd'}"),
            "spec.containers[1].name: Invalid value: \"abcd\": too long\n");
  const ValueRow match = Row("name", "match", "[a-z]+|0", "name", "Invalid value: %: letters");
  EXPECT_EQ(Broken(match, "{'name':'abc'}") + Broken(match, "{'name':'0'}"), "");
  EXPECT_NE(Broken(match, "{'name':'abc1'}"), "") << "the whole text must match";
  EXPECT_NE(Broken(match, "{'name':'1abc'}"), "");
  EXPECT_NE(Broken(match, "{'name':'ab\\n'}"), "");
  const ValueRow never = Row("workingDir", "never", ":", "workingDir", "Invalid value: %: colon");
  EXPECT_EQ(Broken(never, "{'workingDir':'/a'}"), "");
  EXPECT_NE(Broken(never, "{'workingDir':'/a:b'}"), "");
}

TEST(ValueRule, QuestionMark_AllowsTheEmptyText) {
  const auto row = [](std::string_view rule) {
    return ValueRow{"*",      "k8s.io.api.core.v1.PodSpec", "hostnameOverride",   rule, "[a-z]+",
                    kInvalid, "hostnameOverride",           "Invalid value: %: x"};
  };
  EXPECT_EQ(BrokenSpec(row("match?"), "{'hostnameOverride':''}"), "");
  EXPECT_NE(BrokenSpec(row("match?"), "{'hostnameOverride':'1'}"), "");
  EXPECT_NE(BrokenSpec(row("match"), "{'hostnameOverride':''}"), "");
}

TEST(ValueRule, Addresses_AreOfIpv4OrIpv6) {
  const ValueRow ip = Row("name", "ip", "", "name", "Invalid value: %: x");
  for (const char* good : {"10.0.0.1", "2001:db8::1", "::"}) {
    EXPECT_EQ(Broken(ip, std::string("{'name':'") + good + "'}"), "") << good;
  }
  for (const char* bad : {"10.0.0", "10.0.0.01", "x", "10.0.0.1/8", "fe80::1%eth0"}) {
    EXPECT_NE(Broken(ip, std::string("{'name':'") + bad + "'}"), "") << bad;
  }
  const ValueRow cidr = Row("name", "cidr", "", "name", "Invalid value: %: x");
  for (const char* good : {"10.0.0.0/8", "0.0.0.0/0", "2001:db8::/64", "::/128"}) {
    EXPECT_EQ(Broken(cidr, std::string("{'name':'") + good + "'}"), "") << good;
  }
  for (const char* bad : {"10.0.0.1", "10.0.0.0/33", "::/129", "10.0.0.0/-1", "x/8", "/8"}) {
    EXPECT_NE(Broken(cidr, std::string("{'name':'") + bad + "'}"), "") << bad;
  }
}

TEST(ValueRule, WholeMember_HasOneCause) {
  const ValueRow row = Row("args[]", "enum", "a|b", "args", "Unsupported value: %*: a, b");
  EXPECT_EQ(Broken(row, "{'args':['a','x','y']}"),
            "spec.containers[1].args: Unsupported value: [\"a\",\"x\",\"y\"]: a, b\n");
}

TEST(ValueRule, QuotedPlaceholder_ShowsTheBareText) {
  const ValueRow row = Row("name", "length", "3", "name", "Invalid value: \"%\": too long");
  EXPECT_EQ(Broken(row, "{'name':'abcd'}"),
            "spec.containers[1].name: Invalid value: \"abcd\": too long\n");
}

TEST(ValueRule, Items_ValuesAndKeys_AreNamedByTheirPlace) {
  const ValueRow items = Row("args[]", "length", "1", "args[*]", "Invalid value: %: too long");
  EXPECT_EQ(Broken(items, "{'args':['a','bb','c','dd']}"),
            "spec.containers[1].args[1]: Invalid value: \"bb\": too long\n"
            "spec.containers[1].args[3]: Invalid value: \"dd\": too long\n");
  EXPECT_EQ(Broken(items, "{'args':[]}") + Broken(items, "{'args':'bb'}"), "");
}

TEST(ValueRule, Unique_LaterItems_AreTheDuplicates) {
  const ValueRow items = Row("ports[]", "unique", "name", "ports[*].name", "Duplicate value: %");
  EXPECT_EQ(Broken(items, "{'ports':[{'name':'a'},{'name':'b'},{},{'name':''},{'name':'a'}]}"),
            "spec.containers[1].ports[4].name: Duplicate value: \"a\"\n");
  const ValueRow texts = Row("args[]", "unique", "", "args[*]", "Duplicate value: %");
  EXPECT_EQ(Broken(texts, "{'args':['a','a']}"),
            "spec.containers[1].args[1]: Duplicate value: \"a\"\n");
}

TEST(ValueRule, Numbers_OutOfRange_BreakTheRule) {
  const ValueRow least = Row("activeDeadlineSeconds", "least", "1", "activeDeadlineSeconds",
                             "Invalid value: %: must be greater than zero");
  EXPECT_EQ(BrokenSpec(least, "{'activeDeadlineSeconds':1}"), "");
  EXPECT_EQ(BrokenSpec(least, "{'activeDeadlineSeconds':0}"),
            "spec.activeDeadlineSeconds: Invalid value: 0: must be greater than zero\n")
      << "a pointer to zero is there";
  EXPECT_EQ(BrokenSpec(least, "{'activeDeadlineSeconds':null}"), "");
  const ValueRow most = Row("activeDeadlineSeconds", "most", "2147483647", "activeDeadlineSeconds",
                            "Invalid value: %: too much");
  EXPECT_EQ(BrokenSpec(most, "{'activeDeadlineSeconds':2147483647}"), "");
  EXPECT_NE(BrokenSpec(most, "{'activeDeadlineSeconds':2147483648}"), "");
}

TEST(ValueRule, Quantities_AreComparedByTheirAmount) {
  const ValueRow row = Row("overhead{}", "least", "0", "overhead[*]",
                           "Invalid value: %: must be greater than or equal to 0");
  EXPECT_EQ(BrokenSpec(row, "{'overhead':{'cpu':'0','memory':'1Gi'}}"), "");
  EXPECT_EQ(BrokenSpec(row, "{'overhead':{'cpu':'-1m','memory':'1Gi'}}"),
            "spec.overhead[cpu]: Invalid value: \"-1m\": must be greater than or equal to 0\n");
}

TEST(ValueRule, Keys_AreTested) {
  const ValueRow row =
      Row("nodeSelector{key}", "never", " ", "nodeSelector", "Invalid value: %: x");
  EXPECT_EQ(BrokenSpec(row, "{'nodeSelector':{'a':' '}}"), "");
  EXPECT_EQ(BrokenSpec(row, "{'nodeSelector':{'a b':'c'}}"),
            "spec.nodeSelector: Invalid value: \"a b\": x\n");
}

}  // namespace
}  // namespace kinformer::apiserver
