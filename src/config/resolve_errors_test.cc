// Entries that a context refers to and that do not exist, and configurations that are empty.

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "kinformer/client/clientcmd.h"

#include "config/kubeconfig.h"
#include "config/testing/config_text.h"
#include "config/testing/kubeconfig_texts.h"

namespace kinformer::internal::config {
namespace {

Result<Config> Resolved(const std::string& text, const ConfigOverrides& overrides = {},
                        const Surroundings& around = {}, const std::string& origin = {}) {
  return ResolveConfig(ParseKubeconfig(text, origin, "").OrExit(), overrides, around);
}

std::string Message(const std::string& text, const ConfigOverrides& overrides = {},
                    const Surroundings& around = {}, const std::string& origin = {}) {
  const auto got = Resolved(text, overrides, around, origin);
  return got ? Described(*got) : got.error().message();
}

// Contexts a, b, c … in a kubeconfig.
std::string Contexts(int count) {
  std::string out = "contexts: [";
  for (int i = 0; i < count; ++i)
    out += "{name: " + std::string(1, static_cast<char>('a' + i)) + "1},";
  return out + "]";
}

TEST(ResolveErrors, UnknownContext_ListsAtMost20) {
  const std::string head = "context \"x\" does not exist in the kubeconfig; ";
  const std::string most =
      "known contexts: a1, b1, c1, d1, e1, f1, g1, h1, i1, j1, k1, l1, m1, n1, o1, p1, q1, r1, s1, "
      "t1";
  EXPECT_EQ(Message(Contexts(0), {.context = "x"}), head + "there are no contexts");
  EXPECT_EQ(Message(Contexts(1), {.context = "x"}), head + "known contexts: a1");
  EXPECT_EQ(Message(Contexts(20), {.context = "x"}), head + most);
  EXPECT_EQ(Message(Contexts(21), {.context = "x"}), head + most + ", and 1 more");
  EXPECT_EQ(Message(Contexts(23), {.context = "x"}), head + most + ", and 3 more");
  EXPECT_EQ(Message("current-context: x\n" + Contexts(1), {}, {}, "/f"),
            "context \"x\" does not exist in /f; known contexts: a1");
}

TEST(ResolveErrors, PathAsContext_SaysWhereItBelongs) {
  EXPECT_EQ(Message(Contexts(1), {.context = "/no/file"}),
            "context \"/no/file\" does not exist in the kubeconfig; that is a path: {.kubeconfig = "
            "\"/no/file\"}, or --kubeconfig");
  EXPECT_EQ(Message("current-context: /no/file\n" + Contexts(1)),
            "context \"/no/file\" does not exist in the kubeconfig; known contexts: a1");
}

TEST(ResolveErrors, UnknownEntries_AreNamed) {
  const std::string text =
      "current-context: c\nclusters: [{name: k}]\nusers: []\n"
      "contexts: [{name: c, context: {cluster: gone, user: nobody}}]";
  const std::string cluster =
      "cluster \"gone\" does not exist in the kubeconfig; known clusters: k";
  const std::string user = "user \"nobody\" does not exist in the kubeconfig; there are no users";
  EXPECT_EQ(Message(text),
            "invalid configuration: context \"c\": " + cluster + "; context \"c\": " + user);
  EXPECT_EQ(Message(text, {.cluster = "gone"}), cluster);
  EXPECT_EQ(Message(text, {.cluster = "k", .user = "nobody"}), user);
  EXPECT_EQ(Message(text, {.cluster = "k"}), "invalid configuration: context \"c\": " + user);
  const auto got = Resolved(text);
  ASSERT_FALSE(got.ok());
  const std::vector<StatusCause>& causes = got.error().details().causes;
  ASSERT_EQ(causes.size(), 2U);
  EXPECT_EQ(causes[0].reason, "ConfigurationInvalid");
  EXPECT_EQ(causes[0].message, "context \"c\": " + cluster);
  EXPECT_EQ(causes[1].reason, "ConfigurationInvalid");
  EXPECT_EQ(causes[1].message, "context \"c\": " + user);
}

TEST(ResolveErrors, ContextWithoutCluster_NeedsAServer) {
  const std::string text = "current-context: c\ncontexts: [{name: c, context: {}}]";
  EXPECT_EQ(Message(text), "invalid configuration: context \"c\" names no cluster");
  EXPECT_EQ(Message(text, {.server = "https://s"}),
            "host=https://s namespace=default origin=context c of the kubeconfig");
  EXPECT_EQ(Message(text, {.server = "https://s"}, {}, "/f"),
            "host=https://s namespace=default origin=context c of /f");
}

TEST(ResolveErrors, SeveralProblems_AreAllNamedUsersFirst) {
  EXPECT_EQ(Message(OneUser("as-uid: '1'", "tls-server-name: x"), {.namespace_ = "A"}, {}, "/f"),
            "invalid configuration: user \"u\" of /f: as-uid, as-groups and as-user-extra need as; "
            "cluster \"k\" of /f: it has no server; set clusters[].cluster.server; namespace \"A\" "
            "is not a valid name: lower case letters, digits and '-', at most 63");
}

TEST(ResolveErrors, EmptyConfiguration_SaysWhatToDo) {
  const std::string advice = "set $KUBECONFIG, create ~/.kube/config, or give a server (--server)";
  const std::string none = "no configuration has been provided: ";
  EXPECT_EQ(Message(""), none + advice);
  EXPECT_EQ(Message("", {}, {}, "/f"), none + "/f has no contexts; " + advice);
  EXPECT_EQ(Message("contexts: [{name: a}]", {}, {}, "/f"),
            "/f has no current-context; choose one with --context; known contexts: a");
  EXPECT_EQ(Message("contexts: [{name: a}]"),
            "the kubeconfig has no current-context; choose one with --context; known contexts: a");
  for (const char* text : {"", "contexts: [{name: a}]"}) {
    EXPECT_TRUE(IsEmptyConfig(Resolved(text).error())) << text;
    EXPECT_FALSE(IsContextNotFound(Resolved(text).error())) << text;
  }
}

TEST(ResolveErrors, KubernetesMaster_ServesOnlyWithoutAnyCluster) {
  Surroundings around;
  around.environment["KUBERNETES_MASTER"] = "http://m:1";
  EXPECT_EQ(Message("", {}, around), "host=http://m:1 namespace=default");
  EXPECT_EQ(Message("", {}, around, "/f"), "host=http://m:1 namespace=default origin=/f");
  EXPECT_EQ(Message("", {.server = "http://s"}, around), "host=http://s namespace=default");
  EXPECT_EQ(Message(OneCluster(""), {}, around),
            "invalid configuration: cluster \"k\" of the kubeconfig: it has no server; set "
            "clusters[].cluster.server");
  EXPECT_EQ(Message("clusters: [{name: k, cluster: {server: http://k}}]", {.cluster = "k"}, around),
            "host=http://k namespace=default");
}

}  // namespace
}  // namespace kinformer::internal::config
