#include "network/lane_scene.h"

#include <chrono>
#include <curl/curl.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <utility>

#include <boost/asio/io_context.hpp>

#include "base/core/env_view.h"
#include "base/loop/io_loop.h"
#include "network/lets_in.h"
#include "transport/loopback_server_for_test.h"
#include "transport/tls_material.h"

namespace kinformer::testing {
namespace {

using internal::transport::CurlLoop;
using internal::transport::CurlShared;
using internal::transport::CurlTransfer;
using internal::transport::TestCertificate;
using internal::transport::TlsMaterial;

// Made once: nothing that is tested here depends on them.
const internal::http::TlsContext& ContextOf(bool http2) {
  const auto make = [](bool offers_http2) {
    const TestCertificate ca = internal::transport::MakeTestCa("test ca");
    const TestCertificate own = internal::transport::MakeTestCertificate(ca, "127.0.0.1");
    return internal::http::NewTlsContext({own.cert, own.key, ca.cert}, offers_http2).OrExit();
  };
  static const internal::http::TlsContext with = make(true);
  static const internal::http::TlsContext without = make(false);
  return http2 ? with : without;
}

// Counts tasks. A timer in the past would be a needless turn.
class CountingLoop final : public Executor {
 public:
  explicit CountingLoop(Env& env) : env_(env) {}
  void Post(Closure task) override {
    ++posted;
    env_.loop().Post(std::move(task));
  }
  Timer RunAt(SteadyTime when, Closure task) override {
    EXPECT_GE(when, env_.Now());
    return env_.loop().RunAt(when, std::move(task));
  }
  bool InThisExecutor() const override { return env_.loop().InThisExecutor(); }

  int posted = 0;

 private:
  Env& env_;
};

}  // namespace

void LaneCall::OnHeaders(int status, const HttpHeaders&) {
  status_ = status;
  if (on_head) on_head();
}

void LaneCall::OnData(std::string_view data) {
  bytes_ += data.size();
  if (on_data) on_data();
}

void LaneCall::OnDone(Result<void> result) {
  EXPECT_FALSE(result_.has_value()) << "OnDone twice";
  result_ = std::move(result);
}

struct LaneScene::Parts {
  boost::asio::io_context io{1};
  std::optional<CountingLoop> loop{};
  std::optional<internal::base::EnvView> env{};
};

LaneScene::LaneScene(LaneSetup setup) : parts_(std::make_unique<Parts>()) {
  curl_global_init(CURL_GLOBAL_DEFAULT);
  internal::base::GiveSockets(sim_.env(), parts_->io);
  network_ = std::make_unique<SimulatedNetwork>(sim_.env(), parts_->io,
                                                [this](int socket) { server_->Adopt(socket); });
  server_ = internal::http::Server::Listen(sim_.env(), handler_, {}, std::make_shared<LetsIn>(),
                                           ContextOf(setup.server_http2))
                .OrExit();
  setup.options.tls.insecure_skip_verify = true;
  parts_->loop.emplace(sim_.env());
  parts_->env.emplace(sim_.env(), *parts_->loop);
  internal::transport::SocketSource* sockets = setup.sockets;
  if (sockets == nullptr && !setup.real_sockets) sockets = network_.get();
  shared_ = std::make_shared<CurlShared>(CurlShared{.kept_env = nullptr,
                                                    .env = *parts_->env,
                                                    .options = std::move(setup.options),
                                                    .endpoint = {.tls = setup.tls,
                                                                 .host = setup.host,
                                                                 .port = setup.port,
                                                                 .authority = setup.host,
                                                                 .prefix = {}},
                                                    .proxy = std::move(setup.proxy),
                                                    .sockets = sockets,
                                                    .stats = {}});
  OnLoop([&] { loop_ = CurlLoop::New(sim_.env()).OrExit(); });
  RunFor(std::chrono::seconds(10));
}

LaneScene::~LaneScene() {
  OnLoop([&] {
    lanes_.clear();
    calls_.clear();
    loop_.reset();
  });
  server_.reset();
  sim_.RunReady();
  network_.reset();
  sim_.RunFor(Duration(1));
}

int LaneScene::posted() const { return parts_->loop->posted; }

LaneScene::CurlLane& LaneScene::NewLane(ConnectionPool pool) {
  lanes_.push_back(std::make_unique<CurlLane>(shared_, *loop_, pool));
  return *lanes_.back();
}

void LaneScene::Destroy(CurlLane& lane) {
  OnLoop([&] { std::erase_if(lanes_, [&](const auto& one) { return one.get() == &lane; }); });
}

LaneCall& LaneScene::Make(std::string target, std::string method, ConnectionPool pool) {
  calls_.push_back(std::make_unique<LaneCall>());
  LaneCall& call = *calls_.back();
  HttpRequest request{.method = std::move(method), .target = std::move(target), .pool = pool};
  call.transfer = std::make_shared<CurlTransfer>(shared_, std::move(request), call);
  EXPECT_TRUE(call.transfer->Prepare(std::make_shared<const TlsMaterial>(), {}).ok());
  return call;
}

LaneCall& LaneScene::Add(CurlLane& lane, std::string target, std::string method) {
  LaneCall& call = Make(std::move(target), std::move(method), lane.pool());
  Add(lane, call);
  return call;
}

void LaneScene::Add(CurlLane& lane, LaneCall& call) {
  OnLoop([&] { lane.Add(call.transfer); });
}

void LaneScene::Remove(CurlLane& lane, LaneCall& call) {
  OnLoop([&] { lane.Remove(call.transfer); });
}

void LaneScene::OnLoop(const std::function<void()>& work) {
  bool done = false;
  env().loop().Post([&] {
    work();
    done = true;
  });
  sim_.RunUntil([&] { return done; }, Duration::max());
}

void LaneScene::RunFor(Duration duration) {
  OnLoop([] {});  // after a task the Simulation looks at the sockets again
  sim_.RunFor(duration);
}

void LaneScene::RunSoon() { RunFor(std::chrono::milliseconds(10)); }

}  // namespace kinformer::testing
