// The transport over libcurl in simulated time: its end while requests, probes and credentials are
// under way, and credentials that come too late.

#include <chrono>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "network/client_calls.h"
#include "network/held_source.h"
#include "network/served_network.h"

namespace kinformer::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::IsEmpty;
using Opening = SimulatedNetwork::Opening;
using Callback = std::function<void(Result<Credentials>)>;

constexpr char kEnded[] = "the transport was shut down";

class TransportEnd : public ServedNetwork {
 protected:
  ~TransportEnd() override {
    OnLoop([&] {
      calls_.clear();
      transport_.reset();
    });
    RunFor(1ms);
  }
  void OnLoop(const std::function<void()>& work) { scene_.OnLoop(work); }
  void Make(HttpTransportOptions options) { transport_ = scene_.NewTransport(std::move(options)); }
  ClientCall& Start(HttpRequest request) {
    calls_.push_back(std::make_unique<ClientCall>(scene_.env()));
    ClientCall& call = *calls_.back();
    OnLoop([&] { call.call = transport_->Start(std::move(request), call); });
    return call;
  }

  std::unique_ptr<Transport> transport_;
  std::vector<std::unique_ptr<ClientCall>> calls_;
};

// Like HeldSource, for a source that does not know who waits.
class LateKeys final : public CredentialSource {
 public:
  void Fetch(Env&, Callback done) override { asked.push_back(std::move(done)); }
  void Rejected(const std::string&) override {}
  bool CanRefresh() const override { return true; }

  std::vector<Callback> asked{};
};

TEST_F(TransportEnd, SilentConnectionUnderAProbe_IsClosedAtOnce) {
  for (const bool http2 : {true, false}) {
    SCOPED_TRACE(http2);
    Make({.disable_http2 = !http2, .read_idle_timeout = 5s});
    ClientCall& watch = Start({.target = "/watch", .pool = kWatches});
    ClientCall& slow = Start({.target = "/slow/60"});
    RunFor(4900ms);
    ASSERT_EQ(watch.bytes(), 5U);
    network().FreezeAll();
    network().SetOpening(Opening::kHanging);
    RunFor(200ms);
    OnLoop([&] { transport_.reset(); });
    RunFor(1ms);
    EXPECT_EQ(watch.error(), kEnded);
    EXPECT_EQ(slow.error(), kEnded);
    EXPECT_EQ(watch.took(), 5100ms);
    EXPECT_THAT(network().Open(), IsEmpty());
    network().SetOpening(Opening::kServed);
  }
}

TEST_F(TransportEnd, AttemptBesideAHangingConnection_EndsToo) {
  Make({});
  network().SetOpening(Opening::kHanging);
  ClientCall& call = Start({.target = "/x"});
  RunFor(2500ms);
  ASSERT_EQ(network().Open().size(), 2U);
  OnLoop([&] { transport_.reset(); });
  RunFor(1ms);
  EXPECT_EQ(call.error(), kEnded);
  EXPECT_THAT(network().Open(), IsEmpty());
}

// The receiver may be gone together with the call.
TEST_F(TransportEnd, CallThatEndsRightAfterTheTransport_IsNotTold) {
  Make({});
  ClientCall& kept = Start({.target = "/watch", .pool = kWatches});
  ClientCall& gone = Start({.target = "/watch", .pool = kWatches});
  RunFor(1s);
  OnLoop([&] {
    transport_.reset();
    scene_.env().loop().Post([&] { gone.call.reset(); });
  });
  RunFor(1s);
  EXPECT_EQ(kept.error(), kEnded);
  EXPECT_FALSE(gone.done());
}

// As a plugin that ends when nobody waits for it any more, and tells others.
TEST_F(TransportEnd, SourceThatAnswersOneWhileItForgetsAnother_EndsBoth) {
  auto source = std::make_shared<HeldSource>();
  Make({.credentials = source});
  std::vector<ClientCall*> calls;
  for (int i = 0; i < 3; ++i) calls.push_back(&Start({.target = "/x"}));
  RunFor(1s);
  ASSERT_EQ(source->asked.size(), 3U);
  source->on_forget = [&] {
    for (const auto& [who, done] : std::exchange(source->asked, {})) {
      done(Credentials{.authorization = "Bearer t"});
    }
  };
  OnLoop([&] { transport_.reset(); });
  RunFor(10s);
  for (const ClientCall* const call : calls) EXPECT_EQ(call->error(), kEnded);
  EXPECT_EQ(handler_.Seen("/x"), 0);
  EXPECT_EQ(network().opened(), 0U);
}

// ---- Credentials

TEST_F(TransportEnd, AnsweredCallers_AreNotForgotten) {
  auto source = std::make_shared<HeldSource>();
  Make({.credentials = source});
  ClientCall& good = Start({.target = "/good"});
  ClientCall& bad = Start({.target = "/bad"});
  ClientCall& late = Start({.target = "/slow/60", .timeout = 4s});
  RunFor(1s);
  ASSERT_EQ(source->asked.size(), 3U);
  OnLoop([&] {
    source->asked[0].second(Credentials{.authorization = "Bearer t"});
    source->asked[1].second(Error(Reason::kUnauthorized, "no token"));
    source->asked[2].second(Credentials{.authorization = "Bearer t"});
  });
  RunFor(5s);
  EXPECT_TRUE(good.ok());
  EXPECT_EQ(bad.error(), "no token");
  EXPECT_EQ(late.took(), 4s);
  OnLoop([&] {
    for (ClientCall* const call : {&good, &bad, &late}) call->call.reset();
  });
  RunFor(1s);
  EXPECT_EQ(source->forgotten.size(), 0U);
}

TEST_F(TransportEnd, CredentialsForARequestThatIsOver_SendNothing) {
  auto source = std::make_shared<LateKeys>();
  Make({.credentials = source});
  ClientCall& late = Start({.target = "/late", .timeout = 1s});
  ClientCall& gone = Start({.target = "/gone"});
  RunFor(2s);
  OnLoop([&] { gone.call.reset(); });
  ASSERT_EQ(source->asked.size(), 2U);
  OnLoop([&] {
    for (const Callback& done : source->asked) done(Credentials{.authorization = "Bearer t"});
  });
  RunFor(10s);
  EXPECT_EQ(late.took(), 1s);
  EXPECT_FALSE(gone.done());
  EXPECT_EQ(handler_.Seen("/late") + handler_.Seen("/gone"), 0);
  EXPECT_EQ(transport_->Stats().connections_opened, 0U);
  EXPECT_EQ(transport_->Stats().requests, 2U);
}

// A new certificate is used from then on. Watches under the old one end; the same one again changes
// nothing.
TEST_F(TransportEnd, CertificateOfTheCredentials_IsUsedUntilItChanges) {
  auto source = std::make_shared<LateKeys>();
  Make({.credentials = source});
  const Credentials first = SocketScene::ClientCertificate("first");
  Credentials key = first;
  key.key_pem += "\n";
  Credentials certificate = key;
  certificate.cert_pem += "\n";
  struct Row {
    Credentials credentials;
    std::size_t opened;
  };
  std::vector<ClientCall*> watches;
  for (const Row& row : std::vector<Row>{{first, 1},
                                         {first, 1},
                                         {key, 2},
                                         {key, 2},
                                         {certificate, 3},
                                         {Credentials(), 3},
                                         {certificate, 3},
                                         {first, 4}}) {
    SCOPED_TRACE(watches.size());
    ClientCall& watch = Start({.target = "/watch", .pool = kWatches});
    const bool changed = transport_->Stats().connections_opened + 1 == row.opened;
    OnLoop([&] { source->asked.back()(row.credentials); });
    RunFor(1s);
    EXPECT_EQ(watch.bytes(), 5U);
    EXPECT_EQ(transport_->Stats().connections_opened, row.opened);
    for (const ClientCall* const other : watches) EXPECT_EQ(other->failed(), changed);
    if (changed) watches.clear();
    watches.push_back(&watch);
  }
}

}  // namespace
}  // namespace kinformer::testing
