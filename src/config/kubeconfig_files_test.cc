// Sources of the configuration: one or several kubeconfig files, and the service account of a pod.
// Ids are those of the conformance catalogue.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "kinformer/client/clientcmd.h"

#include "config/kubeconfig.h"
#include "config/path_hint.h"
#include "config/testing/kubeconfig_texts.h"

namespace kinformer {
namespace {

using internal::config::Surroundings;
using ::testing::AllOf;
using ::testing::HasSubstr;

Surroundings With(const Folder& folder, const std::string& list = {}) {
  Surroundings out;
  out.home = folder.path();
  out.service_account_dir = folder.path() + "/sa";
  if (!list.empty()) out.environment["KUBECONFIG"] = list;
  return out;
}

TEST(KubeconfigFiles, PathsThatNameNothing_SayWhatIsWrongWithThem) {
  const Folder folder;
  const auto load = [&](const ConfigOverrides& overrides, const std::string& list) {
    return internal::config::LoadDefaultConfig(overrides, With(folder, list)).error().message();
  };
  EXPECT_THAT(load({.kubeconfig = "~/kinformer-no-such-file"}, ""),
              HasSubstr("the shell left ~ as it is: write $HOME/kinformer-no-such-file"));
  EXPECT_THAT(load({}, "~/kinformer-no-such-file"),
              AllOf(HasSubstr("$KUBECONFIG names no file that exists"),
                    HasSubstr("the shell left ~ as it is: write $HOME/kinformer-no-such-file")));
  EXPECT_THAT(load({}, "/no/a,/no/b"), HasSubstr("(/no/a,/no/b; a colon separates files)"));
  const std::string file = folder.Write("kc", OneCluster("server: https://s"));
  EXPECT_THAT(load({file}, file), HasSubstr("that is a path: {.kubeconfig = \"" + file + "\"}"));
  EXPECT_THAT(load({"other"}, file), HasSubstr("known contexts: "));
  const std::string home = folder.Write("ca", OneCluster("server: https://s, "
                                                         "certificate-authority: ~/ca.crt"));
  EXPECT_THAT(load({}, home), HasSubstr("~ is no home directory in a file: write the whole path"));
}

TEST(KubeconfigFiles, PathsAreRelativeToTheirOwnFile_KC15) {
  const Folder folder;
  folder.Write("a/ca.crt", "x");
  folder.Write("a/token", "tok\n");
  const std::string path = folder.Write(
      "a/config",
      OneUser(
          "tokenFile: token, exec: {command: ./bin/plug, apiVersion: v, interactiveMode: Never}",
          "server: https://s, certificate-authority: ca.crt"));
  const auto got = Config::FromKubeconfigFile(path);
  ASSERT_TRUE(got.ok()) << got.error();
  EXPECT_EQ(got->tls.ca_file, folder.path() + "/a/ca.crt");
  EXPECT_EQ(got->bearer_token_file, folder.path() + "/a/token");
  EXPECT_EQ(got->bearer_token, "tok\n") << "KC-29: taken as it is";
  EXPECT_EQ(got->exec->command, folder.path() + "/a/bin/plug");
}

TEST(KubeconfigFiles, ALiteralTokenIsTheValueAndTheFileIsKept_KC30) {
  const Folder folder;
  const std::string path = folder.Write("config", OneUser("token: literal, tokenFile: token"));
  const auto got = Config::FromKubeconfigFile(path);
  ASSERT_TRUE(got.ok()) << got.error();
  EXPECT_EQ(got->bearer_token, "literal");
  EXPECT_EQ(got->bearer_token_file, folder.path() + "/token");
}

TEST(KubeconfigFiles, TheFirstFileWinsEntryByEntry_KC18KC08) {
  const Folder folder;
  const std::string a = folder.Write("a", R"(
current-context: one
clusters: [{name: k, cluster: {server: https://a}}]
contexts: [{name: one, context: {cluster: k, user: u}}]
)");
  const std::string b = folder.Write("b", R"(
current-context: two
clusters: [{name: k, cluster: {server: https://b, tls-server-name: lost}},
           {name: l, cluster: {server: https://l}}]
users: [{name: u, user: {token: t}}]
contexts: [{name: two, context: {cluster: l, user: u}}]
)");
  const std::string list = a + "::" + folder.path() + "/missing:" + b + ":" + a;
  auto got = internal::config::LoadDefaultConfig({}, With(folder, list));
  ASSERT_TRUE(got.ok()) << got.error();
  EXPECT_EQ(got->host, "https://a");
  EXPECT_EQ(got->tls.server_name, "");
  EXPECT_EQ(got->bearer_token, "t");
  got = internal::config::LoadDefaultConfig({.context = "two"}, With(folder, list));
  ASSERT_TRUE(got.ok()) << got.error();
  EXPECT_EQ(got->host, "https://l");
}

TEST(KubeconfigFiles, SplitPathList_KC09) {
  EXPECT_EQ(internal::config::SplitPathList("/a::/b:/a:/c:"),
            (std::vector<std::string>{"/a", "/b", "/c"}));
  EXPECT_TRUE(internal::config::SplitPathList("").empty());
}

TEST(KubeconfigFiles, ExplicitFile_BeatsEnvironmentAndHome_KC10KC03) {
  const Folder folder;
  folder.Write(".kube/config", OneCluster("server: https://home"));
  const std::string other = folder.Write("other", OneCluster("server: https://other"));
  EXPECT_EQ(internal::config::LoadDefaultConfig({}, With(folder))->host, "https://home");
  EXPECT_EQ(internal::config::LoadDefaultConfig({}, With(folder, other))->host, "https://other");
  EXPECT_EQ(internal::config::LoadDefaultConfig({.kubeconfig = other}, With(folder))->host,
            "https://other");
  const auto missing =
      internal::config::LoadDefaultConfig({.kubeconfig = folder.path() + "/no"}, With(folder));
  ASSERT_FALSE(missing.ok());
  EXPECT_THAT(missing.error().message(),
              AllOf(HasSubstr(folder.path() + "/no"), HasSubstr("No such file")));
}

TEST(KubeconfigFiles, MissingFilesOfAListAreNoConfiguration_KC04KC05) {
  const Folder folder;
  const auto got = internal::config::LoadDefaultConfig({}, With(folder, folder.path() + "/x"));
  ASSERT_FALSE(got.ok());
  EXPECT_TRUE(IsEmptyConfig(got.error()));
  EXPECT_THAT(got.error().message(), HasSubstr(folder.path() + "/x"));
}

TEST(KubeconfigFiles, BadFilesAreNamed_KC06KC07) {
  const Folder folder;
  const std::string bad = folder.Write("bad", "a: b\nclusters: [\n");
  auto got = internal::config::LoadDefaultConfig({}, With(folder, bad));
  ASSERT_FALSE(got.ok());
  EXPECT_THAT(got.error().message(), AllOf(HasSubstr(bad + ":"), HasSubstr("line")));
  got = internal::config::LoadDefaultConfig({}, With(folder, bad + "/config"));
  ASSERT_FALSE(got.ok());
  EXPECT_THAT(got.error().message(), HasSubstr(bad + "/config"));
  EXPECT_FALSE(IsEmptyConfig(got.error()));
  got = Config::FromKubeconfigFile(folder.path());
  ASSERT_FALSE(got.ok());
  EXPECT_THAT(got.error().message(), HasSubstr("directory"));
}

TEST(KubeconfigFiles, HomeOfProcess_ComesFromEnvironmentElseSystem) {
  const char* const home = getenv("HOME");
  const std::string before = home == nullptr ? "" : home;
  setenv("HOME", "/somewhere/else", 1);
  EXPECT_EQ(Surroundings::OfProcess().home, "/somewhere/else");
  unsetenv("HOME");
  EXPECT_NE(Surroundings::OfProcess().home, "/somewhere/else") << "the user's, as the system says";
  if (home != nullptr) setenv("HOME", before.c_str(), 1);
}

TEST(KubeconfigFiles, KubernetesMasterServesWhenNothingElseDoes_KC32) {
  const Folder folder;
  Surroundings around = With(folder);
  around.environment["KUBERNETES_MASTER"] = "http://master:1";
  EXPECT_EQ(internal::config::LoadDefaultConfig({}, around)->host, "http://master:1");
  folder.Write(".kube/config", OneCluster("server: https://home"));
  EXPECT_EQ(internal::config::LoadDefaultConfig({}, around)->host, "https://home");
}

// ---- in a pod

Surroundings InPod(const Folder& folder) {
  folder.Write("sa/token", "pod-token\n");
  folder.Write("sa/ca.crt", "ca");
  folder.Write("sa/namespace", "pod-ns\n");
  Surroundings out = With(folder);
  out.environment["KUBERNETES_SERVICE_HOST"] = "fd00::1";
  out.environment["KUBERNETES_SERVICE_PORT"] = "443";
  return out;
}

TEST(InCluster, TheServiceAccountServesWhenNothingElseDoes_KC38KC42KC43) {
  const Folder folder;
  Surroundings around = InPod(folder);
  auto got = internal::config::LoadDefaultConfig({}, around);
  ASSERT_TRUE(got.ok()) << got.error();
  EXPECT_EQ(got->host, "https://[fd00::1]:443");
  EXPECT_EQ(got->bearer_token, "pod-token");
  EXPECT_EQ(got->bearer_token_file, folder.path() + "/sa/token");
  EXPECT_EQ(got->tls.ca_file, folder.path() + "/sa/ca.crt");
  EXPECT_EQ(got->namespace_, "pod-ns");
  around.environment["POD_NAMESPACE"] = "from-env";
  EXPECT_EQ(internal::config::LoadDefaultConfig({}, around)->namespace_, "from-env");
}

TEST(InCluster, Kubeconfig_BeatsServiceAccount_KC39KC41) {
  const Folder folder;
  const Surroundings around = InPod(folder);
  folder.Write(".kube/config", OneCluster("server: https://file"));
  EXPECT_EQ(internal::config::LoadDefaultConfig({}, around)->host, "https://file");
  folder.Write(".kube/config", "clusters: [{name: a}, {name: a}]");
  EXPECT_FALSE(internal::config::LoadDefaultConfig({}, around).ok())
      << "a broken file is not passed over";
}

TEST(InCluster, Overrides_BeatServiceAccount_KC44) {
  const Folder folder;
  const Surroundings around = InPod(folder);
  const auto got = internal::config::InClusterConfig(
      {.server = "https://o", .certificate_authority = "/o/ca", .token = "t"}, around);
  ASSERT_TRUE(got.ok());
  EXPECT_EQ(got->host, "https://o");
  EXPECT_EQ(got->bearer_token, "t");
  EXPECT_EQ(got->bearer_token_file, "");
  EXPECT_EQ(got->tls.ca_file, "/o/ca");
}

TEST(InCluster, ImpersonationAndTimeout_ApplyInCluster) {
  const Folder folder;
  const auto got = internal::config::InClusterConfig(
      {.timeout = "30", .impersonate = {.user_name = "jane", .groups = {"dev"}}}, InPod(folder));
  ASSERT_TRUE(got.ok()) << got.error();
  EXPECT_EQ(got->impersonate.user_name, "jane");
  EXPECT_EQ(got->impersonate.groups, std::vector<std::string>{"dev"});
  EXPECT_EQ(got->timeout, std::chrono::seconds(30));
  EXPECT_FALSE(
      internal::config::InClusterConfig({.impersonate = {.groups = {"dev"}}}, InPod(folder)).ok());
}

TEST(InCluster, ErrorsSayWhatIsMissing) {
  const Folder folder;
  EXPECT_THAT(internal::config::InClusterConfig({}, With(folder)).error().message(),
              HasSubstr("KUBERNETES_SERVICE_HOST"));
  Surroundings around = InPod(folder);
  std::filesystem::remove(folder.path() + "/sa/token");
  EXPECT_FALSE(internal::config::InClusterPossible(around));
  EXPECT_THAT(internal::config::InClusterConfig({}, around).error().message(),
              HasSubstr(folder.path() + "/sa/token"));
}

}  // namespace
}  // namespace kinformer
