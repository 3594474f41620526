// Headers of an authenticating proxy.

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>

#include "kinformer/client/transport_wrapper.h"

namespace kinformer {
namespace {

std::string Text(const HttpHeaders& headers) {
  std::string out;
  for (const auto& [name, value] : headers) out.append(name).append("=").append(value).append(";");
  return out;
}

TEST(AuthProxy, Headers_NameTheUserAndNobodyElse_TR14) {
  HttpRequest request;
  request.headers.Add("X-Remote-User", "root");
  request.headers.Add("x-remote-uid", "0");
  request.headers.Add("X-Remote-Group", "system:masters");
  request.headers.Add("X-REMOTE-GROUP", "wheel");
  request.headers.Add("X-Remote-Extra-Scopes", "all");
  request.headers.Add("x-remote-extra-", "empty");
  request.headers.Add("X-Remote-Extr", "mine");
  request.headers.Add("Accept", "a");
  SetAuthProxyHeaders(request, {.name = "jo",
                                .uid = "7",
                                .groups = {"dev", "ops"},
                                .extra = {{"Scopes/a", {"x", "y"}}, {"none", {}}}});
  EXPECT_EQ(Text(request.headers),
            "X-Remote-Extr=mine;Accept=a;X-Remote-User=jo;X-Remote-Uid=7;X-Remote-Group=dev;"
            "X-Remote-Group=ops;X-Remote-Extra-scopes%2Fa=x;X-Remote-Extra-scopes%2Fa=y;");
}

TEST(AuthProxy, UserWithoutFields_HasAName_TR14) {
  HttpRequest request;
  request.headers.Add("X-Remote-Uid", "0");
  SetAuthProxyHeaders(request, {});
  EXPECT_EQ(Text(request.headers), "X-Remote-User=;");
}

// Keeps the headers of the last request.
class LastHeaders final : public Transport {
 public:
  std::unique_ptr<HttpCall> Start(HttpRequest request, ResponseReceiver&) override {
    text = Text(request.headers);
    return nullptr;
  }
  [[nodiscard]] TransportStats Stats() const override { return {}; }
  [[nodiscard]] std::string Describe() const override { return "last"; }
  std::string text;
};

class NoReceiver final : public ResponseReceiver {
  void OnHeaders(int, const HttpHeaders&) override {}
  void OnData(std::string_view) override {}
  void OnDone(Result<void>) override {}
};

TEST(AuthProxy, Transport_DoesSoToEachRequest_TR14) {
  const auto inner = std::make_shared<LastHeaders>();
  const auto proxy = NewAuthProxyRoundTripper({.name = "jo"}, inner);
  NoReceiver receiver;
  for (const char* claimed : {"", "root"}) {
    HttpRequest request;
    if (*claimed != '\0') request.headers.Add("X-Remote-User", claimed);
    const auto call = proxy->Start(std::move(request), receiver);
    EXPECT_EQ(inner->text, "X-Remote-User=jo;");
  }
  EXPECT_EQ(proxy->Describe(), "last");
}

}  // namespace
}  // namespace kinformer
