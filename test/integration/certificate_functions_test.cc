// The functions that a program gives to a certificate::Manager: each may throw, and each may end
// the manager that calls it.

#include <chrono>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <ostream>
#include <stdexcept>
#include <string>
#include <utility>

#include "kinformer/certificate/certificate_manager.h"

#include "integration/certificate_fixture.h"
#include "integration/ending_place.h"

namespace kinformer::testing {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::SizeIs;

// A store that does something first.
class OwnStore final : public MemoryStore {
 public:
  explicit OwnStore(std::function<void(const char*)> call) : call_(std::move(call)) {}
  Result<CertificatePair> Current() override {
    call_("Current");
    return MemoryStore::Current();
  }
  Result<void> Update(const CertificatePair& pair) override {
    call_("Update");
    return MemoryStore::Update(pair);
  }

 private:
  const std::function<void(const char*)> call_;
};

class CertificateFunctions : public SignedCertificates {
 protected:
  // Adds a call to each of the functions.
  certificate::Config With(const std::function<void(const char*)>& call) {
    certificate::Config config = ConfigOf();
    config.clientset_fn = [this, call](const CertificatePair&) -> Result<Client> {
      call("ClientsetFn");
      return client_;
    };
    config.get_template = [this, call] {
      call("GetTemplate");
      return template_;
    };
    config.on_rotation = [this, call](const CertificatePair& pair) {
      call("OnRotation");
      rotations_.push_back(pair);
    };
    config.certificate_store = std::make_shared<OwnStore>(call);
    return config;
  }
};

TEST_F(CertificateFunctions, FunctionThatThrowsOnce_IsAFailedAttempt) {
  for (const std::string function : {"ClientsetFn", "GetTemplate"}) {
    SCOPED_TRACE(function);
    bool thrown = false;
    Start(With([&](const char* called) {
      if (function == called && !std::exchange(thrown, true)) throw std::runtime_error("oops");
    }));
    ExpectAfter(seconds(2), seconds(4), [&] { return manager_->Current().has_value(); });
    EXPECT_TRUE(thrown);
    Run([&] { manager_.reset(); });
  }
}

TEST_F(CertificateFunctions, OnRotationThatThrows_HarmsNothing) {
  int calls = 0;
  Start(With([&](const char* called) {
    if (std::string("OnRotation") == called && ++calls == 1) throw std::runtime_error("oops");
  }));
  ASSERT_TRUE(RunUntilThere());
  ASSERT_TRUE(sim_.RunUntil([&] { return rotations_.size() == 1; }, hours(10)));
  EXPECT_EQ(calls, 2);
  EXPECT_THAT(requests_, SizeIs(2));
}

TEST_F(CertificateFunctions, StoreThatThrows_CostsNoCertificate) {
  certificate::Config config = With([](const char* called) {
    if (std::string("Update") == called) throw std::runtime_error("oops");
  });
  Start(std::move(config));
  ASSERT_TRUE(sim_.RunUntil([&] { return rotations_.size() == 1; }, minutes(1)));
  EXPECT_EQ(manager_->Current(), rotations_[0]);
  sim_.RunFor(hours(1));
  EXPECT_THAT(requests_, SizeIs(1)) << "it is not requested again";

  const auto made = certificate::NewManager(sim_.env(), With([](const char* called) {
                                              if (std::string("Current") == called)
                                                throw std::runtime_error("oops");
                                            }));
  ASSERT_FALSE(made);
}

TEST_F(CertificateFunctions, MissingOnes_AreNamed) {
  struct Row {
    std::function<void(certificate::Config&)> take;
    const char* name;
  };
  for (const Row& row : {
           Row{[](certificate::Config& config) { config.clientset_fn = {}; }, "clientset_fn"},
           Row{[](certificate::Config& config) { config.get_template = {}; }, "get_template"},
           Row{[](certificate::Config& config) { config.signer_name = ""; }, "signer_name"},
           Row{[](certificate::Config& config) { config.certificate_store = {}; },
               "certificate_store"},
           Row{[](certificate::Config& config) { config.bootstrap_key_pem = "x"; },
               "bootstrap_key_pem"},
       }) {
    certificate::Config config = ConfigOf();
    row.take(config);
    const auto made = certificate::NewManager(sim_.env(), std::move(config));
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().reason(), Reason::kInvalidArgument);
    EXPECT_THAT(made.error().message(), ::testing::HasSubstr(row.name));
  }
}

struct Case {
  std::string function;
  bool destroys;
};
void PrintTo(const Case& row, std::ostream* out) { *out << row.function << row.destroys; }

class StopFromCertificateManager : public CertificateFunctions,
                                   public ::testing::WithParamInterface<Case> {};

TEST_P(StopFromCertificateManager, ManagerEndsAndCallsNothingMore) {
  EndingPlace place(GetParam().function);
  place.Arm([&] {
    manager_->Stop();
    if (GetParam().destroys) manager_.reset();
  });
  Start(With([&](const char* called) { place.Reach(called); }));
  ASSERT_TRUE(sim_.RunUntil([&] { return place.ended(); }, minutes(1)));
  sim_.RunFor(minutes(1));
  const int calls = place.calls();
  sim_.RunFor(hours(20));
  EXPECT_EQ(place.calls(), calls);
  EXPECT_LE(requests_.size(), 1U);
}

// A store is called on the pool, where a destructor would wait for its own caller.
INSTANTIATE_TEST_SUITE_P(Functions, StopFromCertificateManager,
                         ::testing::Values(Case{"ClientsetFn", false}, Case{"ClientsetFn", true},
                                           Case{"GetTemplate", false}, Case{"GetTemplate", true},
                                           Case{"OnRotation", false}, Case{"OnRotation", true},
                                           Case{"Update", false}),
                         [](const auto& test) {
                           return test.param.function +
                                  (test.param.destroys ? "Destroys" : "Stops");
                         });

}  // namespace
}  // namespace kinformer::testing
