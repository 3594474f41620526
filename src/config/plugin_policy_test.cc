// Tests of the policy for credential plugins.

#include "config/plugin_policy.h"

#include <cstdlib>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <sys/stat.h>
#include <vector>

#include "kinformer/base/metrics.h"
#include "kinformer/base/simulation.h"
#include "kinformer/client/clientcmd.h"

#include "config/exec_plugin.h"
#include "config/testing/plugins.h"

namespace kinformer::internal::config {
namespace {

using ::testing::HasSubstr;

std::string Program(const Folder& folder, const std::string& name) {
  const std::string path = folder.Write(name, "#!/bin/sh\n" + EchoToken("t"));
  chmod(path.c_str(), 0700);
  return path;
}

// Puts a folder in front of PATH for the lifetime of this object.
class InPath {
 public:
  explicit InPath(const std::string& folder) : before_(getenv("PATH")) {
    setenv("PATH", (folder + ":" + before_).c_str(), 1);
  }
  ~InPath() { setenv("PATH", before_.c_str(), 1); }
  InPath(const InPath&) = delete;
  InPath& operator=(const InPath&) = delete;

 private:
  const std::string before_;
};

std::string Outcome(const ExecConfig& exec) {
  Simulation sim;
  const auto got = RunExecPlugin(sim.env(), exec, {});
  return got ? got->credentials.authorization : got.error().message();
}

TEST(PluginPolicy, DecidesBeforeAPluginRuns_EX12) {
  const Folder folder;
  const std::string path = Program(folder, "plugin-a");
  Program(folder, "plugin-b");
  std::filesystem::create_symlink(path, folder.path() + "/link");
  const InPath in_path(folder.path());
  const std::string ok = "Bearer t";
  const auto refused = [](const std::string& command, const std::string& list) {
    return "credential plugin " + command +
           ": is not run: it is not on the list of plugins that may run (" + list +
           "); if you trust it, add it there";
  };
  struct Row {
    std::string command;
    PluginPolicy policy;
    std::string want;
  };
  for (const Row& row : {
           Row{path, {}, ok},
           Row{path, {.policy_type = "AllowAll"}, ok},
           Row{path,
               {.policy_type = "DenyAll"},
               "credential plugin " + path + ": is not run: the plugin policy is DenyAll"},
           Row{path, {.policy_type = "Allowlist", .allowlist = {path}}, ok},
           Row{path, {.policy_type = "Allowlist", .allowlist = {"other", "plugin-a"}}, ok},
           Row{"plugin-a", {.policy_type = "Allowlist", .allowlist = {path}}, ok},
           Row{"plugin-a", {.policy_type = "Allowlist", .allowlist = {"plugin-a"}}, ok},
           Row{folder.path() + "/../" + std::filesystem::path(folder.path()).filename().string() +
                   "/plugin-a",
               {.policy_type = "Allowlist", .allowlist = {"plugin-a"}},
               ok},
           Row{"plugin-b",
               {.policy_type = "Allowlist", .allowlist = {"plugin-a", "x"}},
               refused("plugin-b", "plugin-a, x")},
           Row{"link",
               {.policy_type = "Allowlist", .allowlist = {"plugin-a"}},
               refused("link", "plugin-a")},
           Row{path, {.policy_type = "Allowlist", .allowlist = {"link"}}, refused(path, "link")},
           Row{path,
               {.policy_type = "Allowlist", .allowlist = {"/elsewhere/plugin-a"}},
               refused(path, "/elsewhere/plugin-a")},
       }) {
    EXPECT_EQ(Outcome({.command = row.command,
                       .api_version = kPluginVersion,
                       .interactive_mode = "Never",
                       .plugin_policy = row.policy}),
              row.want);
  }
}

TEST(PluginPolicy, CountsItsDecisions_EX12) {
  const Folder folder;
  const std::shared_ptr<TextMetrics> metrics = NewTextMetrics();
  Simulation sim({.seed = 1, .metrics = metrics});
  ExecConfig exec = ScriptPlugin(folder, EchoToken("t"));
  EXPECT_TRUE(RunExecPlugin(sim.env(), exec, {}).ok());
  exec.plugin_policy.policy_type = "DenyAll";
  EXPECT_FALSE(RunExecPlugin(sim.env(), exec, {}).ok());
  EXPECT_FALSE(RunExecPlugin(sim.env(), exec, {}).ok());
  const std::string text = metrics->Text();
  const std::string name = "rest_client_exec_plugin_policy_call_total{status=";
  EXPECT_THAT(text, HasSubstr(name + "\"allowed\"} 1\n"));
  EXPECT_THAT(text, HasSubstr(name + "\"denied\"} 2\n"));
  EXPECT_THAT(
      text,
      HasSubstr("rest_client_exec_plugin_call_total{code=\"0\",call_status=\"no_error\"} 1\n"));
}

TEST(PluginPolicy, Contradiction_IsAnErrorWhenTheConfigIsMade_EX12) {
  const std::string kubeconfig = OneUser(
      "exec: {command: c, apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never}");
  struct Row {
    PluginPolicy policy;
    std::string want;
  };
  for (const Row& row : {
           Row{{.policy_type = "Allowlist"},
               "plugin policy Allowlist has an empty list: add the names of plugins, or write "
               "DenyAll"},
           Row{{.policy_type = "Allowlist", .allowlist = {"a", ""}},
               "an entry of the list of plugins that may run is empty"},
           Row{{.policy_type = "DenyAll", .allowlist = {"a"}},
               "a list of plugins is given, but the policy is DenyAll: write Allowlist, or remove "
               "the list"},
           Row{{.allowlist = {"a"}},
               "a list of plugins is given, but the policy is AllowAll: write Allowlist, or remove "
               "the list"},
           Row{{.policy_type = "allowlist", .allowlist = {"a"}},
               "plugin policy \"allowlist\" is not known; it is AllowAll, DenyAll or Allowlist"},
       }) {
    const auto got = Config::FromKubeconfig(kubeconfig, "", {.plugin_policy = row.policy});
    ASSERT_FALSE(got.ok()) << row.want;
    EXPECT_EQ(got.error().message(), "credential plugin c: " + row.want);
    Config config = Config::FromKubeconfig(kubeconfig).OrExit();
    config.exec->plugin_policy = row.policy;
    const auto options = TransportOptionsFor(config);
    ASSERT_FALSE(options.ok()) << row.want;
    EXPECT_EQ(options.error().message(), "credential plugin c: " + row.want);
  }
  const auto got =
      Config::FromKubeconfig(kubeconfig, "", {.plugin_policy = {.policy_type = "DenyAll"}});
  EXPECT_EQ(got->exec->plugin_policy.policy_type, "DenyAll");
  EXPECT_TRUE(
      Config::FromKubeconfig(OneUser("token: t"), "", {.plugin_policy = {.policy_type = "DenyAll"}})
          .ok())
      << "there is no plugin";
}

TEST(LoadPluginPolicy, ReadsAKuberc_EX12) {
  const Folder folder;
  const auto read = [&](const std::string& text) {
    return clientcmd::LoadPluginPolicy(folder.Write("kuberc", text));
  };
  const auto got = read(
      "apiVersion: kubectl.config.k8s.io/v1beta1\nkind: Preference\n"
      "credentialPluginPolicy: Allowlist\ncredentialPluginAllowlist:\n- name: aws\n"
      "- command: /bin/x\n");
  ASSERT_TRUE(got.ok()) << got.error();
  EXPECT_EQ(got->policy_type, "Allowlist");
  EXPECT_EQ(got->allowlist, (std::vector<std::string>{"aws", "/bin/x"}));
  for (const char* text : {"", "kind: Preference\n"}) {
    EXPECT_EQ(read(text)->policy_type, "");
    EXPECT_TRUE(read(text)->allowlist.empty());
  }
  EXPECT_EQ(clientcmd::LoadPluginPolicy("/nonexistent/kuberc")->policy_type, "");
  const std::string path = folder.path() + "/kuberc: ";
  EXPECT_EQ(read("credentialPluginPolicy: 1").error().message(),
            path + "credentialPluginPolicy: is no text");
  EXPECT_EQ(read("credentialPluginAllowlist: 1").error().message(),
            path + "credentialPluginAllowlist: is no list");
  EXPECT_EQ(read("credentialPluginAllowlist: [a]").error().message(),
            path + "credentialPluginAllowlist: an entry has no name");
  EXPECT_EQ(clientcmd::LoadPluginPolicy(folder.path()).error().message(),
            "cannot read kuberc " + folder.path() + ": it is a directory, not a regular file");
}

TEST(LookPath, SearchesAbsoluteFoldersForPrograms) {
  const Folder folder;
  const std::string one = Program(folder, "one/p");
  const std::string two = Program(folder, "two/p");
  folder.Write("three/q", "no program");
  const std::string& dir = folder.path();
  EXPECT_EQ(LookPath("p", dir + "/none:" + dir + "/two:" + dir + "/one"), two);
  EXPECT_EQ(LookPath("p", ":" + dir + "/one"), one);
  EXPECT_EQ(LookPath("p", ""), "");
  EXPECT_EQ(LookPath("", dir + "/one"), "");
  EXPECT_EQ(LookPath("q", dir + "/three"), "");
  EXPECT_EQ(LookPath("one", dir), "") << "a folder";
  EXPECT_EQ(LookPath(one, ""), one);
  EXPECT_EQ(LookPath(dir + "/two/../one/p", ""), one);
  EXPECT_EQ(LookPath(dir + "/p", ""), "");
}

}  // namespace
}  // namespace kinformer::internal::config
