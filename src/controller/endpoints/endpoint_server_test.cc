// Endpoints on a port.

#include "kinformer/endpoints/endpoint_server.h"

#include <chrono>
#include <cstdint>
#include <curl/curl.h>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/metrics.h"
#include "kinformer/base/runtime.h"
#include "kinformer/base/simulation.h"
#include "kinformer/endpoints/healthz.h"
#include "kinformer/endpoints/metrics_server.h"

#include "controller/certificates/folder_for_test.h"
#include "controller/endpoints/endpoint_address.h"

namespace kinformer {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;

struct Answer {
  long status = 0;  // 0: no connection
  std::string headers{};
  std::string body{};
};

std::size_t Append(char* bytes, std::size_t size, std::size_t count, void* to) {
  static_cast<std::string*>(to)->append(bytes, size * count);
  return size * count;
}

// Blocks. `ca_pem`: authority of the server's certificate; empty: any.
Answer Get(const std::string& url, const std::vector<std::string>& headers = {},
           const std::string& ca_pem = "") {
  Answer answer;
  CURL* const curl = curl_easy_init();
  curl_slist* list = nullptr;
  for (const std::string& header : headers) list = curl_slist_append(list, header.c_str());
  curl_easy_setopt(curl, CURLOPT_URL, url.c_str());
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, list);
  curl_easy_setopt(curl, CURLOPT_PROXY, "");
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_TIMEOUT, 10L);
  curl_easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, ca_pem.empty() ? 0L : 1L);
  curl_blob ca{const_cast<char*>(ca_pem.data()), ca_pem.size(), CURL_BLOB_COPY};
  if (!ca_pem.empty()) curl_easy_setopt(curl, CURLOPT_CAINFO_BLOB, &ca);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, &Append);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &answer.body);
  curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, &Append);
  curl_easy_setopt(curl, CURLOPT_HEADERDATA, &answer.headers);
  curl_easy_perform(curl);
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &answer.status);
  curl_slist_free_all(list);
  curl_easy_cleanup(curl);
  return answer;
}

class EndpointServerTest : public ::testing::Test {
 protected:
  void Listen(const std::string& address, const EndpointServerOptions& options = {}) {
    Result<std::unique_ptr<EndpointServer>> server =
        EndpointServer::Listen(runtime_.env(), address, options);
    ASSERT_TRUE(server.ok()) << server.error();
    server_ = *std::move(server);
    server_->Handle("/healthz",
                    std::make_shared<healthz::Handler>(runtime_.env(), healthz::Checks()));
    server_->Handle("/metrics", NewMetricsHandler(runtime_.env(), metrics_));
  }
  [[nodiscard]] std::string Url(const std::string& path, const std::string& scheme = "http") const {
    return scheme + "://127.0.0.1:" + std::to_string(server_->port()) + path;
  }

  std::shared_ptr<TextMetrics> metrics_ = NewTextMetrics();
  Runtime runtime_{{.metrics = metrics_}};
  std::unique_ptr<EndpointServer> server_;
};

TEST_F(EndpointServerTest, EndpointsAreServedUntilItStops_MG12) {
  Listen("127.0.0.1:0");
  EXPECT_EQ(Get(Url("/healthz")).body, "ok");
  EXPECT_EQ(Get(Url("/healthz/ping?verbose")).body, "ok");
  EXPECT_EQ(Get(Url("/metrics")).status, 200);
  for (const char* path : {"/", "/healthzz", "/metric", "/healthz2/ping"}) {
    EXPECT_EQ(Get(Url(path)).status, 404) << path;
  }
  server_->Shutdown(seconds(10));
  EXPECT_EQ(Get(Url("/healthz")).status, 0);
  server_->Shutdown(seconds(10));
}

TEST_F(EndpointServerTest, TheLongestPathWinsAndTheLastHandler) {
  Listen("127.0.0.1:0");
  const healthz::Checks down{{"down", [] { return Error(Reason::kStopped, "down"); }}};
  server_->Handle("/healthz/deep",
                  std::make_shared<healthz::Handler>(runtime_.env(), down, "/healthz/deep"));
  EXPECT_EQ(Get(Url("/healthz")).status, 200);
  EXPECT_EQ(Get(Url("/healthz/deep")).status, 500);
  EXPECT_EQ(Get(Url("/healthz/deep/down")).body, "internal server error: down\n");
  EXPECT_EQ(Get(Url("/healthz/deeper")).status, 404);
  server_->Handle("/healthz", std::make_shared<healthz::Handler>(runtime_.env(), down));
  EXPECT_EQ(Get(Url("/healthz")).status, 500);
}

TEST_F(EndpointServerTest, ProbesComeWithAnyHost) {
  Listen(":0");
  EXPECT_EQ(Get(Url("/healthz"), {"Host: 10.244.1.17:8081"}).status, 200);
  EXPECT_EQ(Get(Url("/healthz"), {"Host: printer.example"}).status, 200);
}

TEST_F(EndpointServerTest, LongAnswersAreCompressed) {
  Listen("127.0.0.1:0");
  for (int i = 0; i < 100; ++i) {
    metrics_->NewCounter("pages_total", "Pages", {{"printer", std::to_string(i)}})->Add();
  }
  const Answer plain = Get(Url("/metrics"));
  EXPECT_THAT(plain.headers, HasSubstr("text/plain; version=0.0.4; charset=utf-8"));
  EXPECT_THAT(plain.body, HasSubstr("pages_total{printer=\"99\"} 1\n"));
  const Answer packed = Get(Url("/metrics"), {"Accept-Encoding: gzip"});
  EXPECT_THAT(packed.headers, HasSubstr("Content-Encoding: gzip"));
  EXPECT_LT(packed.body.size(), plain.body.size() / 4);
}

TEST_F(EndpointServerTest, TlsWithACertificateOfItsOwnOrAGivenOne) {
  Listen("127.0.0.1:0", {.tls = true});
  EXPECT_EQ(Get(Url("/healthz", "https")).body, "ok");
  const Answer plain = Get(Url("/healthz", "http"));
  EXPECT_EQ(plain.status, 400);
  EXPECT_THAT(plain.body, HasSubstr("an HTTP request to an HTTPS server"));
  const std::string dir = ::testing::TempDir() + "/no-such-certificates";
  const auto missing =
      EndpointServer::Listen(runtime_.env(), "127.0.0.1:0", {.tls = true, .cert_dir = dir});
  EXPECT_EQ(missing.error().reason(), Reason::kConfig);
  EXPECT_THAT(missing.error().message(), HasSubstr(dir + "/tls.crt"));
  const auto broken =
      EndpointServer::Listen(runtime_.env(), "127.0.0.1:0", {.tls = true, .cert_pem = "x"});
  EXPECT_EQ(broken.error().reason(), Reason::kConfig);
}

TEST_F(EndpointServerTest, ARenewedCertificateIsOffered_WH02) {
  testing::CertificateFolder folder;
  testing::CertificateFolder other;
  folder.Write(folder.Make());
  Listen(
      "127.0.0.1:0",
      {.tls = true, .cert_dir = folder.path(), .cert_read_interval = std::chrono::milliseconds(5)});
  EXPECT_EQ(Get(Url("/healthz", "https"), {}, folder.ca_pem()).body, "ok");
  EXPECT_EQ(Get(Url("/healthz", "https"), {}, other.ca_pem()).status, 0);
  folder.Rename(other.Make());
  // Takes a few milliseconds.
  const auto renewed = [&] { return Get(Url("/healthz", "https"), {}, other.ca_pem()).status; };
  for (int i = 0; i < 1000 && renewed() == 0; ++i) {
  }
  EXPECT_EQ(renewed(), 200);
  EXPECT_EQ(Get(Url("/healthz", "https"), {}, folder.ca_pem()).status, 0);
}

TEST_F(EndpointServerTest, CertificateFilesOfOtherNames_AreUsed) {
  testing::CertificateFolder folder;
  const CertificatePair pair = folder.Make();
  folder.Write("chain.pem", pair.cert_pem);
  folder.Write("private.pem", pair.key_pem);
  Listen("127.0.0.1:0", {.tls = true,
                         .cert_dir = folder.path(),
                         .cert_name = "chain.pem",
                         .key_name = "private.pem"});
  EXPECT_EQ(Get(Url("/healthz", "https"), {}, folder.ca_pem()).body, "ok");
}

TEST_F(EndpointServerTest, AnAddressInUseIsAnErrorThatSaysWhatToDo_MG12) {
  Listen("127.0.0.1:0");
  const std::string taken = "127.0.0.1:" + std::to_string(server_->port());
  const auto second = EndpointServer::Listen(runtime_.env(), taken);
  EXPECT_EQ(second.error().reason(), Reason::kTransport);
  EXPECT_THAT(second.error().message(), HasSubstr("\"" + taken + "\""));
  EXPECT_THAT(second.error().message(), HasSubstr("Address already in use"));
  EXPECT_THAT(second.error().message(), HasSubstr("give another address, or \"0\" for none"));
}

TEST_F(EndpointServerTest, AddressZero_OpensNothing_InSimulationToo) {
  Listen("0");
  EXPECT_EQ(server_->port(), 0);
  server_->Shutdown(seconds(1));
  Simulation sim;
  EXPECT_TRUE(EndpointServer::Listen(sim.env(), "0").ok());
  EXPECT_EQ(EndpointServer::Listen(sim.env(), ":0").error().reason(), Reason::kInvalidArgument);
}

TEST(EndpointServerInASimulation, Listen_FailsWithoutReadingCertificates) {
  testing::CertificateFolder folder;
  folder.Write(folder.Make());
  Simulation sim;
  bool ran = false;
  sim.env().loop().Post([&ran] { ran = true; });
  const std::uint64_t before = sim.TraceHash();
  const auto server =
      EndpointServer::Listen(sim.env(), ":0", {.tls = true, .cert_dir = folder.path()});
  ASSERT_FALSE(server.ok());
  EXPECT_EQ(server.error().reason(), Reason::kInvalidArgument);
  EXPECT_THAT(server.error().message(), HasSubstr("a simulation has no sockets"));
  EXPECT_THAT(server.error().message(), HasSubstr("\"0\" for none"));
  // No thread was made, since its end would have to be awaited.
  EXPECT_EQ(sim.TraceHash(), before);
  EXPECT_FALSE(ran);
}

TEST_F(EndpointServerTest, IPv6) {
  const auto server = EndpointServer::Listen(runtime_.env(), "[::1]:0");
  if (!server) GTEST_SKIP() << server.error();
  EXPECT_EQ(Get("http://[::1]:" + std::to_string((*server)->port()) + "/").status, 404);
}

TEST(EndpointAddressTest, FormsOfAddresses) {
  const auto parsed = [](const std::string& text) -> std::string {
    const auto address = internal::endpoints::ParseEndpointAddress(text);
    if (!address) return "none";
    return *address ? (*address)->ip + " " + std::to_string((*address)->port) : "closed";
  };
  EXPECT_EQ(parsed("0"), "closed");
  EXPECT_EQ(parsed(":8080"), ":: 8080");
  EXPECT_EQ(parsed("127.0.0.1:0"), "127.0.0.1 0");
  EXPECT_EQ(parsed("[::1]:8080"), "::1 8080");
  EXPECT_EQ(parsed("[::]:65535"), ":: 65535");
  EXPECT_EQ(parsed("localhost:80"), "127.0.0.1 80");
  for (const char* bad : {"", "8080", "127.0.0.1", ":", ":x", ":65536", ":-1", "::1:80", "a:b:1"}) {
    EXPECT_EQ(parsed(bad), "none") << bad;
  }
}

}  // namespace
}  // namespace kinformer
