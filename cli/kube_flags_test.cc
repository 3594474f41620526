#include "cli/kube_flags.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace kinformer::cli {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(KubeFlags, Table_IsSorted) {
  EXPECT_TRUE(std::is_sorted(KubeFlags().begin(), KubeFlags().end(),
                             [](const auto& a, const auto& b) { return a.name < b.name; }));
}

// Flags as controller-runtime's envtest passes them.
TEST(KubeFlags, EnvtestsFlags_AreServedWithoutAWord) {
  const auto command = ReadKubeFlags(
      {"--allow-privileged=true", "--authorization-mode=RBAC", "--bind-address=127.0.0.1",
       "--cert-dir=/tmp/certs", "--client-ca-file=/tmp/certs/ca.crt",
       "--disable-admission-plugins=ServiceAccount", "--etcd-servers=http://127.0.0.1:2379",
       "--secure-port=4711", "--service-account-issuer=https://127.0.0.1:4711/",
       "--service-account-key-file=/tmp/certs/sa.crt",
       "--service-account-signing-key-file=/tmp/certs/sa.key",
       "--service-cluster-ip-range=10.0.0.0/24"});
  ASSERT_TRUE(command.ok()) << command.error().message();
  EXPECT_THAT(command->notices, IsEmpty());
  EXPECT_EQ(command->cert_dir, "/tmp/certs");
  EXPECT_EQ(command->address, "127.0.0.1");
  EXPECT_THAT(command->arguments,
              ElementsAre("apiserver", "--listen=127.0.0.1:4711", "--authorization-mode=RBAC",
                          "--no-garbage-collection", "--no-namespace-finalization",
                          "--no-admission-controllers", "--pod-grace", "--field-owners",
                          "--enable-admission-plugins=DefaultStorageClass,LimitRanger,PodSecurity,"
                          "ResourceQuota,ServiceAccount,TaintNodesByCondition",
                          "--disable-admission-plugins=ServiceAccount",
                          "--client-ca-file=/tmp/certs/ca.crt",
                          "--service-account-signing-key-file=/tmp/certs/sa.key",
                          "--service-account-key-file=/tmp/certs/sa.crt",
                          "--service-account-issuer=https://127.0.0.1:4711/",
                          "--service-cluster-ip-range=10.0.0.0/24"));
}

TEST(KubeFlags, AdmissionPlugins_AreThoseOfKubeApiserverThatAreHere) {
  const auto command =
      ReadKubeFlags({"--enable-admission-plugins=PodNodeSelector,NodeRestriction,EventRateLimit",
                     "--disable-admission-plugins=Priority,AlwaysPullImages,NamespaceLifecycle"});
  ASSERT_TRUE(command.ok()) << command.error().message();
  EXPECT_THAT(
      command->arguments,
      Contains(
          "--enable-admission-plugins=DefaultStorageClass,LimitRanger,PodSecurity,"
          "ResourceQuota,ServiceAccount,TaintNodesByCondition,PodNodeSelector,NodeRestriction"));
  EXPECT_THAT(command->arguments, Contains("--disable-admission-plugins=Priority"));
  EXPECT_THAT(command->notices, ElementsAre("the admission plug-in EventRateLimit is ignored",
                                            "the admission plug-in NamespaceLifecycle stays on"));
  const auto unknown = ReadKubeFlags({"--enable-admission-plugins=LimitRange"});
  ASSERT_FALSE(unknown.ok());
  EXPECT_THAT(unknown.error().message(), HasSubstr("\"LimitRange\" is no admission plug-in"));
}

TEST(KubeFlags, Values_ComeInBothForms_AndTheLastCounts) {
  const auto command = ReadKubeFlags(
      {"--secure-port", "1", "--secure-port=2", "--bind-address", "::1", "--allow-privileged",
       "--authorization-mode", "Node,RBAC", "-v", "4", "-v=5", "-v6", "--v=7",
       "--service-cluster-ip-range=fd00::/108,10.1.0.0/16", "--anonymous-auth=false",
       "--feature-gates=WatchList=false,ShardedListAndWatch=true,Other=true", "--event_ttl=2h"});
  ASSERT_TRUE(command.ok()) << command.error().message();
  EXPECT_THAT(command->arguments, Contains("--listen=[::1]:2"));
  EXPECT_THAT(command->arguments, Contains("--authorization-mode=Node,RBAC"));
  EXPECT_THAT(command->arguments, Contains("--service-cluster-ip-range=10.1.0.0/16"));
  EXPECT_THAT(command->arguments, Contains("--require-client-certificate"));
  EXPECT_THAT(command->arguments, Contains("--no-watch-list"));
  EXPECT_THAT(command->arguments, Contains("--sharded-list-and-watch"));
  EXPECT_THAT(command->arguments, Contains("--event-ttl=2h"));
  EXPECT_THAT(command->notices, ElementsAre("the feature gate Other is ignored"));
}

TEST(KubeFlags, FlagsWithoutEffect_AreNamed) {
  const auto command = ReadKubeFlags(
      {"--audit-log-maxage", "9", "--requestheader-client-ca-file=x", "--profiling=false"});
  ASSERT_TRUE(command.ok()) << command.error().message();
  EXPECT_THAT(command->notices,
              ElementsAre(HasSubstr("--audit-log-maxage is ignored"), HasSubstr("--profiling"),
                          HasSubstr("--requestheader-client-ca-file")));
}

TEST(KubeFlags, AuditLog_IsWrittenByAPolicyOnly) {
  auto command = ReadKubeFlags({"--audit-log-path=a.log", "--audit-policy-file", "p.yaml"});
  ASSERT_TRUE(command.ok()) << command.error().message();
  EXPECT_THAT(command->notices, IsEmpty());
  EXPECT_THAT(command->arguments, Contains("--audit-log-path=a.log"));
  EXPECT_THAT(command->arguments, Contains("--audit-policy-file=p.yaml"));
  command = ReadKubeFlags({"--audit-log-path=a.log"});
  ASSERT_TRUE(command.ok()) << command.error().message();
  EXPECT_THAT(command->notices, ElementsAre(HasSubstr("has no effect without")));
  EXPECT_THAT(command->arguments, Not(Contains("--audit-log-path=a.log")));
}

TEST(KubeFlags, WrongOnes_AreRefusedInWords) {
  const auto refusal = [](const std::vector<std::string>& arguments) {
    const auto command = ReadKubeFlags(arguments);
    return command.ok() ? std::string() : command.error().message();
  };
  EXPECT_EQ(refusal({"--insecure-port=0"}), "unknown flag: --insecure-port=0");
  EXPECT_EQ(refusal({"-p"}), "unknown flag: -p");
  EXPECT_EQ(refusal({"--secure-port"}), "flag needs an argument: --secure-port");
  EXPECT_THAT(refusal({"start"}), HasSubstr("flags only"));
  for (const char* const port : {"0", "65536", "x", ""}) {
    EXPECT_THAT(refusal({std::string("--secure-port=") + port}), HasSubstr("from 1 to 65535"));
  }
  EXPECT_THAT(refusal({"--authorization-mode=Webhook"}), HasSubstr("Node,RBAC"));
  EXPECT_THAT(refusal({"--authorization-mode=Node"}), HasSubstr("Node,RBAC"));
  EXPECT_THAT(refusal({"--allow-privileged=maybe"}), HasSubstr("neither true nor false"));
  EXPECT_THAT(refusal({"--feature-gates=WatchList"}), HasSubstr("NAME=true"));
  EXPECT_THAT(refusal({"--service-cluster-ip-range=fd00::/108"}), HasSubstr("IPv4"));
  EXPECT_THAT(refusal({"--tls-cert-file=a"}), HasSubstr("go together"));
}

// envtest looks into the help for flags: one that is not there must not be in it.
TEST(KubeFlags, Help_HasEachFlagOnALineOfItsOwn) {
  const std::string help = KubeFlagsHelp();
  EXPECT_THAT(help, HasSubstr("\n      --secure-port value\n"));
  EXPECT_THAT(help, HasSubstr("\n      --allow-privileged\n"));
  EXPECT_THAT(help, Not(HasSubstr("--insecure-port")));
  EXPECT_TRUE(ReadKubeFlags({"--help"})->help);
  EXPECT_TRUE(ReadKubeFlags({"-h"})->help);
  EXPECT_TRUE(ReadKubeFlags({"--version"})->version);
}

}  // namespace
}  // namespace kinformer::cli
