#include "apiserver/schema/metadata_rules.h"

#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/json/yaml.h"

#include "apiserver/errors/status.h"
#include "apiserver/schema/name_rules.h"

namespace kinformer::apiserver {
namespace {

const std::string kSubdomain =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
    "'.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used "
    "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const std::string kLabel(kDns1123LabelText);

TEST(NameRules, Names_BreakTheRulesOfARealServer) {
  struct Case {
    NameRule rule;
    std::string name;
    std::string broken;
  };
  const std::string longest(253, 'a');
  const std::string label(63, 'a');
  const std::vector<Case> cases = {
      {NameRule::kSubdomain, "a.b-c.0", ""},
      {NameRule::kSubdomain, longest, ""},
      {NameRule::kSubdomain, longest + "a", "must be no more than 253 characters"},
      {NameRule::kSubdomain, "A", kSubdomain},
      {NameRule::kSubdomain, "", kSubdomain},
      {NameRule::kSubdomain, "a..b", kSubdomain},
      {NameRule::kLabel, "a-0", ""},
      {NameRule::kLabel, label, ""},
      {NameRule::kLabel, label + "a", "must be no more than 63 characters"},
      {NameRule::kLabel, "a.b", "must not contain dots"},
      {NameRule::kLabel, "A.b", kLabel},
      {NameRule::kLabel, "A", kLabel},
      {NameRule::kLabel, "-a", kLabel},
      {NameRule::kPathSegment, "A:b_", ""},
      {NameRule::kPathSegment, "...", ""},
      {NameRule::kPathSegment, ".", "may not be '.'"},
      {NameRule::kPathSegment, "..", "may not be '..'"},
      {NameRule::kPathSegment, "a/b", "may not contain '/'"},
      {NameRule::kPathSegment, "a%b", "may not contain '%'"},
  };
  for (const Case& c : cases) EXPECT_EQ(BrokenRule(c.rule, c.name), c.broken) << c.name;
}

// Returns all bytes that the predicate accepts where `text` puts them.
template <class Predicate>
std::string Taken(const Predicate& predicate, std::string_view before, std::string_view after) {
  std::string taken;
  for (int byte = 0; byte < 256; ++byte) {
    const std::string c(1, static_cast<char>(byte));
    if (predicate(std::string(before) + c + std::string(after))) taken += c;
  }
  return taken;
}

TEST(NameRules, Characters_AtTheEdgesAndInside) {
  const std::string digits = "0123456789";
  const std::string upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  const std::string lower = "abcdefghijklmnopqrstuvwxyz";
  EXPECT_EQ(Taken(IsDns1123Label, "", ""), digits + lower);
  EXPECT_EQ(Taken(IsDns1123Label, "a", "a"), "-" + digits + lower);
  EXPECT_EQ(Taken(IsDns1123Label, "", "a"), digits + lower);
  EXPECT_EQ(Taken(IsDns1123Label, "a", ""), digits + lower);
  EXPECT_EQ(Taken(IsDns1035Label, "", "a"), lower);
  EXPECT_EQ(Taken(IsDns1035Label, "a", "a"), "-" + digits + lower);
  EXPECT_EQ(Taken(IsQualifiedPart, "", ""), digits + upper + lower);
  EXPECT_EQ(Taken(IsQualifiedPart, "a", "a"), "-." + digits + upper + "_" + lower);
  EXPECT_EQ(Taken(IsQualifiedPart, "", "a"), digits + upper + lower);
  EXPECT_EQ(Taken(IsQualifiedPart, "a", ""), digits + upper + lower);
  for (const std::size_t size : {1U, 63U}) {
    EXPECT_TRUE(IsDns1123Label(std::string(size, 'a')));
    EXPECT_TRUE(IsQualifiedPart(std::string(size, 'a')));
  }
  for (const std::size_t size : {0U, 64U}) {
    EXPECT_FALSE(IsDns1123Label(std::string(size, 'a')));
    EXPECT_FALSE(IsDns1035Label(std::string(size, 'a')));
    EXPECT_FALSE(IsQualifiedPart(std::string(size, 'a')));
  }
  for (const char* good : {"a", "A_b", "example.com/A", "a/b"}) EXPECT_TRUE(IsQualifiedName(good));
  for (const char* bad : {"", "a/", "/a", "A/b", "a/b/c", "a/-", "-"}) {
    EXPECT_FALSE(IsQualifiedName(bad)) << bad;
  }
  EXPECT_EQ(LowerCase("@AMZ[`amz{09"), "@amz[`amz{09");
}

std::vector<std::string> Problems(const MetadataRules& rules, const json::Value& metadata) {
  std::vector<std::string> texts;
  for (const StatusCause& cause : ValidateMetadata(rules, metadata)) {
    texts.push_back(cause.reason.substr(10) + " " + cause.field + ": " + cause.message);
  }
  return texts;
}
std::vector<std::string> ProblemsOf(const MetadataRules& rules, std::string_view metadata) {
  return Problems(rules, yaml::Parse(metadata).OrExit());
}

TEST(MetadataRules, Problems_AreThoseOfARealServer) {
  struct Case {
    std::string_view metadata;
    std::vector<std::string> problems;
  };
  const std::string qualified(kQualifiedNameText);
  const std::string label_value = "Invalid metadata.labels: Invalid value: ";
  const std::string finalizer =
      ": name is neither a standard finalizer name nor is it fully qualified";
  const std::vector<Case> cases = {
      {"{name: a}", {}},
      {"{}", {"Required metadata.name: Required value: name or generateName is required"}},
      {"{name: A}", {"Invalid metadata.name: Invalid value: \"A\": " + kSubdomain}},
      {"{name: a, generateName: a-}", {}},
      {"{name: a, generateName: A-}",
       {"Invalid metadata.generateName: Invalid value: \"A-\": " + kSubdomain}},
      {"{name: a, generateName: '-'}",
       {"Invalid metadata.generateName: Invalid value: \"-\": " + kSubdomain}},
      {"{name: a, generateName: 'a--'}", {}},
      {"{name: a, generateName: 'a.-'}", {}},
      {"{name: a, labels: {a: '', b/c: d_E}}", {}},
      {"{name: a, labels: {'-': x}}",
       {"Invalid metadata.labels: Invalid value: \"-\": " + qualified}},
      {"{name: a, labels: {a: '-'}}", {label_value + "\"-\": " + std::string(kLabelValueText)}},
      {"{name: a, labels: {a: 1}}", {label_value + "1: " + std::string(kLabelValueText)}},
      {"{name: a, annotations: {a: '!', B/c: d}}", {}},
      {"{name: a, annotations: {'-': x}}",
       {"Invalid metadata.annotations: Invalid value: \"-\": " + qualified}},
      {"{name: a, finalizers: [orphan, foregroundDeletion, kubernetes, a/b]}", {}},
      {"{name: a, finalizers: [a/b, x]}",
       {"Invalid metadata.finalizers[1]: Invalid value: \"x\"" + finalizer}},
      {"{name: a, finalizers: ['-']}",
       {"Invalid metadata.finalizers: Invalid value: \"-\": " + qualified,
        "Invalid metadata.finalizers[0]: Invalid value: \"-\"" + finalizer}},
      {"{name: a, ownerReferences: [{apiVersion: v1, kind: Pod, name: p, uid: u}]}", {}},
      {"{name: a, ownerReferences: [{}]}",
       {"Required metadata.ownerReferences[0].apiVersion: Required value: must not be empty",
        "Required metadata.ownerReferences[0].kind: Required value: must not be empty",
        "Required metadata.ownerReferences[0].name: Required value: must not be empty",
        "Required metadata.ownerReferences[0].uid: Required value: must not be empty"}},
      {"{name: a, ownerReferences: [{apiVersion: a/b/c, kind: Pod, name: p, uid: u}, "
       "{apiVersion: a/, kind: Pod, name: p, uid: u}]}",
       {"Invalid metadata.ownerReferences[0].apiVersion: Invalid value: \"a/b/c\": must be "
        "<group>/<version> or <version>",
        "Invalid metadata.ownerReferences[1].apiVersion: Invalid value: \"a/\": must be "
        "<group>/<version> or <version>"}},
      {"{name: a, ownerReferences: [{apiVersion: v1, kind: Event, name: p, uid: u}]}",
       {"Invalid metadata.ownerReferences[0]: Invalid value: "
        R"({"apiVersion":"v1","kind":"Event","name":"p","uid":"u"}: )"
        "/v1, Kind=Event is disallowed from being an owner"}},
      {"{name: a, ownerReferences: [{apiVersion: e/v1, kind: Event, name: p, uid: u}]}", {}},
      {"{name: a, ownerReferences: [{apiVersion: v1, kind: P, name: p, uid: u, controller: true}, "
       "{apiVersion: v1, kind: P, name: q, uid: v}, "
       "{apiVersion: v1, kind: P, name: r, uid: w, controller: false}]}",
       {}},
      {"{name: a, ownerReferences: [{apiVersion: v1, kind: P, name: p, uid: u, controller: true}, "
       "{apiVersion: v1, kind: Q, name: q, uid: v, controller: true}]}",
       {"Invalid metadata.ownerReferences: Invalid value: "
        R"([{"apiVersion":"v1","kind":"P","name":"p","uid":"u","controller":true},)"
        R"({"apiVersion":"v1","kind":"Q","name":"q","uid":"v","controller":true}]: )"
        "Only one reference can have Controller set to true. Found \"true\" in references for P/p "
        "and Q/q"}},
  };
  for (const Case& c : cases) EXPECT_EQ(ProblemsOf({}, c.metadata), c.problems) << c.metadata;
}

TEST(MetadataRules, Rules_DifferByResource) {
  using Strings = std::vector<std::string>;
  EXPECT_EQ(ProblemsOf({.name = NameRule::kPathSegment}, "{name: A, generateName: B}"), Strings{});
  EXPECT_EQ(ProblemsOf({.name = NameRule::kLabel}, "{name: a.b}"),
            Strings{"Invalid metadata.name: Invalid value: \"a.b\": must not contain dots"});
  EXPECT_EQ(ProblemsOf({.namespaced = true}, "{name: a, namespace: ns}"), Strings{});
  EXPECT_EQ(ProblemsOf({.namespaced = false}, "{name: a, namespace: N_}"), Strings{});
  EXPECT_EQ(ProblemsOf({.namespaced = true}, "{name: a}"),
            Strings{"Required metadata.namespace: Required value"});
  EXPECT_EQ(ProblemsOf({.namespaced = true}, "{name: a, namespace: N_}"),
            Strings{"Invalid metadata.namespace: Invalid value: \"N_\": " + kLabel});
  EXPECT_EQ(ProblemsOf({.qualified_finalizers = false}, "{name: a, finalizers: [x]}"), Strings{});
}

TEST(MetadataRules, Annotations_HaveAtMost256KiB) {
  const auto problems = [](std::size_t bytes) {
    json::Value metadata = json::Value::MakeObject({{"name", "a"}});
    metadata.Ensure("annotations").Set("key1", std::string(bytes - 8, 'x'));
    metadata.Ensure("annotations").Set("key2", "");
    return Problems({}, metadata);
  };
  EXPECT_EQ(problems(262'144), std::vector<std::string>{});
  EXPECT_EQ(problems(262'145),
            std::vector<std::string>{
                "TooLong metadata.annotations: Too long: may not be more than 262144 bytes"});
}

// A body may contain a million mistakes.
TEST(MetadataRules, Problems_AreAtMostAsManyAsAStatusHolds) {
  for (const char* member : {"labels", "annotations"}) {
    json::Value metadata = json::Value::MakeObject({{"name", "a"}});
    for (int i = 0; i < 300; ++i) metadata.Ensure(member).Set("-" + std::to_string(i), "x");
    EXPECT_EQ(Problems({}, metadata).size(), kMaxCauses) << member;
  }
  json::Value finalizers = json::Value::MakeObject({{"name", "a"}});
  json::Value owners = finalizers;
  for (int i = 0; i < 300; ++i) {
    finalizers.Ensure("finalizers").Append("x" + std::to_string(i));
    owners.Ensure("ownerReferences").Append(json::Value::MakeObject());
  }
  EXPECT_EQ(Problems({}, finalizers).size(), kMaxCauses);
  EXPECT_EQ(Problems({}, owners).size(), kMaxCauses) << "four of each";
}

TEST(MetadataRules, Deletion_IsNotWritten) {
  const auto problems = [](std::string_view old, std::string_view metadata) {
    std::string texts;
    for (const StatusCause& cause :
         ValidateDeletion(yaml::Parse(old).OrExit(), yaml::Parse(metadata).OrExit())) {
      texts += cause.field + ": " + cause.message + "\n";
    }
    return texts;
  };
  constexpr std::string_view kBoth = "{deletionTimestamp: x, deletionGracePeriodSeconds: 1}";
  EXPECT_EQ(problems("{}", "{name: a}"), "");
  EXPECT_EQ(problems("{}", kBoth),
            "metadata.deletionTimestamp: Invalid value: \"x\": field is immutable\n"
            "metadata.deletionGracePeriodSeconds: Invalid value: 1: field is immutable\n");
  EXPECT_EQ(problems("{deletionTimestamp: y}", kBoth), "");
}

}  // namespace
}  // namespace kinformer::apiserver
