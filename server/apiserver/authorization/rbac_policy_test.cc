// RbacPolicy: which bindings apply to whom, while roles and bindings come, change and go.

#include "apiserver/authorization/rbac_policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

namespace kinformer::apiserver {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

json::Value Binding(std::string_view namespace_, std::string_view name, std::string_view kind,
                    std::string_view role, std::string_view subjects) {
  std::string text = R"({"metadata":{"name":")" + std::string(name) + R"(","namespace":")" +
                     std::string(namespace_) + R"("},"subjects":[)" + std::string(subjects) +
                     R"(],"roleRef":{"kind":")" + std::string(kind) + R"(","name":")" +
                     std::string(role) + R"("}})";
  return json::Parse(text).OrExit();
}

json::Value Role(std::string_view namespace_, std::string_view name) {
  return json::Parse(R"({"metadata":{"name":")" + std::string(name) + R"(","namespace":")" +
                     std::string(namespace_) + R"("},"rules":[{"verbs":["get"]}]})")
      .OrExit();
}

// Returns the bindings that apply; one with a missing role ends with "?".
std::vector<std::string> Applying(const RbacPolicy& policy, const UserInfo& user,
                                  std::string_view namespace_) {
  std::vector<std::string> out;
  policy.ForEach(user, namespace_, [&](const RbacPolicy::Grant& grant, const PolicyRules* rules) {
    out.push_back(grant.Text() + (rules == nullptr ? "?" : ""));
    return true;
  });
  return out;
}

constexpr std::string_view kJane = R"({"kind":"User","name":"jane"})";
constexpr std::string_view kDev = R"({"kind":"Group","name":"dev"})";

TEST(RbacPolicy, Subjects_AreUsersGroupsAndServiceAccounts) {
  RbacPolicy policy;
  policy.Put("clusterroles", Role("", "reader"));
  policy.Put("roles", Role("a", "writer"));
  policy.Put("clusterrolebindings", Binding("", "z", "ClusterRole", "reader",
                                            std::string(kDev) + "," + std::string(kJane)));
  policy.Put("clusterrolebindings", Binding("", "gone", "ClusterRole", "none", kJane));
  policy.Put("rolebindings", Binding("a", "w", "Role", "writer", kJane));
  policy.Put("rolebindings", Binding("b", "w", "Role", "writer", kJane));
  policy.Put("rolebindings", Binding("a", "sa", "ClusterRole", "reader",
                                     R"({"kind":"ServiceAccount","name":"bot"},)"
                                     R"({"kind":"ServiceAccount","name":"far","namespace":"b"})"));
  const UserInfo jane{.name = "jane", .groups = {"dev"}};
  // One of each binding, all namespaces first.
  EXPECT_THAT(Applying(policy, jane, "a"),
              ElementsAre(R"(ClusterRoleBinding "gone" of ClusterRole "none" to User "jane"?)",
                          R"(ClusterRoleBinding "z" of ClusterRole "reader" to Group "dev")",
                          R"(RoleBinding "w/a" of Role "writer" to User "jane")"));
  EXPECT_THAT(Applying(policy, jane, ""), ::testing::SizeIs(2));
  EXPECT_THAT(Applying(policy, jane, "b"),
              ::testing::Contains(R"(RoleBinding "w/b" of Role "writer" to User "jane"?)"));
  EXPECT_THAT(Applying(policy, {.name = "joe", .groups = {"dev"}}, "a"),
              ElementsAre(R"(ClusterRoleBinding "z" of ClusterRole "reader" to Group "dev")"));
  EXPECT_THAT(Applying(policy, {.name = "dev"}, "a"), IsEmpty());
  EXPECT_THAT(
      Applying(policy, {.name = "system:serviceaccount:a:bot"}, "a"),
      ElementsAre(R"(RoleBinding "sa/a" of ClusterRole "reader" to ServiceAccount "bot/a")"));
  EXPECT_THAT(Applying(policy, {.name = "system:serviceaccount:b:far"}, "a"), ::testing::SizeIs(1));
  EXPECT_THAT(Applying(policy, {.name = "system:serviceaccount:a:far"}, "a"), IsEmpty());
}

TEST(RbacPolicy, BindingOfSeveralSubjects_AppliesByItsFirst) {
  RbacPolicy policy;
  policy.Put("roles", Role("a", "r"));
  policy.Put("rolebindings",
             Binding("a", "x", "Role", "r", std::string(kDev) + "," + std::string(kJane)));
  const UserInfo jane{.name = "jane", .groups = {"other", "dev"}};
  EXPECT_THAT(Applying(policy, jane, "a"),
              ElementsAre(R"(RoleBinding "x/a" of Role "r" to Group "dev")"));
  policy.Put("rolebindings",
             Binding("a", "x", "Role", "r", std::string(kJane) + "," + std::string(kDev)));
  EXPECT_THAT(Applying(policy, jane, "a"),
              ElementsAre(R"(RoleBinding "x/a" of Role "r" to User "jane")"));
}

TEST(RbacPolicy, Changes_TakeThePlaceOfWhatWas) {
  RbacPolicy policy;
  const UserInfo jane{.name = "jane"};
  const UserInfo joe{.name = "joe", .groups = {"dev"}};
  policy.Put("rolebindings", Binding("a", "w", "Role", "writer", kJane));
  EXPECT_THAT(Applying(policy, jane, "a"),
              ElementsAre(R"(RoleBinding "w/a" of Role "writer" to User "jane"?)"));
  policy.Put("roles", Role("a", "writer"));
  EXPECT_THAT(Applying(policy, jane, "a"),
              ElementsAre(R"(RoleBinding "w/a" of Role "writer" to User "jane")"));
  policy.Put("rolebindings", Binding("a", "w", "Role", "writer", kDev));
  EXPECT_THAT(Applying(policy, jane, "a"), IsEmpty());
  EXPECT_THAT(Applying(policy, joe, "a"), ::testing::SizeIs(1));
  // A binding of the same name for all namespaces, and another resource, are others.
  policy.Remove("clusterrolebindings", "", "w");
  policy.Remove("pods", "a", "w");
  EXPECT_THAT(Applying(policy, joe, "a"), ::testing::SizeIs(1));
  policy.Remove("roles", "a", "writer");
  EXPECT_THAT(Applying(policy, joe, "a"),
              ElementsAre(R"(RoleBinding "w/a" of Role "writer" to Group "dev"?)"));
  policy.Remove("rolebindings", "a", "w");
  policy.Remove("rolebindings", "a", "w");
  EXPECT_THAT(Applying(policy, joe, "a"), IsEmpty());
}

}  // namespace
}  // namespace kinformer::apiserver
