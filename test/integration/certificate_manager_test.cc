// Certificates that the cluster signs: when they are requested, renewed and given up.

#include "kinformer/certificate/certificate_manager.h"

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "kinformer/client/http_transport.h"

#include "integration/certificate_fixture.h"

namespace kinformer::testing {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using CertificateManagerTest = SignedCertificates;

TEST_F(CertificateManagerTest, FirstCertificate_IsRequestedAtOnceAndStored) {
  certificate::Config config = ConfigOf();
  template_->subject.organizations = {"dev"};
  template_->alt_names = {.dns_names = {"a.example.org"}, .ips = {"10.0.0.1"}};
  config.requested_certificate_lifetime = hours(10);
  Make(std::move(config));
  EXPECT_FALSE(manager_->Current());
  EXPECT_FALSE(manager_->ServerHealthy());
  manager_->Start();
  manager_->Start();
  ASSERT_TRUE(RunUntilThere());
  sim_.RunFor(seconds(15));

  ASSERT_THAT(requests_, SizeIs(1));
  EXPECT_EQ(requests_[0].metadata.name.substr(0, 4), "csr-");
  EXPECT_EQ(requests_[0].spec.signerName, kSigner);
  EXPECT_EQ(requests_[0].spec.expirationSeconds, 36000);
  EXPECT_THAT(requests_[0].spec.usages, ElementsAre("digital signature", "client auth"));
  const CertificatePair pair = *manager_->Current();
  EXPECT_EQ(cert::NamesOf(pair.cert_pem).OrExit(), *template_);
  EXPECT_EQ(store_->pair(), pair);
  EXPECT_THAT(rotations_, ElementsAre(pair));
  EXPECT_THAT(asked_with_, ElementsAre(CertificatePair()));
  EXPECT_TRUE(manager_->ServerHealthy());
}

TEST_F(CertificateManagerTest, NextOne_IsRequestedWithANewKeyBetween70And90Percent) {
  Start(ConfigOf());
  ASSERT_TRUE(RunUntilThere());
  for (std::size_t round = 2; round < 6; ++round) {
    const CertificatePair before = *manager_->Current();
    // The time until the signer has answered counts, too.
    ExpectAfter(hours(7) - seconds(20), hours(9) + seconds(20),
                [&] { return rotations_.size() == round; });
    const CertificatePair after = *manager_->Current();
    EXPECT_NE(after.key_pem, before.key_pem);
    EXPECT_NE(after.cert_pem, before.cert_pem);
    EXPECT_EQ(UserOf(after), "jane");
    EXPECT_EQ(asked_with_.back(), before) << "the old one is good for the request";
    EXPECT_EQ(store_->pair(), after);
  }
  EXPECT_THAT(requests_, SizeIs(5));
}

TEST_F(CertificateManagerTest, TimesOfRenewal_DifferBetweenPrograms) {
  std::vector<Duration> after;
  for (int i = 0; i < 3; ++i) {
    rotations_.clear();
    Start(ConfigOf());
    const SteadyTime begun = sim_.env().Now();
    ASSERT_TRUE(sim_.RunUntil([&] { return rotations_.size() == 2; }, hours(10)));
    after.push_back(sim_.env().Now() - begun);
    Run([&] { manager_.reset(); });
    store_ = std::make_shared<MemoryStore>();
  }
  EXPECT_NE(after[0], after[1]);
  EXPECT_NE(after[1], after[2]);
}

TEST_F(CertificateManagerTest, RefusedRequests_AreRepeatedWithGrowingPauses) {
  for (const Decision decision : {Decision::kDeny, Decision::kFail, Decision::kDelete}) {
    SCOPED_TRACE(static_cast<int>(decision));
    decision_ = decision;
    requests_.clear();
    Start(ConfigOf());
    for (const int pause : {0, 2, 4, 8, 16, 32, 32}) {
      const std::size_t before = requests_.size();
      ExpectAfter(seconds(pause), seconds(pause) * 11 / 10 + seconds(2),
                  [&] { return requests_.size() > before; });
    }
    EXPECT_FALSE(manager_->Current());
    EXPECT_TRUE(manager_->ServerHealthy()) << "it has answered";
    decision_ = Decision::kSign;
    ASSERT_TRUE(RunUntilThere());
    Run([&] { manager_.reset(); });
    store_ = std::make_shared<MemoryStore>();
  }
}

TEST_F(CertificateManagerTest, RequestThatNobodyDecides_IsReplacedAfter15Minutes) {
  decision_ = Decision::kIgnore;
  Start(ConfigOf());
  ASSERT_TRUE(sim_.RunUntil([&] { return requests_.size() == 1; }, seconds(15)));
  ExpectAfter(minutes(15), minutes(16), [&] { return requests_.size() == 2; });
  decision_ = Decision::kSign;
  ASSERT_TRUE(sim_.RunUntil([&] { return manager_->Current().has_value(); }, minutes(16)));
  EXPECT_THAT(requests_, SizeIs(3));
}

TEST_F(CertificateManagerTest, WatchThatIsCut_GoesOn) {
  decision_ = Decision::kIgnore;
  Start(ConfigOf());
  ASSERT_TRUE(sim_.RunUntil([&] { return requests_.size() == 1; }, seconds(15)));
  server_.faults().Add({.verb = "watch",
                        .resource = "certificatesigningrequests",
                        .action = apiserver::FaultAction::kCutBody});
  sim_.RunFor(minutes(8));
  server_.faults().Clear();
  Run([&] {
    const auto requests = Clientset(client_).CertificatesV1().CertificateSigningRequests();
    Ref<Request> read = requests.Get(requests_[0].metadata.name).OrExit();
    Request::Mutable object = read->DeepCopy();
    object.status.conditions.push_back({.type = "Approved", .status = "True", .reason = "Late"});
    read = requests.UpdateApproval(object.metadata.name, object).OrExit();
    object = read->DeepCopy();
    object.status.certificate =
        authority_.Sign(object.spec.request, sim_.env().WallNow(), hours(1)).OrExit();
    EXPECT_TRUE(requests.UpdateStatus(object).ok());
  });
  ASSERT_TRUE(RunUntilThere());
  EXPECT_THAT(requests_, SizeIs(1));
}

TEST_F(CertificateManagerTest, ServerThatIsAway_IsUnhealthyAndThePairStays) {
  Start(ConfigOf());
  ASSERT_TRUE(RunUntilThere());
  const CertificatePair first = *manager_->Current();
  server_.faults().Add({.verb = "create", .action = apiserver::FaultAction::kRefuse});
  sim_.RunFor(hours(9) + minutes(1));
  EXPECT_FALSE(manager_->ServerHealthy());
  EXPECT_EQ(manager_->Current(), first) << "it is valid for an hour more";
  sim_.RunFor(hours(1));
  EXPECT_FALSE(manager_->Current()) << "it has expired";
  server_.faults().Clear();
  ASSERT_TRUE(RunUntilThere());
  EXPECT_TRUE(manager_->ServerHealthy());
}

TEST_F(CertificateManagerTest, WithoutATemplate_NothingIsRequested) {
  certificate::Config config = ConfigOf();
  template_.reset();
  Start(std::move(config));
  sim_.RunFor(minutes(5));
  EXPECT_THAT(requests_, IsEmpty());
  template_ = cert::CertificateRequest{.subject = {.common_name = "joe"}, .alt_names = {}};
  ASSERT_TRUE(RunUntilThere());
  EXPECT_EQ(UserOf(*manager_->Current()), "joe");
}

TEST_F(CertificateManagerTest, NewNamesInTheTemplate_AreRequestedAtOnceAndFewerAreNot) {
  certificate::Config config = ConfigOf();
  template_->alt_names.ips = {"10.0.0.1", "10.0.0.2"};
  Start(std::move(config));
  ASSERT_TRUE(RunUntilThere());
  template_->alt_names.ips = {"10.0.0.2"};
  sim_.RunFor(minutes(1));
  EXPECT_THAT(requests_, SizeIs(1));
  template_->alt_names.ips = {"10.0.0.3"};
  ASSERT_TRUE(sim_.RunUntil([&] { return rotations_.size() == 2; }, seconds(15)));
  EXPECT_EQ(cert::NamesOf(manager_->Current()->cert_pem).OrExit(), *template_);
  for (const auto& change :
       std::vector<std::function<void()>>{[&] { template_->subject.common_name = "joe"; },
                                          [&] { template_->subject.organizations = {"dev"}; },
                                          [&] { template_->alt_names.dns_names = {"a"}; }}) {
    const std::size_t before = rotations_.size();
    change();
    ASSERT_TRUE(sim_.RunUntil([&] { return rotations_.size() == before + 1; }, seconds(15)));
  }
}

TEST_F(CertificateManagerTest, TemplateThatChangesWhileARequestWaits_ReplacesIt) {
  decision_ = Decision::kIgnore;
  Start(ConfigOf());
  ASSERT_TRUE(sim_.RunUntil([&] { return requests_.size() == 1; }, seconds(15)));
  sim_.RunFor(minutes(1));
  decision_ = Decision::kSign;
  template_->subject.common_name = "joe";
  ASSERT_TRUE(sim_.RunUntil([&] { return manager_->Current().has_value(); }, seconds(15)));
  EXPECT_EQ(UserOf(*manager_->Current()), "joe");
  EXPECT_THAT(requests_, SizeIs(2));
}

TEST_F(CertificateManagerTest, StoredPair_IsUsedUntilItIsDue) {
  const CertificatePair stored = PairOf("jane", hours(10));
  ASSERT_TRUE(store_->Update(stored).ok());
  Start(ConfigOf());
  EXPECT_EQ(manager_->Current(), stored);
  sim_.RunFor(hours(6));
  EXPECT_THAT(requests_, IsEmpty());
  ASSERT_TRUE(sim_.RunUntil([&] { return rotations_.size() == 1; }, hours(4)));
}

TEST_F(CertificateManagerTest, StoredPairOfAnotherUser_IsReplaced) {
  const CertificatePair stored = PairOf("joe", hours(10));
  ASSERT_TRUE(store_->Update(stored).ok());
  Start(ConfigOf());
  EXPECT_EQ(manager_->Current(), stored);
  ASSERT_TRUE(sim_.RunUntil([&] { return rotations_.size() == 1; }, seconds(15)));
  EXPECT_EQ(UserOf(*manager_->Current()), "jane");
}

TEST_F(CertificateManagerTest, BootstrapPair_IsUsedAndReplacedAtOnce) {
  ASSERT_TRUE(store_->Update(PairOf("jane", seconds(30))).ok());
  sim_.RunFor(minutes(1));
  const CertificatePair bootstrap = PairOf("jane", hours(10));
  certificate::Config config = ConfigOf();
  config.bootstrap_certificate_pem = bootstrap.cert_pem;
  config.bootstrap_key_pem = bootstrap.key_pem;
  Start(std::move(config));
  EXPECT_EQ(manager_->Current(), bootstrap) << "the stored one has expired";
  ASSERT_TRUE(sim_.RunUntil([&] { return rotations_.size() == 1; }, seconds(15)));
  EXPECT_THAT(asked_with_, ElementsAre(bootstrap));
  sim_.RunFor(hours(1));
  EXPECT_THAT(requests_, SizeIs(1));
}

// Otherwise it would be asked without a pause.
TEST_F(CertificateManagerTest, SignerOfOldCertificates_IsNotAskedAllTheTime) {
  validity_ = seconds(1000);
  began_ago_ = seconds(900);
  Start(ConfigOf());
  ASSERT_TRUE(RunUntilThere());
  sim_.RunFor(seconds(1000));
  EXPECT_GE(requests_.size(), 11U);
  EXPECT_LE(requests_.size(), 16U);
}

TEST_F(CertificateManagerTest, SignerThatLeavesNamesOut_IsNotAskedAllTheTime) {
  certificate::Config config = ConfigOf();
  names_ = *template_;
  template_->alt_names.ips = {"10.0.0.1"};
  Start(std::move(config));
  sim_.RunFor(minutes(10));
  EXPECT_TRUE(manager_->Current()) << "it is better than none";
  EXPECT_GE(requests_.size(), 18U);
  EXPECT_LE(requests_.size(), 24U);
  names_.reset();
  ASSERT_TRUE(sim_.RunUntil(
      [&] { return !cert::NamesOf(manager_->Current()->cert_pem).OrExit().alt_names.ips.empty(); },
      minutes(1)));
}

TEST_F(CertificateManagerTest, AddressesAreComparedAndNotTheirTexts) {
  certificate::Config config = ConfigOf();
  template_->alt_names.ips = {"FD00:0::1"};
  Start(std::move(config));
  sim_.RunFor(minutes(10));
  EXPECT_THAT(requests_, SizeIs(1));
}

TEST_F(CertificateManagerTest, CredentialsOfAClient_FollowThePair) {
  certificate::Config config = ConfigOf();
  Make(std::move(config));
  const std::shared_ptr<CredentialSource> source = manager_->ClientCredentials();
  const auto fetched = [&] {
    CertificatePair pair;
    source->Fetch(sim_.env(), [&](Result<Credentials> got) {
      pair = {.cert_pem = got->cert_pem, .key_pem = got->key_pem};
      EXPECT_EQ(got->authorization, "");
    });
    return pair;
  };
  EXPECT_EQ(fetched(), CertificatePair());
  EXPECT_FALSE(source->CanRefresh());
  manager_->Start();
  ASSERT_TRUE(RunUntilThere());
  EXPECT_EQ(fetched(), *manager_->Current());
  ASSERT_TRUE(sim_.RunUntil([&] { return rotations_.size() == 2; }, hours(10)));
  EXPECT_EQ(fetched(), rotations_[1]);
  Run([&] { manager_.reset(); });
  EXPECT_EQ(fetched(), rotations_[1]) << "they outlive the manager";
  sim_.RunFor(hours(11));
  EXPECT_EQ(fetched(), CertificatePair()) << "it has expired";
}

TEST_F(CertificateManagerTest, Stop_EndsRequestsAndRenewals) {
  Start(ConfigOf());
  ASSERT_TRUE(RunUntilThere());
  manager_->Stop();
  manager_->Start();
  sim_.RunFor(hours(9) + minutes(1));
  EXPECT_THAT(requests_, SizeIs(1));
  EXPECT_TRUE(manager_->Current());

  decision_ = Decision::kIgnore;
  store_ = std::make_shared<MemoryStore>();
  Run([&] { manager_.reset(); });
  Make(ConfigOf());
  std::stop_source stop;
  const Timer end =
      sim_.env().loop().RunAt(sim_.env().Now() + minutes(5), [&] { stop.request_stop(); });
  const SteadyTime begun = sim_.env().Now();
  Run([&] { EXPECT_TRUE(manager_->Run(stop.get_token()).ok()); });
  EXPECT_EQ(sim_.env().Now() - begun, minutes(5));
  EXPECT_THAT(requests_, SizeIs(2)) << "one waits, and is given up";
  Run([&] { manager_.reset(); });
  EXPECT_LT(sim_.env().Now() - begun, minutes(6));
}

}  // namespace
}  // namespace kinformer::testing
