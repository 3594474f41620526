#include <gtest/gtest.h>
#include <sstream>
#include <string>

#include "kinformer/client/clientcmd.h"

namespace kinformer::clientcmd {
namespace {

clientcmdapi::Config Kubeconfig(const std::string& user) {
  return Load(
             "clusters: [{name: c, cluster: {server: 'https://h'}}]\n"
             "contexts: [{name: x, context: {cluster: c, user: u}}]\n"
             "users: [{name: u, user: " +
             user + "}]\ncurrent-context: x\n")
      .OrExit();
}

TEST(PromptForLogin, TwoLines_AreNameAndPassword) {
  std::istringstream in("bob\r\n p w \n");
  std::ostringstream out;
  const clientcmdapi::AuthInfo login = PromptForLogin(in, out).OrExit();
  EXPECT_EQ(login.username, "bob");
  EXPECT_EQ(login.password, " p w ");
  EXPECT_EQ(out.str(), "Please enter Username: Please enter Password: ");
}

TEST(PromptForLogin, InputThatEnds_IsAnErrorThatNamesWhatIsMissing) {
  for (const std::string text : {"", "bob\n"}) {
    std::istringstream in(text);
    std::ostringstream out;
    const auto login = PromptForLogin(in, out);
    ASSERT_FALSE(login);
    EXPECT_EQ(login.error().message(),
              std::string("the input ended before a ") + (text.empty() ? "user name" : "password") +
                  " was given: give credentials in the kubeconfig or by flags");
  }
}

TEST(InteractiveClientConfig, NoCredentials_APersonIsAsked) {
  std::istringstream in("bob\npw\n");
  std::ostringstream out;
  const Config config = InteractiveClientConfig(Kubeconfig("{}"), {}, in, out).OrExit();
  EXPECT_EQ(config.username + " " + config.password, "bob pw");
  EXPECT_EQ(config.host, "https://h");
}

TEST(InteractiveClientConfig, CredentialsOfAnyKind_NobodyIsAsked) {
  for (const char* user : {"{token: t}", "{username: a, password: b}",
                           "{client-certificate-data: Y2VydA==, client-key-data: a2V5}",
                           "{exec: {apiVersion: client.authentication.k8s.io/v1, command: login, "
                           "interactiveMode: Never}}"}) {
    std::istringstream in("bob\npw\n");
    std::ostringstream out;
    const auto config = InteractiveClientConfig(Kubeconfig(user), {}, in, out);
    ASSERT_TRUE(config) << user << config.error().message();
    EXPECT_EQ(out.str(), "") << user;
    EXPECT_NE(config->username, "bob") << user;
  }
  std::istringstream in;
  std::ostringstream out;
  EXPECT_EQ(InteractiveClientConfig(Kubeconfig("{}"), {.token = "t"}, in, out)->bearer_token, "t");
}

TEST(InteractiveClientConfig, UnusableKubeconfig_IsAnErrorBeforeAnyQuestion) {
  std::istringstream in("bob\npw\n");
  std::ostringstream out;
  EXPECT_FALSE(InteractiveClientConfig(Kubeconfig("{}"), {.context = "y"}, in, out));
  EXPECT_EQ(out.str(), "");
}

}  // namespace
}  // namespace kinformer::clientcmd
