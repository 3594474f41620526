// Kubeconfigs that other programs wrote: loaded, changed and written back without a loss.

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <string>

#include "kinformer/client/clientcmd.h"
#include "kinformer/json/json.h"
#include "kinformer/json/yaml.h"

#include "config/testing/kubeconfig_texts.h"
#include "config/testing/vendor_kubeconfigs.h"

namespace kinformer::clientcmd {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class VendorKubeconfigs : public ::testing::TestWithParam<VendorKubeconfig> {
 protected:
  VendorKubeconfigs() : path_(folder_.Write("config", GetParam().text)) {
    rules_.precedence = {path_};
  }
  [[nodiscard]] std::string Text() const {
    std::ifstream in(path_);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  const Folder folder_;
  const std::string path_;
  ClientConfigLoadingRules rules_;
};

TEST_P(VendorKubeconfigs, WithoutAChange_StayAsTheyAre) {
  const clientcmdapi::Config config = rules_.Load().OrExit();
  EXPECT_FALSE(config.current_context.empty());
  EXPECT_TRUE(config.contexts.contains(config.current_context));
  ModifyConfig(rules_, config).OrExit();
  EXPECT_EQ(Text(), GetParam().text);
  EXPECT_EQ(Write(Load(Write(config)).OrExit()), Write(config));
}

TEST_P(VendorKubeconfigs, AfterChanges_LackNothing) {
  clientcmdapi::Config config = rules_.Load().OrExit();
  json::Value want = yaml::Parse(GetParam().text).OrExit();
  clientcmdapi::Context& context = config.contexts[config.current_context];
  context.namespace_ = "team";
  config.clusters[context.cluster].server = "https://new.example.com";
  config.contexts["mine"] = {.cluster = context.cluster, .auth_info = context.auth_info};
  for (json::Value& item : want.Ensure("contexts").EnsureArray()) {
    if (item["name"] == want["current-context"]) item.Ensure("context", "namespace") = "team";
  }
  for (json::Value& item : want.Ensure("clusters").EnsureArray()) {
    if (item["name"] == context.cluster) {
      item.Ensure("cluster", "server") = "https://new.example.com";
    }
  }
  want.Ensure("contexts")
      .Append(json::Value::MakeObject(
          {{"name", "mine"},
           {"context", json::Value::MakeObject(
                           {{"cluster", context.cluster}, {"user", context.auth_info}})}}));
  want.Set("current-context", "mine");
  config.current_context = "mine";
  ModifyConfig(rules_, config).OrExit();
  EXPECT_EQ(yaml::Parse(Text()).OrExit(), want) << Text();
  // The lines of users, which have not changed, are the same ones.
  const std::string before = GetParam().text;
  const std::size_t users = before.find("users:");
  const std::string rest = before.substr(users, before.find("\n\n\n", users) - users);
  EXPECT_THAT(Text(), HasSubstr(rest));
  EXPECT_EQ(Write(rules_.Load().OrExit()), Write(config));
}

TEST_P(VendorKubeconfigs, EntryThatIsRemoved_TakesNothingElseAlong) {
  clientcmdapi::Config config = rules_.Load().OrExit();
  const std::string user = config.contexts[config.current_context].auth_info;
  json::Value want = yaml::Parse(GetParam().text).OrExit();
  config.auth_infos.erase(user);
  std::erase_if(want.Ensure("users").EnsureArray(),
                [&](const json::Value& item) { return item["name"] == user; });
  ModifyConfig(rules_, config).OrExit();
  EXPECT_EQ(yaml::Parse(Text()).OrExit(), want) << Text();
}

TEST_P(VendorKubeconfigs, RedactedView_HasNoSecret) {
  clientcmdapi::Config config = rules_.Load().OrExit();
  clientcmdapi::RedactSecrets(config);
  clientcmdapi::ShortenConfig(config);
  const std::string text = Write(config);
  for (const char* secret : {"made-up", "Q0VSVA", "S0VZ", "Q0EtREFUQQ"}) {
    EXPECT_THAT(text, Not(HasSubstr(secret)));
  }
  EXPECT_EQ(Write(Load(text).OrExit()), text);
}

INSTANTIATE_TEST_SUITE_P(All, VendorKubeconfigs, ::testing::ValuesIn(kVendorKubeconfigs),
                         [](const auto& about) {
                           std::string name;
                           for (const char c : std::string(about.param.vendor)) {
                             if (c != ' ') name += c;
                           }
                           return name;
                         });

}  // namespace
}  // namespace kinformer::clientcmd
