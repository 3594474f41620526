// Kubeconfigs that are changed and written back.

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <sys/stat.h>

#include "kinformer/client/clientcmd.h"

#include "config/file_change.h"
#include "config/kubeconfig.h"
#include "config/testing/kubeconfig_texts.h"

namespace kinformer::clientcmd {
namespace {

using ::testing::HasSubstr;

std::string Read(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

unsigned ModeOf(const std::string& path) {
  struct stat about{};
  return stat(path.c_str(), &about) == 0 ? about.st_mode & 07777U : 0U;
}

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

template <class T>
std::string MessageOf(const Result<T>& got) {
  return got.ok() ? "ok" : got.error().message();
}

constexpr char kText[] = R"(# Mine.
apiVersion: v1
kind: Config
current-context: a
vendor: kept
clusters:
- name: k # near
  cluster:
    server: https://s
    certificate-authority: certs/../ca.crt
    vendor.io/x: [1, 2]
users:
- name: u
  user:
    client-certificate: ../c.crt
    client-key: /keys/c.key
    # Short.
    token: t
contexts:
- name: a
  context: {cluster: k, user: u}
)";

TEST(WriteToFile, ChangesOnlyWhatDiffers_KC11) {
  const Folder folder;
  const std::string path = folder.Write("config", kText);
  clientcmdapi::Config config = LoadFromFile(path).OrExit();
  WriteToFile(config, path).OrExit();
  EXPECT_EQ(Read(path), kText);
  config.current_context = "b";
  config.auth_infos["u"].token = "new";
  config.clusters["k"].tls_server_name = "name";
  config.contexts["b"] = {.cluster = "k", .auth_info = "u"};
  WriteToFile(config, path).OrExit();
  std::string want = Replaced(kText, "current-context: a", "current-context: b");
  want = Replaced(want, "token: t", "token: new");
  want = Replaced(want, "[1, 2]\n", "[1, 2]\n    tls-server-name: name\n");
  want += "- context:\n    cluster: k\n    user: u\n  name: b\n";
  EXPECT_EQ(Read(path), want);
  config.contexts.erase("a");
  config.auth_infos["u"].token.clear();
  WriteToFile(config, path).OrExit();
  want = Replaced(want, "- name: a\n  context: {cluster: k, user: u}\n", "");
  EXPECT_EQ(Read(path), Replaced(want, "    token: new\n", ""));
}

TEST(WriteToFile, MakesFilesForTheirOwnerAlone_AndKeepsModesAndLinks) {
  const Folder folder;
  const std::string path = folder.path() + "/new/dir/config";
  const clientcmdapi::Config config = Load(OneUser("token: t")).OrExit();
  WriteToFile(config, path).OrExit();
  EXPECT_EQ(ModeOf(path), 0600U);
  EXPECT_EQ(Write(LoadFromFile(path).OrExit()), Write(config));
  const std::string real = folder.Write("real", kText);
  ASSERT_EQ(chmod(real.c_str(), 0640), 0);
  const std::string link = folder.path() + "/link";
  std::filesystem::create_symlink("real", link);
  WriteToFile(config, link).OrExit();
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(ModeOf(real), 0640U);
  EXPECT_THAT(Read(real), HasSubstr("vendor: kept"));
  EXPECT_EQ(Write(LoadFromFile(real).OrExit()), Write(config));
  const std::string dangling = folder.path() + "/dangling";
  std::filesystem::create_symlink("later", dangling);
  WriteToFile(config, dangling).OrExit();
  EXPECT_TRUE(std::filesystem::is_symlink(dangling));
  EXPECT_TRUE(std::filesystem::is_regular_file(folder.path() + "/later"));
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    EXPECT_THAT(entry.path().filename().string(),
                ::testing::AnyOf("new", "real", "link", "later", "dangling"))
        << "nothing else is left";
  }
}

TEST(WriteToFile, IntoWhatIsNoKubeconfig_ChangesNothing) {
  const Folder folder;
  const std::string path = folder.Write("config", "just text");
  EXPECT_THAT(MessageOf(WriteToFile({}, path)), HasSubstr("this is no kubeconfig"));
  EXPECT_EQ(Read(path), "just text");
  EXPECT_FALSE(std::filesystem::exists(path + ".lock"));
}

TEST(FileLock, IsHeldByOneAndRemovedBehind_KC17) {
  const Folder folder;
  const std::string path = folder.Write("config", kText);
  clientcmdapi::Config config = LoadFromFile(path).OrExit();
  config.current_context = "b";
  {
    const auto lock = internal::config::FileLock::Acquire(path);
    ASSERT_TRUE(lock.ok()) << lock.error();
    EXPECT_TRUE(std::filesystem::exists(path + ".lock"));
    const std::string want = path + ": another program changes it: " + path +
                             ".lock exists; try again, or remove that file if no such program runs";
    EXPECT_EQ(MessageOf(WriteToFile(config, path)), want);
    ClientConfigLoadingRules rules;
    rules.precedence = {path};
    EXPECT_EQ(MessageOf(ModifyConfig(rules, config)), want);
    EXPECT_EQ(Read(path), kText);
  }
  EXPECT_FALSE(std::filesystem::exists(path + ".lock"));
  WriteToFile(config, path).OrExit();
  EXPECT_FALSE(std::filesystem::exists(path + ".lock"));
}

TEST(RelativizePathWithNoBacksteps, WritesPathsBelowTheBase_KC14) {
  struct Row {
    std::string path;
    std::string want;  // empty: an error
  };
  for (const Row& row : {
           Row{"/base/a/b", "a/b"},
           Row{"/base/a", "a"},
           Row{"/base/x/../a", "a"},
           Row{"/other/a", "/other/a"},
           Row{"/based/a", "/based/a"},
           Row{"/base", "/base"},
           Row{"/", "/"},
           Row{"a/b", "a/b"},
           Row{"../a", ""},
           Row{"a/../../b", ""},
           Row{"..", ""},
       }) {
    std::string path = row.path;
    std::string second = "/base/c";
    std::string empty;
    const Result<void> got = RelativizePathWithNoBacksteps({&path, &empty, &second}, "/base");
    if (row.want.empty()) {
      EXPECT_EQ(MessageOf(got),
                "path \"" + row.path + "\" leads out of its folder: write the absolute path");
      EXPECT_EQ(path + second, row.path + "/base/c");
    } else {
      EXPECT_EQ(path + " " + second, row.want + " c") << row.path;
    }
    EXPECT_EQ(empty, "");
  }
}

TEST(ModifyConfig, KeepsTheSpellingOfPathsThatDoNotChange_KC15) {
  const Folder folder;
  const std::string one = folder.Write(
      "one/config", OneUser("client-certificate: ./c.crt, client-key: ../k, tokenFile: t, "
                            "exec: {command: bin/p, apiVersion: v, interactiveMode: Never}"));
  const std::string two = folder.Write(
      "two/config", "clusters: [{name: l, cluster: {certificate-authority: ca, server: s}}]\n");
  ClientConfigLoadingRules rules;
  rules.precedence = {one, two};
  clientcmdapi::Config config = rules.Load().OrExit();
  EXPECT_EQ(config.clusters.at("l").certificate_authority, folder.path() + "/two/ca");
  EXPECT_EQ(config.auth_infos.at("u").client_key, folder.path() + "/k");
  config.clusters["l"].server = "new";
  config.auth_infos["u"].token = "x";
  ModifyConfig(rules, config).OrExit();
  EXPECT_THAT(Read(one), HasSubstr("client-certificate: ./c.crt"));
  EXPECT_THAT(Read(one), HasSubstr("client-key: ../k"));
  EXPECT_THAT(Read(one), HasSubstr("tokenFile: t\n"));
  EXPECT_THAT(Read(one), HasSubstr("command: bin/p"));
  EXPECT_THAT(Read(two), HasSubstr("certificate-authority: ca\n"));
}

TEST(ModifyConfig, WritesChangedPathsRelativeToTheirFile_KC15) {
  const Folder folder;
  const std::string path = folder.Write("dir/config", OneUser("token: t"));
  ClientConfigLoadingRules rules;
  rules.precedence = {path};
  clientcmdapi::Config config = rules.Load().OrExit();
  clientcmdapi::AuthInfo& user = config.auth_infos["u"];
  user.client_certificate = folder.path() + "/dir/certs/c";
  user.client_key = folder.path() + "/k";
  user.exec = ExecConfig{
      .command = folder.path() + "/dir/plug", .api_version = "v", .interactive_mode = "Never"};
  ModifyConfig(rules, config).OrExit();
  EXPECT_THAT(Read(path), HasSubstr("client-certificate: certs/c\n"));
  EXPECT_THAT(Read(path), HasSubstr("client-key: " + folder.path() + "/k\n"));
  EXPECT_THAT(Read(path), HasSubstr("command: ./plug\n"));
  EXPECT_EQ(Write(rules.Load().OrExit()), Write(config));
  user.client_certificate = folder.path() + "/dir/d";
  ModifyConfig(rules, config, /*relativize_paths=*/false).OrExit();
  EXPECT_THAT(Read(path), HasSubstr("client-certificate: " + folder.path() + "/dir/d\n"));
  EXPECT_THAT(Read(path), HasSubstr("command: ./plug\n"));
}

TEST(ModifyConfig, WritesEachEntryToItsOwnFile_NewOnesToTheDefaultFile_KM01) {
  const Folder folder;
  const std::string one = folder.Write("one", "contexts: [{name: a}]\n# one\n");
  const std::string two = folder.Write(
      "two",
      "contexts:\n- name: a\n- name: b\n  context: {cluster: k}\n# two\nusers: [{name: u}]\n");
  PathOptions options;
  options.env_var_files = {folder.path() + "/none", one, two};
  clientcmdapi::Config config = options.GetStartingConfig().OrExit();
  config.contexts["b"].namespace_ = "team";
  config.contexts["c"].cluster = "new";
  config.auth_infos.erase("u");
  config.current_context = "c";
  ModifyConfig(options, config).OrExit();
  EXPECT_EQ(Read(one),
            "contexts:\n- name: a\n- context:\n    cluster: new\n    user: \"\"\n  name: c\n"
            "current-context: c\n# one\n");
  EXPECT_EQ(Read(two),
            "contexts:\n- name: a\n- name: b\n  context:\n    cluster: k\n    namespace: team\n"
            "# two\nusers: []\n");
  EXPECT_FALSE(std::filesystem::exists(options.env_var_files[0]));
  for (const std::string& path : options.env_var_files) {
    EXPECT_FALSE(std::filesystem::exists(path + ".lock"));
  }
}

TEST(ModifyConfig, WithALocationOfItsOwn_WritesAnEntryThere_KM01) {
  const Folder folder;
  const std::string one = folder.Write("one", "");
  const std::string two = folder.path() + "/two";
  PathOptions options;
  options.env_var_files = {one, two};
  clientcmdapi::Config config;
  config.contexts["c"] = {.cluster = "k", .location_of_origin = two};
  ModifyConfig(options, config).OrExit();
  EXPECT_EQ(Read(one), "");
  EXPECT_EQ(options.GetStartingConfig()->contexts.at("c").location_of_origin, two);
}

TEST(ModifyConfig, EmptyCurrentContext_EmptiesTheFirstFileThatHasOne_KM02) {
  const Folder folder;
  const std::string one = folder.Write("one", "users: []\n");
  const std::string two = folder.Write("two", "current-context: a # why\n");
  const std::string three = folder.Write("three", "current-context: b\n");
  PathOptions options;
  options.env_var_files = {one, two, three};
  clientcmdapi::Config config = options.GetStartingConfig().OrExit();
  EXPECT_EQ(config.current_context, "a");
  config.current_context.clear();
  ModifyConfig(options, config).OrExit();
  EXPECT_EQ(Read(one), "users: []\n");
  EXPECT_EQ(Read(two), "current-context: \"\" # why\n");
  EXPECT_EQ(Read(three), "current-context: b\n");
}

TEST(ModifyConfig, WithoutAFileToChange_IsAnError_KM02) {
  const std::string want = "there is no file to write the kubeconfig to: set $KUBECONFIG or $HOME";
  clientcmdapi::Config config;
  config.current_context = "a";
  EXPECT_EQ(MessageOf(ModifyConfig(PathOptions(), config)), want);
  EXPECT_EQ(MessageOf(ModifyConfig(PathOptions(), clientcmdapi::Config())), "ok")
      << "nothing differs";
}

TEST(ModifyConfig, ChangesPreferencesAndExtensions) {
  const Folder folder;
  const std::string path = folder.Write(
      "config",
      "preferences: {vendor: 1}\nextensions:\n- name: x\n  extension: {a: 1}\n  more: 2\n");
  ClientConfigLoadingRules rules;
  rules.explicit_path = path;
  clientcmdapi::Config config = rules.Load().OrExit();
  config.preferences.colors = true;
  config.extensions["x"].Set("a", 3);
  config.extensions["y"] = "text";
  ModifyConfig(rules, config).OrExit();
  EXPECT_EQ(Read(path),
            "preferences:\n  colors: true\n  vendor: 1\nextensions:\n- name: x\n  extension:\n"
            "    a: 3\n  more: 2\n- extension: text\n  name: \"y\"\n");
  EXPECT_EQ(Write(rules.Load().OrExit()), Write(config));
}

TEST(LoadingRules, Migrate_CopiesTheOldFileWhereTheNewOneIsMissing_KC16) {
  const Folder folder;
  const std::string old = folder.Write("old", OneUser("token: old"));
  const std::string both = folder.Write("both", OneUser("token: new"));
  const std::string anew = folder.path() + "/dir/new";
  ClientConfigLoadingRules rules;
  rules.precedence = {anew};
  rules.migration_rules = {
      {anew, old}, {both, old}, {folder.path() + "/none", folder.path() + "/missing"}};
  EXPECT_EQ(rules.Load()->auth_infos.at("u").token, "old");
  EXPECT_EQ(Read(anew), Read(old));
  EXPECT_EQ(ModeOf(anew), 0600U);
  EXPECT_EQ(Read(both), OneUser("token: new"));
  EXPECT_FALSE(std::filesystem::exists(folder.path() + "/none"));
}

TEST(LoadingRules, HaveTheFilesOfTheEnvironmentOrTheHome_KC10) {
  const Folder folder;
  internal::config::Surroundings around;
  around.home = "/home/u";
  const std::vector<std::string> home{"/home/u/.kube/config"};
  EXPECT_EQ(internal::config::LoadingRules(around).GetLoadingPrecedence(), home);
  EXPECT_EQ(internal::config::PathOptionsOf(around).GetLoadingPrecedence(), home);
  EXPECT_EQ(internal::config::PathOptionsOf(around).GetDefaultFilename(), home[0]);
  around.environment["KUBECONFIG"] = "/a:" + folder.path() + ":/c";
  const std::vector<std::string> list{"/a", folder.path(), "/c"};
  auto rules = internal::config::LoadingRules(around);
  auto options = internal::config::PathOptionsOf(around);
  EXPECT_EQ(rules.GetLoadingPrecedence(), list);
  EXPECT_EQ(options.GetLoadingPrecedence(), list);
  EXPECT_EQ(rules.GetDefaultFilename(), folder.path());
  EXPECT_EQ(options.GetDefaultFilename(), folder.path());
  rules.precedence = {"/a", "/c"};
  options.env_var_files = {"/a", "/c"};
  EXPECT_EQ(rules.GetDefaultFilename(), "/a") << "none exists";
  EXPECT_EQ(options.GetDefaultFilename(), "/c");
  rules.explicit_path = "/e";
  options.explicit_path = "/e";
  const std::vector<std::string> one{"/e"};
  EXPECT_EQ(rules.GetLoadingPrecedence(), one);
  EXPECT_EQ(options.GetLoadingPrecedence(), one);
  EXPECT_EQ(rules.GetDefaultFilename(), "/e");
  EXPECT_EQ(options.GetDefaultFilename(), "/e");
  EXPECT_EQ(MessageOf(rules.Load()), "cannot read kubeconfig /e: No such file or directory");
  EXPECT_EQ(MessageOf(options.GetStartingConfig()), "ok");
  EXPECT_EQ(internal::config::LoadingRules({}).GetDefaultFilename(), "");
}

}  // namespace
}  // namespace kinformer::clientcmd
