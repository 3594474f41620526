// Renewed tokens are written into their kubeconfig.

#include "config/token_writer.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <sys/stat.h>

#include "config/kubeconfig.h"
#include "config/oidc_keys.h"
#include "config/testing/kubeconfig_texts.h"

namespace kinformer::internal::config {
namespace {

constexpr const char* kText =
    "apiVersion: v1\n"
    "kind: Config\n"
    "current-context: c\n"
    "my-tool: {kept: [1, 2]}\n"
    "users:\n"
    "- name: other\n"
    "  user: {token: t}\n"
    "- name: me\n"
    "  user:\n"
    "    auth-provider:\n"
    "      name: oidc\n"
    "      config: {id-token: old, client-id: c, mine: kept}\n";

std::string TextOf(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

TEST(TokenWriter, ChangesTheTokensAndNothingElse) {
  const Folder folder;
  const std::string path = folder.Write("config", kText);
  ASSERT_EQ(chmod(path.c_str(), 0640), 0);
  const Result<void> done =
      WriteTokens(path, "me", {{"id-token", "new"}, {"refresh-token", "again"}});
  ASSERT_TRUE(done.ok()) << done.error();
  const auto read = ReadKubeconfig(path);
  ASSERT_TRUE(read.ok()) << read.error();
  EXPECT_EQ(IdTokenOf(read->auth_infos.at("me")), "new");
  EXPECT_EQ(OidcOf(read->auth_infos.at("me")).refresh_token, "again");
  EXPECT_EQ(OidcOf(read->auth_infos.at("me")).client_id, "c");
  EXPECT_EQ(read->auth_infos.at("other").token, "t");
  EXPECT_EQ(read->current_context, "c");
  const std::string text = TextOf(path);
  EXPECT_NE(text.find("mine: kept"), std::string::npos) << text;
  EXPECT_NE(text.find("my-tool"), std::string::npos) << text;
  struct stat now{};
  ASSERT_EQ(stat(path.c_str(), &now), 0);
  EXPECT_EQ(now.st_mode & 07777, 0640U);
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    EXPECT_EQ(entry.path(), path);
    ++files;
  }
  EXPECT_EQ(files, 1U) << "no lock and no draft is left";
}

TEST(TokenWriter, LinkStaysALink) {
  const Folder folder;
  const std::string path = folder.Write("config", kText);
  const std::string link = folder.path() + "/link";
  std::filesystem::create_symlink(path, link);
  ASSERT_TRUE(WriteTokens(link, "me", {{"id-token", "new"}}).ok());
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(IdTokenOf(ReadKubeconfig(path).OrExit().auth_infos.at("me")), "new");
}

TEST(TokenWriter, Failures_LeaveTheFileAndSayWhy) {
  const Folder folder;
  const std::string path = folder.Write("config", kText);
  const auto says = [](const Result<void>& done, const std::string& want) {
    ASSERT_FALSE(done.ok());
    EXPECT_EQ(done.error().reason(), Reason::kConfig);
    EXPECT_NE(done.error().message().find(want), std::string::npos) << done.error();
    EXPECT_EQ(done.error().message().find("SECRET"), std::string::npos);
  };
  const ChangedKeys changed{{"id-token", "SECRET"}};
  says(WriteTokens(folder.path() + "/none", "me", changed), "/none: No such");
  says(WriteTokens(path, "you", changed), "the user \"you\" has no auth-provider any more");
  says(WriteTokens(path, "other", changed), "the user \"other\" has no auth-provider any more");
  const std::string lock = folder.Write("config.lock", "");
  says(WriteTokens(path, "me", changed), path);
  EXPECT_TRUE(std::filesystem::exists(lock)) << "it is another program's";
  EXPECT_EQ(TextOf(path), kText);
  const std::string broken = folder.Write("broken", "users: [");
  says(WriteTokens(broken, "me", changed), "broken");
}

// A change that another program makes after a look at the file must not be undone.
TEST(TokenWriter, AnEditSeesTheFileAsItIsUnderTheLock) {
  const Folder folder;
  const std::string path = folder.Write("config", kText);
  const Result<void> done = EditKubeconfig(path, [&](clientcmdapi::Config& config) -> Result<void> {
    EXPECT_TRUE(std::filesystem::exists(path + ".lock"));
    EXPECT_EQ(config.auth_infos.at("other").token, "t");
    config.auth_infos.at("other").token = "u";
    return {};
  });
  ASSERT_TRUE(done.ok()) << done.error();
  EXPECT_EQ(ReadKubeconfig(path).OrExit().auth_infos.at("other").token, "u");
  const Result<void> refused =
      EditKubeconfig(path, [](clientcmdapi::Config& config) -> Result<void> {
        config.auth_infos.clear();
        return Error(Reason::kConfig, "no");
      });
  EXPECT_EQ(refused.error().message(), "no");
  EXPECT_EQ(ReadKubeconfig(path).OrExit().auth_infos.size(), 2U);
  EXPECT_FALSE(std::filesystem::exists(path + ".lock"));
}

}  // namespace
}  // namespace kinformer::internal::config
