// Kubelets: the authorizer Node and the plug-in NodeRestriction, beside the checks SRV-NODE of
// test/conformance/server_checks.txt.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include "apiserver/rbac_fixture_for_test.h"

namespace kinformer::apiserver::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string kDefault = "/api/v1/namespaces/default/";
const std::string kRequests =
    "/apis/certificates.k8s.io/v1/namespaces/default/podcertificaterequests";

class NodeAccess : public RbacFixture, public ::testing::Test {
 protected:
  static ApiServerOptions For(AuthorizationMode mode) {
    ApiServerOptions options = Options();
    options.authorization = mode;
    options.enable_admission_plugins = {"NodeRestriction"};
    return options;
  }
  explicit NodeAccess(AuthorizationMode mode = AuthorizationMode::kNodeAndRbac)
      : RbacFixture(For(mode)) {}

  // Returns its uid.
  std::string Make(const std::string& path, std::string_view body) {
    const Reply made = Do("POST", path, body);
    EXPECT_EQ(made.status, 201) << made.body;
    return made.Json().At("/metadata/uid").StringOrEmpty();
  }
  Reply Ask(std::string_view method, const std::string& path, std::string_view body = {}) {
    return As({"system:node:n", {"system:nodes"}}, method, path, body);
  }
  // Makes a pod on node n; returns its uid.
  std::string MakePod(const std::string& name, const std::string& rest) {
    return Make(kDefault + "pods", R"({"metadata":{"name":")" + name +
                                       R"("},"spec":{"nodeName":"n",)" + rest +
                                       R"("containers":[{"name":"a","image":"i"}]}})");
  }
};

TEST_F(NodeAccess, Relations_AreReadAgainAfterARestore) {
  Make(kDefault + "secrets", R"({"metadata":{"name":"s"}})");
  MakePod("p", R"("imagePullSecrets":[{"name":"s"}],)");
  EXPECT_EQ(Ask("GET", kDefault + "secrets/s").status, 200);
  const StateSnapshot saved = server_.server().Snapshot();
  ASSERT_EQ(Do("DELETE", kDefault + "pods/p?gracePeriodSeconds=0").status, 200);
  EXPECT_EQ(Ask("GET", kDefault + "secrets/s").status, 403);
  ASSERT_TRUE(server_.server().Restore(saved).ok());
  EXPECT_EQ(Ask("GET", kDefault + "secrets/s").status, 200);
}

// A certificate for a pod: what it says has to be true of the node, the pod and its account.
class PodCertificates : public NodeAccess {
 protected:
  void SetUp() override {
    node_ = Make("/api/v1/nodes", R"({"metadata":{"name":"n"}})");
    account_ = Make(kDefault + "serviceaccounts", R"({"metadata":{"name":"sa"}})");
    pod_ = MakePod("p", R"("serviceAccountName":"sa","volumes":[{"name":"v","projected":{"sources":[
        {"podCertificate":{"signerName":"example.com/s","keyType":"ED25519",
                           "credentialBundlePath":"x"}}]}}],)");
  }
  Reply Request(const std::string& signer, const std::string& pod, const std::string& account,
                const std::string& node_uid) {
    return Ask("POST", kRequests,
               R"({"metadata":{"generateName":"r-"},"spec":{"signerName":")" + signer +
                   R"(","podName":"p","podUID":")" + pod + R"(","serviceAccountName":"sa",)" +
                   R"("serviceAccountUID":")" + account + R"(","nodeName":"n","nodeUID":")" +
                   node_uid + R"(","maxExpirationSeconds":86400,"stubPKCS10Request":"AA=="}})");
  }
  static std::string Text(const Reply& reply) { return reply.Json()["message"].StringOrEmpty(); }

  std::string node_;
  std::string account_;
  std::string pod_;
};

TEST_F(PodCertificates, Contradictions_AreNamed) {
  Reply refused = Request("example.com/s", pod_, account_, "other");
  EXPECT_EQ(refused.status, 500);
  EXPECT_EQ(Text(refused),
            R"(PodCertificateRequest for pod "default/p" names node UID "other", inconsistent )"
            R"(with the running node (")" +
                node_ + R"("))");
  refused = Request("example.com/s", "other", account_, node_);
  EXPECT_EQ(Text(refused),
            R"(PodCertificateRequest for pod "default/p" contains pod UID ("other") which differs )"
            R"(from running pod ")" +
                pod_ + "\"");
  refused = Request("example.com/s", pod_, "other", node_);
  EXPECT_EQ(Text(refused),
            R"(PodCertificateRequest for pod "default/p" names service account UID "other", which )"
            R"(differs from the running service account (")" +
                account_ + R"("))");
  refused = Request("example.com/t", pod_, account_, node_);
  EXPECT_EQ(refused.status, 403);
  EXPECT_THAT(Text(refused),
              HasSubstr(R"(pod "default/p" does not mount a podCertificate projected volume for )"
                        R"(signer "example.com/t")"));
}

TEST_F(PodCertificates, RoleForASigner_CountsAsAVolume) {
  MakeClusterRole("signer", R"({"verbs":["request-serviceaccounts-podcertificate-signer"],
      "apiGroups":["certificates.k8s.io"],"resources":["example.com:t"]})");
  Bind("", "signer", "ClusterRole", "signer",
       R"({"kind":"Group","apiGroup":"rbac.authorization.k8s.io","name":"system:nodes"})");
  EXPECT_THAT(Text(Request("example.com/t", pod_, account_, node_)),
              ::testing::Not(HasSubstr("does not mount")));
  EXPECT_THAT(Text(Request("example.com/u", pod_, account_, node_)), HasSubstr("does not mount"));
}

TEST_F(NodeAccess, AudienceOfADriver_IsFoundThroughClaimAndVolume) {
  Make(kDefault + "serviceaccounts", R"({"metadata":{"name":"sa"}})");
  const std::string pod = MakePod("p", R"("serviceAccountName":"sa","volumes":[
      {"name":"v","persistentVolumeClaim":{"claimName":"c"}}],)");
  const auto ask = [&](const std::string& audience) {
    return Ask("POST", kDefault + "serviceaccounts/sa/token",
               R"({"spec":{"audiences":[")" + audience +
                   R"("],"boundObjectRef":{"apiVersion":"v1","kind":"Pod","name":"p","uid":")" +
                   pod + R"("}}})");
  };
  EXPECT_THAT(
      ask("vault").Json()["message"].StringOrEmpty(),
      HasSubstr(R"(error validating audience "vault": persistentvolumeclaim "c" not found)"));
  Make(kDefault + "persistentvolumeclaims",
       R"({"metadata":{"name":"c"},"spec":{"accessModes":["ReadWriteOnce"],"volumeName":"pv",
           "resources":{"requests":{"storage":"1Gi"}}}})");
  Make("/api/v1/persistentvolumes",
       R"({"metadata":{"name":"pv"},"spec":{"accessModes":["ReadWriteOnce"],
           "capacity":{"storage":"1Gi"},"csi":{"driver":"d.example.com","volumeHandle":"h"}}})");
  EXPECT_THAT(ask("vault").Json()["message"].StringOrEmpty(),
              HasSubstr(R"(csidriver.storage.k8s.io "d.example.com" not found)"));
  Make("/apis/storage.k8s.io/v1/csidrivers",
       R"({"metadata":{"name":"d.example.com"},"spec":{"tokenRequests":[{"audience":"vault"}]}})");
  EXPECT_EQ(ask("vault").status, 201);
  const Reply refused = ask("other");
  EXPECT_EQ(refused.status, 403);
  EXPECT_THAT(
      refused.Json()["message"].StringOrEmpty(),
      HasSubstr(R"(system:node:n is not authorized to request tokens for audience "other")"));
}

// The plug-in does not need the authorizer.
class NodeRestrictionAlone : public NodeAccess {
 protected:
  NodeRestrictionAlone() : NodeAccess(AuthorizationMode::kAlwaysAllow) {}
};

TEST_F(NodeRestrictionAlone, LimitsWhatKubeletsWrite) {
  Make(kDefault + "persistentvolumeclaims",
       R"({"metadata":{"name":"c"},"spec":{"accessModes":["ReadWriteOnce"],
           "resources":{"requests":{"storage":"1Gi"}}}})");
  EXPECT_EQ(Ask("GET", kDefault + "secrets").status, 200);
  EXPECT_THAT(
      Ask("DELETE", kDefault + "persistentvolumeclaims/c").Json()["message"].StringOrEmpty(),
      HasSubstr("may only update PVC status"));
  EXPECT_THAT(Ask("POST", "/api/v1/nodes", R"({"metadata":{"name":"m"}})")
                  .Json()["message"]
                  .StringOrEmpty(),
              StartsWith(R"(nodes "m" is forbidden: node "n" is not allowed to modify node "m")"));
  EXPECT_EQ(
      As({"system:node:n", {}}, "POST", "/api/v1/nodes", R"({"metadata":{"name":"m"}})").status,
      201);
  const Reply unknown = As({"system:node:", {"system:nodes"}}, "POST", "/api/v1/nodes",
                           R"({"metadata":{"name":"o"}})");
  EXPECT_THAT(unknown.Json()["message"].StringOrEmpty(),
              HasSubstr(R"(could not determine node from user "system:node:")"));
}

}  // namespace
}  // namespace kinformer::apiserver::testing
