#include "transport/wrapped_transport.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/metrics.h"
#include "kinformer/base/simulation.h"
#include "kinformer/client/transport_wrapper.h"

namespace kinformer::internal::transport {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Answers nothing, and notes the values of the header X-By.
class Innermost final : public Transport {
 public:
  std::unique_ptr<HttpCall> Start(HttpRequest request, ResponseReceiver& /*receiver*/) override {
    for (const auto& [name, value] : request.headers) {
      if (name == "X-By") by.emplace_back(value);
    }
    return std::make_unique<HttpCall>();
  }
  [[nodiscard]] TransportStats Stats() const override { return {.requests = by.size()}; }
  [[nodiscard]] std::string Describe() const override { return "the innermost"; }

  std::vector<std::string> by{};
};

class Signs final : public ForwardingTransport {
 public:
  Signs(std::shared_ptr<Transport> inner, std::string name)
      : ForwardingTransport(std::move(inner)), name_(std::move(name)) {}
  std::unique_ptr<HttpCall> Start(HttpRequest request, ResponseReceiver& receiver) override {
    request.headers.Add("X-By", name_);
    return inner().Start(std::move(request), receiver);
  }

 private:
  const std::string name_;
};

WrapperFunc Signer(std::string name) {
  return
      [name = std::move(name)](const auto& inner) { return std::make_shared<Signs>(inner, name); };
}

class NoReceiver final : public ResponseReceiver {
  void OnHeaders(int /*status*/, const HttpHeaders& /*headers*/) override {}
  void OnData(std::string_view /*data*/) override {}
  void OnDone(Result<void> /*result*/) override {}
};

class WrappedTransportTest : public ::testing::Test {
 protected:
  const std::shared_ptr<TextMetrics> metrics_ = NewTextMetrics();
  Simulation sim_{{.metrics = metrics_}};
  const std::shared_ptr<Innermost> innermost_ = std::make_shared<Innermost>();
};

TEST_F(WrappedTransportTest, LastWrapperIsOutermostAndEmptyOnesAreIgnored_TR20) {
  const auto wrapped =
      Wrapped(sim_.env(), {{}, Signer("first"), nullptr, Signer("second"), {}}, innermost_);
  ASSERT_TRUE(wrapped.ok()) << wrapped.error();
  NoReceiver receiver;
  EXPECT_NE((*wrapped)->Start({.target = "/x"}, receiver), nullptr);
  EXPECT_THAT(innermost_->by, ElementsAre("second", "first"));
}

TEST_F(WrappedTransportTest, NoWrapperLeavesTheTransportAsItIs_TR20) {
  EXPECT_EQ(Wrapped(sim_.env(), {}, innermost_).OrExit(), innermost_);
  EXPECT_EQ(Wrapped(sim_.env(), {{}, nullptr}, innermost_).OrExit(), innermost_);
}

TEST_F(WrappedTransportTest, ForwardingTransportHandsOnWhatIsNotOverridden) {
  ForwardingTransport forwarding(innermost_);
  NoReceiver receiver;
  HttpRequest request{.target = "/x"};
  request.headers.Add("X-By", "the client");
  EXPECT_NE(forwarding.Start(std::move(request), receiver), nullptr);
  EXPECT_THAT(innermost_->by, ElementsAre("the client"));
  EXPECT_EQ(forwarding.Stats().requests, 1U);
  EXPECT_EQ(forwarding.Describe(), "the innermost");
}

TEST_F(WrappedTransportTest, WrapperThrows_ErrorNamesIt) {
  bool later = false;
  const auto wrapped = Wrapped(sim_.env(),
                               {Signer("first"),
                                {},
                                [](const auto& /*inner*/) -> std::shared_ptr<Transport> {
                                  throw std::runtime_error("no luck");
                                },
                                [&later](auto inner) {
                                  later = true;
                                  return inner;
                                }},
                               innermost_);
  ASSERT_FALSE(wrapped.ok());
  EXPECT_EQ(wrapped.error().reason(), Reason::kConfig);
  EXPECT_EQ(wrapped.error().message(), "Config::wrap_transport[2] threw: no luck");
  EXPECT_THAT(metrics_->Text(),
              HasSubstr("kinformer_user_exceptions_total{function=\"Config::wrap_transport\"} 1"));
  EXPECT_FALSE(later);
}

TEST_F(WrappedTransportTest, WrapperReturnsNull_ErrorNamesIt) {
  const auto wrapped = Wrapped(
      sim_.env(), {Signer("first"), [](const auto& /*inner*/) { return nullptr; }}, innermost_);
  ASSERT_FALSE(wrapped.ok());
  EXPECT_EQ(wrapped.error().reason(), Reason::kConfig);
  EXPECT_EQ(wrapped.error().message(),
            "Config::wrap_transport[1] returned null: let it return its argument if it wraps "
            "nothing");
}

}  // namespace
}  // namespace kinformer::internal::transport
