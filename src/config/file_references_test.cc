#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "kinformer/client/clientcmd.h"

namespace kinformer::clientcmd {
namespace {

TEST(GetConfigFileReferences, ChangedPaths_AreThoseOfTheEntries) {
  clientcmdapi::Config config;
  config.clusters["c"].certificate_authority = "/ca";
  clientcmdapi::AuthInfo& user = config.auth_infos["u"];
  user.client_certificate = "/cert";
  user.client_key = "/key";
  user.token_file = "/token";
  user.exec = ExecConfig{.command = "./login"};
  config.auth_infos["v"].exec = ExecConfig{.command = "login"};

  for (std::string* path : GetConfigFileReferences(config)) *path += "!";

  EXPECT_EQ(config.clusters["c"].certificate_authority, "/ca!");
  EXPECT_EQ(user.client_certificate + user.client_key + user.token_file, "/cert!/key!/token!");
  EXPECT_EQ(user.exec->command, "./login!");
  EXPECT_EQ(config.auth_infos["v"].exec->command, "login");  // it is searched in PATH
}

TEST(GetAuthInfoFileReferences, RelativizePathWithNoBacksteps_TakesThem) {
  clientcmdapi::AuthInfo user;
  user.client_key = "/home/u/keys/k.pem";
  RelativizePathWithNoBacksteps(GetAuthInfoFileReferences(user), "/home/u").OrExit();
  EXPECT_EQ(user.client_key, "keys/k.pem");
}

}  // namespace
}  // namespace kinformer::clientcmd
