#include "apiserver/request/responses.h"

#include <chrono>
#include <cstddef>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/simulation.h"

#include "apiserver/errors/status.h"
#include "transport/head_keeper.h"

namespace kinformer::apiserver {
namespace {

using std::chrono::seconds;
using Texts = std::vector<std::string>;

// Returns all values of a header.
Texts ValuesOf(const HttpHeaders& headers, std::string_view name) {
  Texts out;
  for (const auto& [key, value] : headers) {
    if (key == name) out.emplace_back(value);
  }
  return out;
}

std::string BodyOf(ResponseStream& response) {
  std::string out;
  ResponseStream::State state = ResponseStream::State::kMore;
  while (state == ResponseStream::State::kMore) {
    std::vector<BodyChunk> chunks;
    state = response.Read(1000, chunks);
    for (const BodyChunk& chunk : chunks) out += chunk.bytes;
  }
  EXPECT_EQ(state, ResponseStream::State::kEnd);
  return out;
}

TEST(Responses, WholeResponse_HasItsTypeAndLength) {
  const ResponsePtr response = WholeResponse(201, "text/plain", "hello");
  EXPECT_EQ(response->status(), 201);
  EXPECT_TRUE(response->ready());
  EXPECT_EQ(ValuesOf(response->headers(), "Content-Type"), Texts{"text/plain"});
  EXPECT_EQ(ValuesOf(response->headers(), "Content-Length"), Texts{"5"});
  EXPECT_EQ(ValuesOf(response->headers(), "Cache-Control"), Texts{"no-cache, private"});
  EXPECT_EQ(BodyOf(*response), "hello");
}

TEST(Responses, Error_IsAStatusThatTheClientAccepts) {
  Error error = BadRequestError("why");
  ResponsePtr response = ErrorResponse(error, "application/json");
  EXPECT_EQ(response->status(), 400);
  EXPECT_EQ(ValuesOf(response->headers(), "Content-Type"), Texts{"application/json"});
  EXPECT_EQ(ValuesOf(response->headers(), "Retry-After"), Texts{});
  EXPECT_EQ(BodyOf(*response), StatusJson(error) + "\n");
  // Tables and partial metadata are for objects only.
  response =
      ErrorResponse(error, "application/json;as=Table;g=meta.k8s.io;v=v1,application/json;q=0.5");
  EXPECT_EQ(BodyOf(*response), StatusJson(error) + "\n");

  response = ErrorResponse(error, "application/vnd.kubernetes.protobuf");
  EXPECT_EQ(ValuesOf(response->headers(), "Content-Type"),
            Texts{"application/vnd.kubernetes.protobuf"});
  EXPECT_EQ(BodyOf(*response).substr(0, 4), std::string("k8s\0", 4));

  error.WithRetryAfter(seconds(7));
  response = ErrorResponse(error, "image/png");
  EXPECT_EQ(ValuesOf(response->headers(), "Content-Type"), Texts{"application/json"});
  EXPECT_EQ(ValuesOf(response->headers(), "Retry-After"), Texts{"7"});
  EXPECT_NE(BodyOf(*response).find("{\n  \"kind\": \"Status\""), std::string::npos) << "pretty";
}

class DelayedResponses : public ::testing::Test {
 protected:
  // Sets up a server at version 10.
  DelayedResponses() : state_(sim_.env(), Options()) {}

  static ApiServerOptions Options() {
    ApiServerOptions options;
    options.first_resource_version = 10;
    return options;
  }
  std::unique_ptr<ResponseStream> WhenReached(std::int64_t version) {
    ResponsePtr response = WhenVersionReached(state_, version, seconds(3), [this](bool reached) {
      ++answers_;
      return WholeResponse(reached ? 200 : 504, "text/plain", "x");
    });
    response->SetWake([this] { ++wakes_; });
    return response;
  }

  Simulation sim_;
  ServerState state_;
  int answers_ = 0;
  int wakes_ = 0;
};

TEST_F(DelayedResponses, Version_IsWaitedFor) {
  const ResponsePtr response = WhenReached(12);
  state_.resource_version = 11;
  state_.VersionReached();
  EXPECT_FALSE(response->ready());
  std::vector<BodyChunk> chunks;
  EXPECT_EQ(response->Read(10, chunks), ResponseStream::State::kWait);
  state_.resource_version = 12;
  state_.VersionReached();
  ASSERT_TRUE(response->ready());
  EXPECT_EQ(response->status(), 200);
  EXPECT_EQ(wakes_, 1);
  sim_.RunFor(seconds(10));
  state_.VersionReached();
  EXPECT_EQ(answers_, 1) << "answered once";
  EXPECT_EQ(BodyOf(*response), "x");
}

TEST_F(DelayedResponses, Version_ThatIsNotReachedInTime) {
  const ResponsePtr response = WhenReached(12);
  sim_.RunFor(seconds(3) - std::chrono::milliseconds(1));
  EXPECT_FALSE(response->ready());
  sim_.RunFor(std::chrono::milliseconds(1));
  ASSERT_TRUE(response->ready());
  EXPECT_EQ(response->status(), 504);
  state_.resource_version = 12;
  state_.VersionReached();
  EXPECT_EQ(answers_, 1);
}

TEST_F(DelayedResponses, CallerThatLeaves_GetsNoAnswer) {
  WhenReached(12).reset();
  int made = 0;
  Delayed(state_, seconds(1), [&] {
    ++made;
    return WholeResponse(200, "text/plain", "x");
  }).reset();
  state_.resource_version = 12;
  state_.VersionReached();
  sim_.RunFor(seconds(10));
  EXPECT_EQ(answers_, 0);
  EXPECT_EQ(made, 0);
}

TEST_F(DelayedResponses, Delay_IsExact) {
  ResponsePtr response = Warning(
      Audited(Delayed(state_, seconds(2), [] { return WholeResponse(202, "text/plain", "x"); }),
              "id"),
      "careful");
  response->SetWake([this] { ++wakes_; });
  sim_.RunFor(seconds(2) - std::chrono::milliseconds(1));
  EXPECT_FALSE(response->ready());
  EXPECT_EQ(wakes_, 0);
  sim_.RunFor(std::chrono::milliseconds(1));
  ASSERT_TRUE(response->ready());
  EXPECT_EQ(wakes_, 1);
  EXPECT_EQ(response->status(), 202);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(ValuesOf(response->headers(), "Audit-Id"), Texts{"id"}) << "added once";
    EXPECT_EQ(ValuesOf(response->headers(), "Warning"), Texts{"299 - \"careful\""});
    EXPECT_EQ(ValuesOf(response->headers(), "Content-Type"), Texts{"text/plain"});
  }
  // The headers are kept: the same object is returned again.
  EXPECT_EQ(&response->headers(), &response->headers());
  EXPECT_EQ(BodyOf(*response), "x");
}

// A watch has such a response.
class KeptHead final : public ResponseStream, public internal::transport::HeadKeeper {
 public:
  explicit KeptHead(int& released) : released_(released) {}
  [[nodiscard]] int status() const override { return 200; }
  [[nodiscard]] const HttpHeaders& headers() const override { return headers_; }
  State Read(std::size_t, std::vector<BodyChunk>&) override { return State::kWait; }
  void SetWake(std::function<void()>) override {}
  void ReleaseHead() override { ++released_; }

 private:
  int& released_;
  HttpHeaders headers_{};
};

TEST(Responses, AuditedResponse_FreesTheHeadOfTheOneInIt) {
  int released = 0;
  const ResponsePtr response =
      Audited(Warning(std::make_unique<KeptHead>(released), "careful"), "an-id");
  EXPECT_EQ(ValuesOf(response->headers(), "Audit-Id"), Texts{"an-id"});
  EXPECT_EQ(ValuesOf(response->headers(), "Warning"), Texts{"299 - \"careful\""});
  EXPECT_EQ(released, 0);
  internal::transport::ReleaseHead(*response);
  EXPECT_EQ(released, 1);
  std::vector<BodyChunk> chunks;
  EXPECT_EQ(response->Read(1, chunks), ResponseStream::State::kWait);
}

TEST(Responses, EqualWarnings_AreSentOnce) {
  HttpHeaders headers;
  AddWarnings({"a", "b", "a", "a"}, headers);
  EXPECT_EQ(ValuesOf(headers, "Warning"), (Texts{"299 - \"a\"", "299 - \"b\""}));
}

TEST(Responses, Warnings_TakeAtMostFourKibibytes) {
  // `299 - "` and the last quote are 8 bytes.
  const auto of_size = [](std::size_t bytes) { return std::string(bytes - 8, 'w'); };
  const auto warned = [](const Texts& warnings) {
    const ResponsePtr response = Warned(WholeResponse(200, "text/plain", ""), warnings);
    HttpHeaders headers;
    AddWarnings(warnings, headers);
    EXPECT_EQ(ValuesOf(headers, "Warning"), ValuesOf(response->headers(), "Warning"));
    return ValuesOf(headers, "Warning");
  };
  EXPECT_EQ(warned({}), Texts{});
  EXPECT_EQ(warned({"a", "b\"c"}), (Texts{"299 - \"a\"", R"(299 - "b\"c")"}));
  EXPECT_EQ(warned({"a > b & \\c\nd"}), Texts{R"(299 - "a > b & \\c d")"});
  EXPECT_EQ(warned({of_size(4032)}).at(0).size(), 4032U);
  EXPECT_EQ(warned({of_size(4033)}), Texts{"299 - \"1 more warning\""});
  const Texts two = warned({of_size(2000), of_size(2032)});
  ASSERT_EQ(two.size(), 2U);
  EXPECT_EQ(two[1].size(), 2032U);
  const Texts cut = warned({of_size(2000), of_size(2033), "a"});
  ASSERT_EQ(cut.size(), 2U);
  EXPECT_EQ(cut[1], "299 - \"2 more warnings\"");
  Texts thousand;
  for (int i = 1000; i < 2000; ++i) thousand.push_back(std::to_string(i));
  const Texts many = warned(thousand);
  EXPECT_EQ(many.size(), 337U) << "336 of 12 bytes, and the last one";
  EXPECT_EQ(many.back(), "299 - \"664 more warnings\"");
}

}  // namespace
}  // namespace kinformer::apiserver
