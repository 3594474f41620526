// The environment's part in a configuration: files, homes, and service accounts of pods.

#include <filesystem>
#include <gtest/gtest.h>
#include <pwd.h>
#include <string>
#include <unistd.h>
#include <utility>

#include "kinformer/client/clientcmd.h"

#include "config/kubeconfig.h"
#include "config/testing/config_text.h"
#include "config/testing/kubeconfig_texts.h"

namespace kinformer::internal::config {
namespace {

// Sets a variable of the environment, or removes it, for the lifetime of this object.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    const char* const before = getenv(name);
    if (before != nullptr) before_ = before;
    Set(value);
  }
  ~Variable() { Set(before_ ? before_->c_str() : nullptr); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  void Set(const char* value) {
    if (value != nullptr) {
      setenv(name_, value, 1);
    } else {
      unsetenv(name_);
    }
  }

  const char* const name_;
  std::optional<std::string> before_;
};

Surroundings In(const Folder& folder) {
  Surroundings out;
  out.home = folder.path();
  out.service_account_dir = folder.path() + "/sa";
  return out;
}

Surroundings InPod(const Folder& folder) {
  static_cast<void>(folder.Write("sa/token", "pod-token"));
  Surroundings out = In(folder);
  out.environment["KUBERNETES_SERVICE_HOST"] = "10.0.0.1";
  out.environment["KUBERNETES_SERVICE_PORT"] = "443";
  return out;
}

std::string Text(const Result<Config>& got) {
  return got ? Described(*got) : got.error().message();
}

TEST(SurroundingsOfProcess, HaveItsEnvironmentAndHome) {
  const Variable set("KINFORMER_LOADING_TEST", "a=b");
  const Variable empty("KINFORMER_LOADING_EMPTY", "");
  const Variable home("HOME", "/somewhere/else");
  const Surroundings around = Surroundings::OfProcess();
  EXPECT_EQ(around.Variable("KINFORMER_LOADING_TEST"), "a=b");
  EXPECT_EQ(around.environment.count("KINFORMER_LOADING_EMPTY"), 1U);
  EXPECT_EQ(around.Variable("KINFORMER_LOADING_NONE"), "");
  EXPECT_EQ(around.home, "/somewhere/else");
  EXPECT_EQ(around.service_account_dir, "/var/run/secrets/kubernetes.io/serviceaccount");
}

TEST(SurroundingsOfProcess, WithoutHome_HaveThatOfTheUser) {
  const passwd* const user = getpwuid(getuid());
  const std::string want = user == nullptr ? "" : user->pw_dir;
  const Variable none("HOME", nullptr);
  EXPECT_EQ(Surroundings::OfProcess().home, want);
  const Variable empty("HOME", "");
  EXPECT_EQ(Surroundings::OfProcess().home, want);
}

TEST(InClusterPossible, NeedsHostPortAndToken_RC12) {
  const Folder folder;
  EXPECT_TRUE(InClusterPossible(InPod(folder)));
  for (const char* name : {"KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT"}) {
    Surroundings around = InPod(folder);
    around.environment.erase(name);
    EXPECT_FALSE(InClusterPossible(around)) << name;
    EXPECT_EQ(InClusterConfig({}, around).error().message(),
              "not in a cluster: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set");
  }
  Surroundings around = InPod(folder);
  around.service_account_dir = "/nonexistent";
  EXPECT_FALSE(InClusterPossible(around));
  EXPECT_EQ(InClusterConfig({}, around).error().message(),
            "cannot read the service account's token /nonexistent/token: No such file or "
            "directory");
}

TEST(InClusterConfig, ReadsTheServiceAccount_RC12) {
  const Folder folder;
  const Surroundings around = InPod(folder);
  const std::string dir = folder.path() + "/sa";
  const std::string token = "token=pod-token token-file=" + dir + "/token";
  const std::string origin = " origin=the pod's service account";
  EXPECT_EQ(Text(InClusterConfig({}, around)),
            "host=https://10.0.0.1:443 namespace=default " + token + origin)
      << "the system's certificates serve";
  static_cast<void>(folder.Write("sa/ca.crt", "ca"));
  const std::string all = " ca-file=" + dir + "/ca.crt " + token + origin;
  const std::string host = "host=https://10.0.0.1:443 namespace=";
  EXPECT_EQ(Text(InClusterConfig({}, around)), host + "default" + all);
  const std::pair<const char*, const char*> namespaces[] = {
      {"", "default"}, {" \n", "default"}, {"team", "team"}, {" \t team \r\n", "team"}, {"t", "t"},
  };
  for (const auto& [text, want] : namespaces) {
    static_cast<void>(folder.Write("sa/namespace", text));
    EXPECT_EQ(Text(InClusterConfig({}, around)), host + want + all) << text;
  }
  EXPECT_EQ(Text(InClusterConfig({.namespace_ = "over"}, around)), host + "over" + all);
  Surroundings named = around;
  named.environment["POD_NAMESPACE"] = "var";
  EXPECT_EQ(Text(InClusterConfig({}, named)), host + "var" + all);
  EXPECT_EQ(Text(InClusterConfig({.namespace_ = "over"}, named)), host + "over" + all);
  named.environment["KUBERNETES_SERVICE_HOST"] = "fd00::1";
  EXPECT_EQ(Text(InClusterConfig({}, named)), "host=https://[fd00::1]:443 namespace=var" + all);
}

TEST(InClusterConfig, TokenIsTrimmed) {
  const Folder folder;
  const Surroundings around = InPod(folder);
  const std::pair<const char*, const char*> rows[] = {
      {"a", "a"}, {"a\n", "a"}, {"\r\n\t a b \t\r\n", "a b"}, {" a", "a"}, {"", ""},
      {"\n", ""}, {"  ", ""},
  };
  for (const auto& [text, want] : rows) {
    static_cast<void>(folder.Write("sa/token", text));
    EXPECT_EQ(InClusterConfig({}, around)->bearer_token, want);
  }
}

TEST(InClusterConfig, OverridesApply) {
  const Folder folder;
  const Surroundings around = InPod(folder);
  const std::string host = "host=https://10.0.0.1:443 namespace=default ";
  const std::string token = "token=pod-token token-file=" + folder.path() + "/sa/token";
  const std::string origin = " origin=the pod's service account";
  EXPECT_EQ(Text(InClusterConfig({.server = "https://s"}, around)),
            "host=https://s namespace=default " + token + origin);
  EXPECT_EQ(Text(InClusterConfig({.token = "t"}, around)), host + "token=t" + origin);
  EXPECT_EQ(Text(InClusterConfig({.certificate_authority = "/ca"}, around)),
            host + "ca-file=/ca " + token + origin);
  EXPECT_EQ(Text(InClusterConfig({.timeout = "2"}, around)),
            host + token + " timeout-ms=2000" + origin);
  EXPECT_EQ(Text(InClusterConfig({.timeout = "x"}, around)),
            "request timeout \"x\" is not a duration; examples: 0, 30, 90s, 1m30s");
  EXPECT_EQ(
      Text(InClusterConfig(
          {.impersonate = {.user_name = "a", .uid = "1", .groups = {"g"}, .extra = {{"k", {"v"}}}}},
          around)),
      host + token + " as=a uid=1 group=g extra-k=v" + origin);
  for (const ImpersonationConfig& as :
       {ImpersonationConfig{.uid = "1"}, ImpersonationConfig{.groups = {"g"}},
        ImpersonationConfig{.extra = {{"k", {"v"}}}}}) {
    EXPECT_EQ(Text(InClusterConfig({.impersonate = as}, around)),
              "in a cluster: as-uid, as-groups and as-user-extra need as");
  }
}

TEST(LoadDefaultConfig, TakesTheFirstSourceThatIsThere) {
  const Folder folder;
  const std::string file = folder.Write("file", OneCluster("server: https://file"));
  const std::string none = folder.Write("none", "kind: Config");
  const auto host = [](const ConfigOverrides& overrides, const Surroundings& around) {
    const auto got = LoadDefaultConfig(overrides, around);
    return got ? got->host : got.error().message();
  };
  const std::string advice = "set $KUBECONFIG, create ~/.kube/config, or give a server (--server)";
  Surroundings outside = In(folder);
  EXPECT_EQ(host({}, outside), "no configuration has been provided: " + advice);
  EXPECT_EQ(host({.server = "https://s"}, outside), "https://s");
  outside.environment["KUBECONFIG"] = folder.path() + "/a:" + folder.path() + "/b";
  EXPECT_EQ(host({}, outside), "$KUBECONFIG names no file that exists (" + folder.path() +
                                   "/a:" + folder.path() +
                                   "/b): no configuration has been provided: " + advice);
  outside.environment["KUBECONFIG"] = none;
  EXPECT_EQ(host({}, outside),
            "no configuration has been provided: " + none + " has no contexts; " + advice);
  EXPECT_EQ(host({.kubeconfig = none}, In(folder)),
            "no configuration has been provided: " + none + " has no contexts; " + advice);
  EXPECT_EQ(host({.kubeconfig = file}, outside), "https://file");
  outside.home.clear();
  outside.environment.clear();
  EXPECT_EQ(host({}, outside), "no configuration has been provided: " + advice);

  Surroundings pod = InPod(folder);
  EXPECT_EQ(host({}, pod), "https://10.0.0.1:443");
  EXPECT_EQ(host({.kubeconfig = none}, pod),
            "no configuration has been provided: " + none + " has no contexts; " + advice)
      << "a file that is named must serve";
  pod.environment["KUBECONFIG"] = folder.path() + "/a";
  EXPECT_EQ(host({}, pod), "https://10.0.0.1:443");
  EXPECT_EQ(host({.context = "x"}, pod),
            "context \"x\" does not exist in the kubeconfig; there are no contexts");
  static_cast<void>(folder.Write(".kube/config", OneCluster("server: https://home")));
  EXPECT_EQ(host({}, pod), "https://10.0.0.1:443") << "$KUBECONFIG replaces the home's";
  pod.environment.erase("KUBECONFIG");
  EXPECT_EQ(host({}, pod), "https://home");
}

// As in client-go, which asks it before any file.
TEST(ConfigFromFlags, WithoutFlags_ServiceAccountBeatsFiles) {
  const Folder folder;
  Surroundings pod = InPod(folder);
  pod.environment["KUBECONFIG"] = folder.Write("file", OneCluster("server: https://file"));
  const std::string other = folder.Write("other", OneCluster("server: https://other"));
  EXPECT_EQ(ConfigFromFlags("", "", pod)->host, "https://10.0.0.1:443");
  EXPECT_EQ(ConfigFromFlags("https://m", "", pod)->host, "https://m");
  EXPECT_EQ(ConfigFromFlags("", other, pod)->host, "https://other");
  EXPECT_EQ(ConfigFromFlags("https://m", other, pod)->host, "https://m");
  pod.environment.erase("KUBERNETES_SERVICE_HOST");
  EXPECT_EQ(ConfigFromFlags("", "", pod)->host, "https://file");
}

TEST(BuildConfigFromFlags, WithoutFlags_IsTheDefault) {
  const Folder folder;
  const std::string file = folder.Write("file", OneCluster("server: https://file"));
  const Variable list("KUBECONFIG", file.c_str());
  const Variable host("KUBERNETES_SERVICE_HOST", nullptr);
  EXPECT_EQ(clientcmd::BuildConfigFromFlags("", "")->host, "https://file");
  EXPECT_EQ(clientcmd::BuildConfigFromFlags("https://m", "")->host, "https://m");
  const std::string other = folder.Write("other", OneCluster("server: https://other"));
  EXPECT_EQ(clientcmd::BuildConfigFromFlags("", other)->host, "https://other");
  EXPECT_EQ(clientcmd::BuildConfigFromFlags("https://m", other)->host, "https://m");
  EXPECT_EQ(Config::LoadDefault()->host, "https://file");
  EXPECT_EQ(Config::LoadDefault({.server = "https://o"})->host, "https://o");
  EXPECT_EQ(Config::FromKubeconfigFile(other, {.server = "https://o"})->host, "https://o");
  EXPECT_EQ(Config::FromKubeconfig(OneUser(""), "", {.server = "https://o"})->host, "https://o");
}

}  // namespace
}  // namespace kinformer::internal::config
