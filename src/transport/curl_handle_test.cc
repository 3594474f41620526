// Handles of libcurl that serve several exchanges.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "transport/curl_transfer_fixture_for_test.h"

namespace kinformer::internal::transport {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class CurlHandleTest : public CurlTransferTest {
 protected:
  CurlHandleTest() { Make(server_.url(), {.target = "/first"}); }

  CurlTransfer& Next(HttpRequest request) {
    receiver_ = NotingReceiver();
    transfer_ = std::make_shared<CurlTransfer>(shared_, std::move(request), receiver_);
    return *transfer_;
  }
  CURL* PreparedFor(HttpRequest request) {
    CurlTransfer& transfer = Next(std::move(request));
    EXPECT_TRUE(transfer.Prepare(tls_, "Bearer t").ok());
    return transfer.easy();
  }
  // Makes a request whose handle may be kept, and returns the answer's text.
  std::string Exchange(HttpRequest request, std::string authorization = "Bearer t") {
    CurlTransfer& transfer = Next(std::move(request));
    EXPECT_TRUE(transfer.Prepare(tls_, std::move(authorization)).ok());
    EXPECT_EQ(curl_easy_perform(transfer.easy()), CURLE_OK);
    EXPECT_TRUE(transfer.Verdict(CURLE_OK).ok());
    transfer.KeepHandle();
    return receiver_.text;
  }
  static HttpRequest With(std::string target, const std::string& header) {
    HttpRequest request{.target = std::move(target)};
    request.headers.Add("X-A", header);
    return request;
  }

  // Answers with the request's head.
  LoopbackServer server_{[](const LoopbackServer::Request& request, LoopbackServer::Peer& peer) {
    return peer.Write(PlainResponse(request.head));
  }};
  std::shared_ptr<const TlsMaterial> tls_ = std::make_shared<const TlsMaterial>();
};

TEST_F(CurlHandleTest, KeptHandle_SendsTheTargetHeadersAndTokenOfItsNewExchange) {
  EXPECT_THAT(Exchange(With("/a", "1")), HasSubstr("GET /a "));
  EXPECT_EQ(shared_->handles.size(), 1U);
  const std::string same = Exchange(With("/b", "1"));
  EXPECT_THAT(same, HasSubstr("GET /b "));
  EXPECT_THAT(same, HasSubstr("X-A: 1\r\nAuthorization: Bearer t\r\n"));
  const std::string other = Exchange(With("/c", "2"));
  EXPECT_THAT(other, HasSubstr("X-A: 2\r\nAuthorization: Bearer t\r\n"));
  EXPECT_THAT(other, Not(HasSubstr("X-A: 1")));
  EXPECT_THAT(Exchange(With("/d", "2"), "Bearer new"),
              HasSubstr("X-A: 2\r\nAuthorization: Bearer new\r\n"));
  EXPECT_THAT(Exchange({.target = "/e"}, ""), Not(HasSubstr("Bearer")));
  EXPECT_EQ(shared_->handles.size(), 1U) << "one handle has served all";
}

TEST_F(CurlHandleTest, TargetsOfAllForms_AreSentAsTheyAre) {
  for (const std::string target : {"/a", "/b?x=1", "/c", "/d?", "/e?x=%3D%2F&y=a+b", "/f%2Fg",
                                   "/h/../i/./j", "/k?a=/b?c", "/"}) {
    EXPECT_THAT(Exchange({.target = target}), HasSubstr("GET " + target + " HTTP/1.1\r\n"));
  }
  EXPECT_EQ(shared_->handles.size(), 1U);
}

TEST_F(CurlHandleTest, HandleOfAnotherPoolOrOtherCertificates_IsNotTaken) {
  Exchange({.target = "/a"});
  const auto replaced = std::make_shared<const TlsMaterial>();
  EXPECT_EQ(shared_->handles.Take(ConnectionPool::kShort, replaced).easy, nullptr);
  EXPECT_EQ(shared_->handles.Take(ConnectionPool::kWatch, tls_).easy, nullptr);
  EXPECT_NE(shared_->handles.Take(ConnectionPool::kShort, tls_).easy, nullptr);
  EXPECT_EQ(shared_->handles.Take(ConnectionPool::kShort, tls_).easy, nullptr);
}

TEST_F(CurlHandleTest, RequestsThatAreNoPlainGet_NeitherTakeNorKeepOne) {
  Exchange({.target = "/a"});
  CURL* const kept = PreparedFor({.target = "/b"});
  transfer_->KeepHandle();
  HttpRequest with_body{.target = "/x"};
  with_body.body = "text";
  HttpRequest upgrade{.target = "/x"};
  upgrade.headers.Add("Upgrade", "websocket");
  for (const HttpRequest& request : std::vector<HttpRequest>{{.method = "HEAD", .target = "/x"},
                                                             {.method = "POST", .target = "/x"},
                                                             {.method = "DELETE", .target = "/x"},
                                                             with_body,
                                                             upgrade}) {
    EXPECT_NE(PreparedFor(request), kept) << request.method;
    transfer_->KeepHandle();
    EXPECT_EQ(shared_->handles.size(), 1U) << request.method;
  }
}

TEST_F(CurlHandleTest, AtMostSixteenAreKept_TheNewestOnes) {
  std::vector<std::shared_ptr<CurlTransfer>> all;
  std::vector<CURL*> handles;
  for (int i = 0; i < 20; ++i) {
    handles.push_back(PreparedFor({.target = "/x"}));
    all.push_back(transfer_);
  }
  for (const auto& transfer : all) transfer->KeepHandle();
  EXPECT_EQ(shared_->handles.size(), 16U);
  EXPECT_EQ(PreparedFor({.target = "/x"}), handles.back());
  shared_->handles.Clear();
  EXPECT_EQ(shared_->handles.size(), 0U);
}

}  // namespace
}  // namespace kinformer::internal::transport
