#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/plugins/pod_security_checks.h"
#include "apiserver/testing.h"

namespace kinformer::apiserver::testing {
namespace {

constexpr PodSecurityPolicy kBaseline{.level = PodSecurityLevel::kBaseline};
constexpr PodSecurityPolicy kRestricted{.level = PodSecurityLevel::kRestricted};

// Returns what a pod with this spec violates.
std::string Violations(const PodSecurityPolicy& policy, std::string_view spec,
                       std::string_view metadata = "{}") {
  return DetailsOf(CheckPodSecurity(policy, Json(metadata), Json(spec)));
}

// Returns what a pod violates whose container `a` is restricted, except for `context`, which is
// merged into its securityContext, and whose spec has `more`.
std::string Restricted(std::string_view context, std::string_view more = "{}",
                       PodSecurityPolicy policy = kRestricted) {
  json::Value spec = Json(R"({"containers":[{"name":"a","securityContext":{
      "allowPrivilegeEscalation":false,"capabilities":{"drop":["ALL"]},"runAsNonRoot":true,
      "seccompProfile":{"type":"RuntimeDefault"}}}]})");
  spec.Ensure("containers", 0, "securityContext").MergePatch(Json(context));
  spec.MergePatch(Json(more));
  return Violations(policy, spec.Dump());
}

TEST(PodSecurityChecksTest, BaselineContainers) {
  EXPECT_EQ(Violations(kBaseline, R"({"containers":[{"name":"a"}]})"), "");
  EXPECT_EQ(Violations(kBaseline, R"({"initContainers":[{"name":"i","securityContext":{
          "privileged":true,"capabilities":{"add":["NET_ADMIN","CHOWN"]}}}],
          "containers":[{"name":"a","securityContext":{"privileged":true,"procMount":"Unmasked",
          "windowsOptions":{"hostProcess":true}},"ports":[{"hostPort":80},{"hostPort":9}]}]})"),
            R"(non-default capabilities (container "i" must not include "NET_ADMIN" in )"
            R"(securityContext.capabilities.add), hostPort (container "a" uses hostPorts 80, 9), )"
            R"(privileged (containers "i", "a" must not set securityContext.privileged=true), )"
            R"(procMount (container "a" must not set securityContext.procMount to "Unmasked"), )"
            R"(hostProcess (container "a" must not set )"
            R"(securityContext.windowsOptions.hostProcess=true))");
}

TEST(PodSecurityChecksTest, BaselinePods) {
  EXPECT_EQ(Violations(kBaseline, R"({"hostNetwork":true,"hostPID":true,"hostIPC":true,
      "volumes":[{"name":"v","hostPath":{"path":"/"}},{"name":"w","emptyDir":{}}],
      "securityContext":{"sysctls":[{"name":"kernel.msgmax"},{"name":"net.ipv4.tcp_rmem"}],
          "seccompProfile":{"type":"Unconfined"},
          "seLinuxOptions":{"type":"x","user":"u","role":"r"}},
      "containers":[{"name":"a","livenessProbe":{"httpGet":{"host":"h"}}}]})"),
            R"(host namespaces (hostNetwork=true, hostPID=true, hostIPC=true), )"
            R"(hostPath volumes (volume "v"), )"
            R"(probe or lifecycle host (container "a" uses probe or lifecycle host "h"), )"
            R"(seLinuxOptions (pod set forbidden securityContext.seLinuxOptions: type "x"; )"
            R"(user may not be set; role may not be set), )"
            R"(seccompProfile (pod must not set securityContext.seccompProfile.type to )"
            R"("Unconfined"), forbidden sysctls (kernel.msgmax))");
}

TEST(PodSecurityChecksTest, AppArmor) {
  EXPECT_EQ(
      Violations(kBaseline, R"({"securityContext":{"appArmorProfile":{"type":"Unconfined"}},
          "containers":[{"name":"a"}]})",
                 R"({"annotations":{"container.apparmor.security.beta.kubernetes.io/a":"no"}})"),
      R"(forbidden AppArmor profiles (pod and annotation must not set AppArmor profile type to )"
      R"("Unconfined", "container.apparmor.security.beta.kubernetes.io/a="no""))");
}

TEST(PodSecurityChecksTest, RestrictedContainers) {
  EXPECT_EQ(Restricted("{}"), "");
  EXPECT_EQ(
      Violations(kRestricted, R"({"containers":[{"name":"a"},{"name":"b"}]})"),
      R"(allowPrivilegeEscalation != false (containers "a", "b" must set )"
      R"(securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (containers )"
      R"("a", "b" must set securityContext.capabilities.drop=["ALL"]), runAsNonRoot != true (pod )"
      R"(or containers "a", "b" must set securityContext.runAsNonRoot=true), seccompProfile (pod )"
      R"(or containers "a", "b" must set securityContext.seccompProfile.type to "RuntimeDefault" )"
      R"(or "Localhost"))");
  EXPECT_EQ(Restricted(R"({"runAsNonRoot":false})"),
            R"(runAsNonRoot != true (container "a" must not set securityContext.runAsNonRoot=)"
            R"(false))");
  EXPECT_EQ(Restricted(R"({"runAsUser":0})", R"({"securityContext":{"runAsUser":0}})"),
            R"(runAsUser=0 (pod and container "a" must not set runAsUser=0))");
  EXPECT_EQ(Restricted(R"({"capabilities":{"add":["NET_BIND_SERVICE","CHOWN"]}})"),
            R"(unrestricted capabilities (container "a" must not include "CHOWN" in )"
            R"(securityContext.capabilities.add))");
  EXPECT_EQ(Restricted(R"({"runAsNonRoot":null,"seccompProfile":null})",
                       R"({"securityContext":{"runAsNonRoot":true,
                           "seccompProfile":{"type":"Localhost"}}})"),
            "");
}

TEST(PodSecurityChecksTest, RestrictedVolumes) {
  EXPECT_EQ(Restricted("{}", R"({"volumes":[{"name":"v","hostPath":{"path":"/"}},
                                            {"name":"w","nfs":{}},{"name":"x","csi":{}}]})"),
            R"(restricted volume types (volumes "v", "w" use restricted volume types "hostPath", )"
            R"("nfs"))");
}

TEST(PodSecurityChecksTest, VersionsDiffer) {
  const auto at = [](int minor) {
    return PodSecurityPolicy{.level = PodSecurityLevel::kRestricted, .minor = minor};
  };
  // Windows: exempt since 1.25. User namespaces: since 1.35.
  const std::string windows = R"({"os":{"name":"windows"}})";
  EXPECT_EQ(Restricted(R"({"allowPrivilegeEscalation":null})", windows, at(25)), "");
  EXPECT_NE(Restricted(R"({"allowPrivilegeEscalation":null})", windows, at(24)), "");
  const std::string own = R"({"hostUsers":false})";
  EXPECT_EQ(Restricted(R"({"runAsNonRoot":null})", own, at(35)), "");
  EXPECT_NE(Restricted(R"({"runAsNonRoot":null})", own, at(34)), "");
  EXPECT_EQ(Restricted(R"({"allowPrivilegeEscalation":true})", "{}", at(7)), "");
  EXPECT_EQ(Restricted(R"({"allowPrivilegeEscalation":true})", "{}", at(99)),
            Restricted(R"({"allowPrivilegeEscalation":true})"));
  const auto sysctl = [&](int minor) {
    return Restricted("{}", R"({"securityContext":{"sysctls":[{"name":"net.ipv4.tcp_rmem"}]}})",
                      at(minor));
  };
  EXPECT_EQ(sysctl(31), "forbidden sysctls (net.ipv4.tcp_rmem)");
  EXPECT_EQ(sysctl(32), "");
}

class PodSecurityTest : public ::testing::Test {
 protected:
  Reply Label(const std::string& labels) {
    return server_.Do("PATCH", "/api/v1/namespaces/default",
                      R"({"metadata":{"labels":)" + labels + "}}",
                      {{"Content-Type", "application/merge-patch+json"}});
  }
  Reply PostPod(const std::string& name) {
    return server_.Do("POST", "/api/v1/namespaces/default/pods",
                      R"({"metadata":{"name":")" + name +
                          R"("},"spec":{"hostPID":true,"containers":[{"name":"a","image":"i"}]}})");
  }
  static std::vector<std::string> Warnings(const Reply& reply) {
    std::vector<std::string> all;
    for (const auto& [name, value] : reply.headers) {
      if (name == "Warning") all.emplace_back(value);
    }
    return all;
  }

  TestServer server_{{.enable_admission_plugins = {"PodSecurity"}}};
};

constexpr const char* kHostPid = "host namespaces (hostPID=true)";

TEST_F(PodSecurityTest, Enforces) {
  EXPECT_EQ(PostPod("free").status, 201);
  ASSERT_EQ(Label(R"({"pod-security.kubernetes.io/enforce":"baseline"})").status, 200);
  const Reply refused = PostPod("p");
  EXPECT_EQ(refused.status, 403);
  EXPECT_EQ(
      refused.Json()["message"].StringOrEmpty(),
      std::string(R"(pods "p" is forbidden: violates PodSecurity "baseline:latest": )") + kHostPid);
  EXPECT_TRUE(Warnings(refused).empty());
  // Ignores updates that do not change what runs.
  EXPECT_EQ(server_
                .Do("PATCH", "/api/v1/namespaces/default/pods/free",
                    R"({"metadata":{"labels":{"a":"b"}}})",
                    {{"Content-Type", "application/merge-patch+json"}})
                .status,
            200);
  EXPECT_EQ(server_
                .Do("PATCH", "/api/v1/namespaces/default/pods/free",
                    R"({"spec":{"containers":[{"name":"a","image":"j"}]}})",
                    {{"Content-Type", "application/strategic-merge-patch+json"}})
                .status,
            403);
}

TEST_F(PodSecurityTest, Warns) {
  ASSERT_EQ(Label(R"({"pod-security.kubernetes.io/warn":"baseline",
                      "pod-security.kubernetes.io/warn-version":"v1.25"})")
                .status,
            200);
  const std::string warning =
      std::string(R"(299 - "would violate PodSecurity \"baseline:v1.25\": )") + kHostPid + "\"";
  const Reply made = PostPod("p");
  EXPECT_EQ(made.status, 201);
  EXPECT_EQ(Warnings(made), std::vector<std::string>{warning});
  const Reply deployment = server_.Do(
      "POST", "/apis/apps/v1/namespaces/default/deployments",
      R"({"metadata":{"name":"d"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{
          "metadata":{"labels":{"a":"b"}},"spec":{"hostPID":true,
          "containers":[{"name":"a","image":"i"}]}}}})");
  EXPECT_EQ(deployment.status, 201);
  EXPECT_EQ(Warnings(deployment), std::vector<std::string>{warning});
}

TEST_F(PodSecurityTest, WarnsOfWhatItEnforcesInWorkloads) {
  ASSERT_EQ(Label(R"({"pod-security.kubernetes.io/enforce":"baseline"})").status, 200);
  const Reply job = server_.Do("POST", "/apis/batch/v1/namespaces/default/jobs",
                               R"({"metadata":{"name":"j"},"spec":{"template":{"spec":{
          "hostPID":true,"restartPolicy":"Never","containers":[{"name":"a","image":"i"}]}}}})");
  EXPECT_EQ(job.status, 201) << job.body;
  EXPECT_EQ(Warnings(job),
            std::vector<std::string>{
                std::string(R"(299 - "would violate PodSecurity \"baseline:latest\": )") +
                kHostPid + "\""});
}

TEST_F(PodSecurityTest, WarnsOfPodsThatAreThere) {
  for (const char* name : {"c", "a", "b"}) ASSERT_EQ(PostPod(name).status, 201);
  const Reply labeled = Label(R"({"pod-security.kubernetes.io/enforce":"baseline"})");
  EXPECT_EQ(labeled.status, 200);
  const std::vector<std::string> warnings = {
      R"(299 - "existing pods in namespace \"default\" violate the new PodSecurity enforce level )"
      R"(\"baseline:latest\"")",
      R"(299 - "a (and 2 other pods): host namespaces")"};
  EXPECT_EQ(Warnings(labeled), warnings);
  EXPECT_TRUE(Warnings(Label(R"({"a":"b"})")).empty());
}

TEST_F(PodSecurityTest, RefusesLabelsThatMakeNoSense) {
  const Reply refused = Label(R"({"pod-security.kubernetes.io/enforce":"strict",
                                  "pod-security.kubernetes.io/audit-version":"1.25"})");
  EXPECT_EQ(refused.status, 422);
  EXPECT_EQ(refused.Json()["message"].StringOrEmpty(),
            R"(Namespace "default" is invalid: [)"
            R"(metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: "strict": must )"
            R"(be one of privileged, baseline, restricted, )"
            R"(metadata.labels[pod-security.kubernetes.io/audit-version]: Invalid value: "1.25": )"
            R"(must be "latest" or "v1.x"])");
}

}  // namespace
}  // namespace kinformer::apiserver::testing
