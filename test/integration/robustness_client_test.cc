// Effects of hostile or broken servers, broken kubeconfigs and careless programs on a client, row
// by row: the error, and whether the client works afterwards. Row numbers are those of the review's
// table.

#include <chrono>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/base/runtime.h"
#include "kinformer/cache/shared_informer_factory.h"
#include "kinformer/client/client.h"
#include "kinformer/client/config.h"
#include "kinformer/client/discovery.h"
#include "kinformer/client/http_transport.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/testing/api_server.h"

#include "support/child_status.h"
#include "transport/loopback_server_for_test.h"

namespace kinformer::testing {
namespace {

using corev1::ConfigMap;
using internal::transport::LoopbackServer;
using internal::transport::PlainResponse;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::Not;

template <class T>
std::string Said(const Result<T>& result) {
  if (!result) return "error: " + result.error().ToString();
  if constexpr (std::is_same_v<T, std::string>) {
    return "ok: " + result->substr(0, 200);
  } else {
    return "ok";
  }
}

// ---- Answers

// Bytes with which a server answers all requests except /version. After them the client must still
// work.
struct AnswerRow {
  const char* name;
  std::string bytes;
  const char* want;
  bool stay = false;  // the connection stays open
  friend std::ostream& operator<<(std::ostream& out, const AnswerRow& row) {
    return out << row.name;
  }
};

std::string Head(const std::string& fields, int status = 200) {
  return "HTTP/1.1 " + std::to_string(status) + " X\r\n" + fields + "\r\n";
}
std::string Whole(const std::string& body, const std::string& type = "application/json",
                  int status = 200) {
  return Head("Content-Type: " + type + "\r\nContent-Length: " + std::to_string(body.size()) +
                  "\r\n",
              status) +
         body;
}
std::string Repeated(const std::string& text, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += text;
  return out;
}

class ClientAnswers : public ::testing::TestWithParam<AnswerRow> {};

TEST_P(ClientAnswers, Row) {
  const AnswerRow& row = GetParam();
  LoopbackServer server([&](const LoopbackServer::Request& request, LoopbackServer::Peer& peer) {
    if (request.target == "/version") return peer.Write(PlainResponse("well"));
    peer.Write(row.bytes);
    if (row.stay) peer.WaitForClose();
    return false;
  });
  Runtime runtime({.log = NewNullLog()});
  HttpTransportOptions options{.base_url = server.url(),
                               .read_idle_timeout = milliseconds(200),
                               .ping_timeout = milliseconds(200)};
  Client client =
      Client::ForTransport(runtime.env(), NewHttpTransport(runtime.env(), options).OrExit(),
                           {.qps = -1, .max_retries = 0});
  const std::string said =
      Said(client.For<ConfigMap>("default").Get("x", {}, {.timeout = seconds(20)}));
  EXPECT_THAT(said, HasSubstr(row.want));
  EXPECT_LT(said.size(), 2300U) << "a message, not the body";
  EXPECT_EQ(Said(client.GetRaw("/version")), "ok: well");
}

INSTANTIATE_TEST_SUITE_P(
    Rows, ClientAnswers,
    ::testing::Values(
        AnswerRow{"Row54_RedirectIsNotFollowed",
                  Head("Location: /version\r\nContent-Length: 0\r\n", 302), "error: "},
        AnswerRow{"Row55_EndlessHeaders",
                  Head(Repeated("X-A: " + std::string(8000, 'x') + "\r\n", 100)),
                  "error: Transport"},
        AnswerRow{"HeadersOf200KB",
                  Head("Content-Type: application/json\r\nContent-Length: 0\r\n" +
                       Repeated("X-A: " + std::string(8000, 'x') + "\r\n", 25)),
                  "empty body"},
        AnswerRow{"Row56_GzipThatNobodyAskedFor",
                  Head("Content-Type: application/json\r\nContent-Encoding: gzip\r\n"
                       "Content-Length: 3\r\n") +
                      "abc",
                  "nobody asked for"},
        AnswerRow{"Row58_StalledBody",
                  Head("Content-Type: application/json\r\nContent-Length: 100\r\n") + "{",
                  "stopped in its middle", true},
        AnswerRow{"NotHttp", "SSH-2.0-OpenSSH_9.2\r\n", "error: Transport"},
        AnswerRow{"UnknownVersion", "HTTP/9.9 200 OK\r\n\r\n", "error: Transport"},
        AnswerRow{"NoStatus", "HTTP/1.1 abc\r\n\r\n", "error: Transport"},
        AnswerRow{"NegativeLength", Head("Content-Length: -1\r\n") + "{}", "error: "},
        AnswerRow{"LengthBeyondAllNumbers",
                  Head("Content-Length: 99999999999999999999999\r\n") + "{}", "error: "},
        AnswerRow{"ChunkSizeOverflows",
                  Head("Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n") +
                      "fffffffffffffffffff\r\n{}",
                  "error: "},
        AnswerRow{
            "ChunkSizeIsNone",
            Head("Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n") + "zz\r\n{}",
            "error: "},
        AnswerRow{"NulInAHeader", Head(std::string("X-A: a\0b\r\n", 10) + "Content-Length: 0\r\n"),
                  "error: "},
        AnswerRow{"TooManyInterimAnswers", Repeated("HTTP/1.1 100 Continue\r\n\r\n", 20000),
                  "error: "},
        AnswerRow{"SwitchesProtocols", Head("Upgrade: x\r\nConnection: upgrade\r\n", 101),
                  "error: "},
        AnswerRow{"NoContent", Head("", 204), "error: Decode"},
        AnswerRow{"EmptyBody", Whole(""), "error: Decode"},
        AnswerRow{"Html", Whole("<html>a login page</html>", "text/html"), "text/html"},
        AnswerRow{"HtmlError", Whole("<html>" + std::string(100000, 'x'), "text/html", 502),
                  "error: "},
        AnswerRow{"LargeError", Whole(std::string(3 << 20, 'x'), "text/plain", 500), "error: "},
        AnswerRow{"StatusOfAnotherShape",
                  Whole(R"({"kind":"Status","message":7,"code":"x"})", "application/json", 403),
                  "error: Forbidden"},
        AnswerRow{"DeepStatus",
                  Whole(R"({"kind":"Status","details":)" + std::string(100000, '['),
                        "application/json", 403),
                  "error: Forbidden"},
        AnswerRow{"DeepObject",
                  Whole(R"({"kind":"ConfigMap","apiVersion":"v1","metadata":)" +
                        Repeated(R"({"a":)", 100000)),
                  "error: Decode"},
        AnswerRow{"AList", Whole("[1,2]"), "error: Decode"},
        AnswerRow{"HalfAnObject", Whole(R"({"kind":"ConfigMap","metadata":{"name")"),
                  "error: Decode"},
        AnswerRow{"ProtobufOfNothing", Whole("k8s", "application/vnd.kubernetes.protobuf"),
                  "error: Decode"},
        AnswerRow{"ProtobufLengthOverflows",
                  Whole(std::string("k8s\0\x12\xff\xff\xff\xff\x0f", 10),
                        "application/vnd.kubernetes.protobuf"),
                  "error: Decode"},
        AnswerRow{"Brotli",
                  Head("Content-Type: application/json\r\nContent-Encoding: br\r\n"
                       "Content-Length: 3\r\n") +
                      "abc",
                  "nobody asked for"},
        AnswerRow{"BrokenWarnings",
                  Head("Warning: 299 - \"unended\r\nWarning: x\r\nWarning: 299\r\n"
                       "Content-Type: application/json\r\nContent-Length: 2\r\n") +
                      "[]",
                  "error: Decode"},
        AnswerRow{"RetryAfterBeyondAllNumbers",
                  Head("Retry-After: 99999999999999999999\r\nContent-Length: 0\r\n", 503),
                  "error: ServiceUnavailable"}),
    [](const auto& test) { return test.param.name; });

// ---- Kubeconfigs

struct ConfigRow {
  const char* name;
  // The kubeconfig; %d is a folder that contains `fifo` and `large`.
  std::string text;
  std::vector<const char*> want;
  friend std::ostream& operator<<(std::ostream& out, const ConfigRow& row) {
    return out << row.name;
  }
};

std::string Kube(const std::string& cluster, const std::string& user = "{}") {
  return "clusters: [{name: c, cluster: " + cluster + "}]\nusers: [{name: u, user: " + user +
         "}]\ncontexts: [{name: x, context: {cluster: c, user: u}}]\ncurrent-context: x\n";
}
constexpr char kServer[] = "{server: 'https://127.0.0.1:1'}";

class ClientConfigs : public ::testing::TestWithParam<ConfigRow> {
 protected:
  ClientConfigs() {
    EXPECT_EQ(mkfifo((dir_ + "/fifo").c_str(), 0600), 0);
    std::ofstream(dir_ + "/large") << std::string((16 << 20) + 1, 'x');
    std::ofstream(dir_ + "/empty");
  }
  ~ClientConfigs() override { std::filesystem::remove_all(dir_); }
  const std::string dir_ = [] {
    std::string path = ::testing::TempDir() + "kinformer-rows-XXXXXX";
    return std::string(mkdtemp(path.data()));
  }();
};

TEST_P(ClientConfigs, Row) {
  std::string text = GetParam().text;
  for (std::size_t at = 0; (at = text.find("%d", at)) != std::string::npos;) {
    text.replace(at, 2, dir_);
  }
  const std::string path = dir_ + "/kubeconfig";
  std::ofstream(path) << text;
  const auto config = Config::FromKubeconfigFile(path);
  std::string said = Said(config);
  if (config) {
    Runtime runtime({.log = NewNullLog()});
    const auto client = Client::NewForConfig(runtime.env(), *config, {.qps = -1});
    said = client ? Said(client->GetRaw("/version", {.timeout = seconds(20)})) : Said(client);
  }
  for (const char* want : GetParam().want) EXPECT_THAT(said, HasSubstr(want));
  EXPECT_THAT(said, Not(HasSubstr("HUSH")));
  EXPECT_THAT(said, ::testing::StartsWith("error: "));
}

INSTANTIATE_TEST_SUITE_P(
    Rows, ClientConfigs,
    ::testing::Values(
        ConfigRow{"Row45_ImpersonationWithALineBreak",
                  Kube(kServer, R"({as: "jane\r\nImpersonate-Group: system:masters"})"),
                  {"Impersonate-User", "line break"}},
        ConfigRow{"Row47_TokenFifo", Kube(kServer, "{tokenFile: %d/fifo}"), {"fifo", "FIFO"}},
        ConfigRow{"Row49_ProxyWithoutScheme",
                  Kube("{server: 'https://s', proxy-url: 'me:HUSH@p:1'}"),
                  {"proxy-url", "http://"}},
        ConfigRow{"Row52_CaPlusInsecure",
                  Kube("{server: 'https://s', certificate-authority-data: eA==, "
                       "insecure-skip-tls-verify: true}"),
                  {"exclude each other"}},
        ConfigRow{"Row53_ServerNameWithPort",
                  Kube("{server: 'https://s', tls-server-name: 'kube:6443'}"),
                  {"tls-server-name", "kube:6443"}},
        ConfigRow{"TokenWithALineBreak",
                  Kube(kServer, R"({token: "a\nX-Remote-User: root"})"),
                  {"context x", "the token has a line break"}},
        ConfigRow{"TokenFileWithoutEnd", Kube(kServer, "{tokenFile: /dev/zero}"), {"a device"}},
        ConfigRow{"TokenFileIsAFolder", Kube(kServer, "{tokenFile: %d}"), {"a directory"}},
        ConfigRow{
            "TokenFileTooLarge", Kube(kServer, "{tokenFile: %d/large}"), {"larger than 16 MiB"}},
        ConfigRow{"TokenFileEmpty", Kube(kServer, "{tokenFile: %d/empty}"), {"token"}},
        ConfigRow{"CaFifo",
                  Kube("{server: 'https://s', certificate-authority: %d/fifo}"),
                  {"certificate-authority", "FIFO"}},
        ConfigRow{"CaIsNoPem",
                  Kube("{server: 'https://s', certificate-authority: %d/kubeconfig}"),
                  {"no PEM certificate"}},
        ConfigRow{"ClientCertificateFifo",
                  Kube(kServer, "{client-certificate: %d/fifo, client-key: %d/fifo}"),
                  {"FIFO"}},
        ConfigRow{"ServerWithPassword", Kube("{server: 'ftp://me:HUSH@s'}"), {"ftp"}},
        ConfigRow{"ServerWithoutScheme",
                  Kube("{server: 'me:HUSH@s', certificate-authority-data: eA==}"),
                  {"https://"}},
        ConfigRow{"ServerPortTooLarge", Kube("{server: 'https://s:99999'}"), {"https://s:99999"}},
        ConfigRow{"ServerIsAPath", Kube("{server: '/var/run/x'}"), {"/var/run/x"}},
        ConfigRow{"ProxyScheme",
                  Kube("{server: 'https://s', proxy-url: 'ftp://me:HUSH@p'}"),
                  {"proxy-url"}},
        ConfigRow{
            "ProxyWithoutHost", Kube("{server: 'https://s', proxy-url: 'http://'}"), {"proxy-url"}},
        ConfigRow{"TwoMethods",
                  Kube(kServer, "{token: HUSH, username: u, password: HUSH}"),
                  {"more than one authentication method"}},
        ConfigRow{"ListWhereAMapIs", "clusters: {c: {server: x}}\n", {"clusters", "list"}},
        ConfigRow{"NumberWhereATextIs", Kube("{server: 7}"), {"server", "quotes"}},
        ConfigRow{"NoYaml", "\t{[", {"kubeconfig"}},
        ConfigRow{"Binary",
                  std::string("\x7f"
                              "ELF\0\0\0",
                              7),
                  {"kubeconfig"}},
        ConfigRow{"Deep", "clusters: " + std::string(20000, '['), {"kubeconfig"}},
        ConfigRow{"UnknownContext", "current-context: none\n", {"none"}},
        ConfigRow{"PluginIsAFolder",
                  Kube(kServer,
                       "{exec: {command: /tmp, apiVersion: client.authentication.k8s.io/v1, "
                       "interactiveMode: Never}}"),
                  {"credential plugin /tmp", "cannot be run"}},
        ConfigRow{"PluginWithoutEnd",
                  Kube(kServer,
                       "{exec: {command: cat, args: [/dev/zero], apiVersion: "
                       "client.authentication.k8s.io/v1, interactiveMode: Never}}"),
                  {"its output does not end"}},
        ConfigRow{"PluginSaysNothing",
                  Kube(kServer,
                       "{exec: {command: 'true', apiVersion: client.authentication.k8s.io/v1, "
                       "interactiveMode: Never}}"),
                  {"not JSON"}},
        ConfigRow{"PluginOfAnUnknownVersion",
                  Kube(kServer,
                       "{exec: {command: 'true', apiVersion: client.authentication.k8s.io/v9, "
                       "interactiveMode: Never}}"),
                  {"v9"}}),
    [](const auto& test) { return test.param.name; });

TEST(ClientRows, AKubeconfigWithoutEnd_Row48) {
  EXPECT_THAT(Said(Config::FromKubeconfigFile("/dev/zero")), HasSubstr("a device"));
}

// A credential that never expires: the plugin runs once, not for each request.
TEST(ClientRows, AnExpiryInTheYear9999IsAskedForOnce_Row46) {
  std::string dir = ::testing::TempDir() + "kinformer-row46-XXXXXX";
  ASSERT_NE(mkdtemp(dir.data()), nullptr);
  std::ofstream(dir + "/plugin")
      << "#!/bin/sh\necho run >> " << dir << "/runs\necho '"
      << R"({"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential",)"
      << R"("status":{"token":"t","expirationTimestamp":"9999-12-31T23:59:59Z"}})"
      << "'\n";
  ASSERT_EQ(chmod((dir + "/plugin").c_str(), 0700), 0);
  const internal::transport::TestCertificate certificate =
      internal::transport::MakeTestCertificate(internal::transport::MakeTestCa("ca"), "127.0.0.1");
  LoopbackServer server(
      [](const LoopbackServer::Request& request, LoopbackServer::Peer& peer) {
        return peer.Write(PlainResponse(request.Header("authorization")));
      },
      {.certificate = &certificate});
  const Config config = Config::FromKubeconfig(
                            Kube("{server: '" + server.url() + "', insecure-skip-tls-verify: true}",
                                 "{exec: {command: " + dir +
                                     "/plugin, apiVersion: client.authentication.k8s.io/v1, "
                                     "interactiveMode: Never}}"))
                            .OrExit();
  Runtime runtime({.log = NewNullLog()});
  const Client client = Client::NewForConfig(runtime.env(), config, {.qps = -1}).OrExit();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Said(client.GetRaw("/x")), "ok: Bearer t");
  std::ifstream runs(dir + "/runs");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(runs), {}), "run\n");
  std::filesystem::remove_all(dir);
}

// ---- Certificates

struct CertificateRow {
  const char* name;
  const char* alternatives;
  const char* usage;
  const char* want;
  friend std::ostream& operator<<(std::ostream& out, const CertificateRow& row) {
    return out << row.name;
  }
};

class ClientCertificates : public ::testing::TestWithParam<CertificateRow> {};

TEST_P(ClientCertificates, Row) {
  const internal::transport::TestCertificate ca = internal::transport::MakeTestCa("ca");
  const internal::transport::TestCertificate certificate =
      internal::transport::MakeSpecialCertificate(ca, "127.0.0.1", GetParam().alternatives,
                                                  GetParam().usage);
  LoopbackServer server(
      [](const LoopbackServer::Request&, LoopbackServer::Peer& peer) {
        return peer.Write(PlainResponse("well"));
      },
      {.certificate = &certificate});
  Runtime runtime({.log = NewNullLog()});
  const HttpTransportOptions options{.base_url = server.url(), .tls = {.ca_pem = ca.cert}};
  const Client client =
      Client::ForTransport(runtime.env(), NewHttpTransport(runtime.env(), options).OrExit(),
                           {.qps = -1, .max_retries = 0});
  EXPECT_THAT(Said(client.GetRaw("/version")), HasSubstr(GetParam().want));
}

INSTANTIATE_TEST_SUITE_P(
    Rows, ClientCertificates,
    ::testing::Values(
        CertificateRow{"Good", "IP:127.0.0.1", "serverAuth", "ok: well"},
        CertificateRow{"Row50_CommonNameOnly", "", "", "subjectAltName"},
        CertificateRow{"Row51_ForClientsOnly", "IP:127.0.0.1", "clientAuth", "error: Transport"},
        CertificateRow{"OfAnotherName", "DNS:elsewhere", "serverAuth", "error: Transport"}),
    [](const auto& test) { return test.param.name; });

// ---- Programs

// A function that tweaks list options throws.
TEST(ClientRows, ATweakThrows_Row60) {
  ApiServer server;
  const Client client = Client::ForTransport(server.env(), server.transport(), {.qps = -1});
  SharedInformerFactory factory(client, {.tweak_list_options = [](ListOptions&) {
                                  throw std::runtime_error("a tweak of the program's");
                                }});
  auto informer = factory.InformerFor<ConfigMap>();
  factory.Start();
  const auto waited = factory.WaitForCacheSync({}, {.timeout = seconds(2)});
  EXPECT_THAT(Said(waited), HasSubstr("a tweak of the program's"));
  EXPECT_GE(informer.Stats().errors, 1U);
  EXPECT_EQ(Said(client.GetRaw("/healthz")), "ok: ok");
}

// A handler throws.
TEST(ClientRows, AHandlerThrows_Row61) {
  ApiServer server;
  const Client client = Client::ForTransport(server.env(), server.transport(), {.qps = -1});
  SharedInformerFactory factory(client);
  auto informer = factory.InformerFor<ConfigMap>();
  const auto thrower =
      informer
          .AddEventHandler({.on_add =
                                [](const Added<ConfigMap>&) {
                                  throw std::runtime_error("a handler of the program's");
                                }})
          .OrExit();
  const auto good = informer.AddEventHandler({.on_add = [](const Added<ConfigMap>&) {}}).OrExit();
  server
      .Create({"", "v1", "configmaps"},
              json::Parse(R"({"apiVersion":"v1","kind":"ConfigMap",)"
                          R"("metadata":{"name":"a","namespace":"default"}})")
                  .OrExit())
      .OrExit();
  factory.Start();
  ASSERT_TRUE(factory.WaitForCacheSync({}, {.timeout = seconds(20)}).ok());
  ASSERT_TRUE(informer.WaitForHandlersSync({}, seconds(20)).ok());
  EXPECT_EQ(informer.Stats().handler_exceptions, 1U);
  EXPECT_TRUE(good.HasSynced());
  EXPECT_TRUE(thrower.HasSynced()) << "it has heard of everything";
}

// Without the caller's deadline each request of discovery would have its own timeout.
TEST(ClientRows, DiscoveryEndsWithTheCallersTime_Row57) {
  LoopbackServer server([](const LoopbackServer::Request&, LoopbackServer::Peer& peer) {
    peer.WaitForClose();
    return false;
  });
  Runtime runtime({.log = NewNullLog()});
  Client client = Client::ForTransport(
      runtime.env(), NewHttpTransport(runtime.env(), {.base_url = server.url()}).OrExit(),
      {.timeout = milliseconds(100)});
  EXPECT_THAT(Said(client.GetRaw("/version")), HasSubstr("DeadlineExceeded"));
}

// Long heads in both directions, over each protocol: they either arrive or give an error. libcurl
// would wait forever for one that exceeds its buffer.
TEST(ClientRows, LongRequestHeadsComeThroughOrAreRefused) {
  for (const bool disable_http2 : {false, true}) {
    ApiServer server;
    server.Listen({.tls = true, .max_header_bytes = std::size_t{256} << 10}).OrExit();
    Runtime runtime({.log = NewNullLog()});
    const Config config = Config::FromKubeconfig(server.kubeconfig()).OrExit();
    HttpTransportOptions options = TransportOptionsFor(config).OrExit();
    options.disable_http2 = disable_http2;
    Client client =
        Client::ForTransport(runtime.env(), NewHttpTransport(runtime.env(), options).OrExit(),
                             {.qps = -1, .max_retries = 0});
    for (const std::size_t size : {10'000U, 20'000U, 50'000U, 100'000U, 300'000U}) {
      SCOPED_TRACE(std::to_string(size) + (disable_http2 ? " over 1.1" : " over 2"));
      const std::string said =
          Said(client.GetRaw("/version?x=" + std::string(size, 'x'), {.timeout = seconds(10)}));
      if (size <= 50'000U || (size == 100'000U && disable_http2)) {
        EXPECT_THAT(said, HasSubstr("ok: "));
      } else {
        EXPECT_THAT(said, HasSubstr(disable_http2 ? "longer than 262144 bytes" : "HTTP/2 takes"));
      }
    }
    EXPECT_THAT(Said(client.GetRaw("/version")), HasSubstr("ok: "));
  }
}

TEST(ClientRows, AnAnswerIsKeptUpToALimit_M5) {
  LoopbackServer server([](const LoopbackServer::Request& request, LoopbackServer::Peer& peer) {
    if (request.target == "/version") return peer.Write(PlainResponse("well"));
    peer.Write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    const std::string piece = internal::transport::Chunk(std::string(4 << 20, 'x'));
    while (peer.Write(piece)) {
    }
    return false;
  });
  Runtime runtime({.log = NewNullLog()});
  Client client = Client::ForTransport(
      runtime.env(), NewHttpTransport(runtime.env(), {.base_url = server.url()}).OrExit());
  EXPECT_THAT(
      Said(client.GetRaw("/endless")),
      ::testing::AllOf(HasSubstr("OverLimit"), HasSubstr("GET /endless"), HasSubstr("128 MiB")));
  EXPECT_EQ(Said(client.GetRaw("/version")), "ok: well");
}

// A warning handler throws.
TEST(ClientRows, AWarningHandlerThrows_Row59) {
  LoopbackServer server([](const LoopbackServer::Request& request, LoopbackServer::Peer& peer) {
    return peer.Write(
        PlainResponse(request.target, "Warning: 299 - \"" + request.target + "\"\r\n"));
  });
  Runtime runtime({.log = NewNullLog()});
  Client client = Client::ForTransport(
      runtime.env(), NewHttpTransport(runtime.env(), {.base_url = server.url()}).OrExit(),
      {.warning_handler = [](std::string_view) { throw std::runtime_error("x"); }});
  for (const char* target : {"/a", "/b", "/c"}) {
    EXPECT_EQ(Said(client.GetRaw(target)), std::string("ok: ") + target);
  }
}

TEST(ClientRows, MaximumTimeout_CallsSucceed) {
  ApiServer server;
  Client client = Client::ForTransport(server.env(), server.transport(),
                                       {.qps = -1, .timeout = Duration::max()});
  EXPECT_THAT(Said(client.GetRaw("/version", {.timeout = Duration::max()})), HasSubstr("ok"));
  SharedInformerFactory factory(client);
  auto informer = factory.InformerFor<ConfigMap>();
  factory.Start();
  EXPECT_TRUE(factory.WaitForCacheSync({}, {.timeout = Duration::max()}).ok());
}

// The process forks with everything running: a client on a socket with an informer and a handler.
// The child ends, by exit and by its destructors, and the parent continues.
TEST(ClientRows, AForkedChildEndsAndHurtsNobody_Row62) {
  ApiServer server;
  server.Listen({.tls = true}).OrExit();
  const Config config = Config::FromKubeconfig(server.kubeconfig()).OrExit();
  auto client = std::make_unique<Client>(Client::NewForConfig(config).OrExit());
  auto factory = std::make_unique<SharedInformerFactory>(*client);
  auto informer = std::make_unique<SharedInformer<ConfigMap>>(factory->InformerFor<ConfigMap>());
  (void)informer->AddEventHandler({.on_add = [](const Added<ConfigMap>&) {}});
  factory->Start();
  ASSERT_TRUE(factory->WaitForCacheSync({}, {.timeout = seconds(20)}).ok());
  for (const bool destructors : {true, false}) {
    const int status = StatusOfChild([&] {
      if (!client->GetRaw("/version").ok() && destructors) {
        informer.reset();
        factory.reset();
        client.reset();
      }
      _exit(7);
    });
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << status;
  }
  EXPECT_THAT(Said(client->GetRaw("/version")), HasSubstr("ok"));
  server
      .Create({"", "v1", "configmaps"},
              json::Parse(R"({"apiVersion":"v1","kind":"ConfigMap",)"
                          R"("metadata":{"name":"a","namespace":"default"}})")
                  .OrExit())
      .OrExit();
  const std::uint64_t watches = informer->Stats().watches;
  for (int i = 0; i < 2000 && informer->Stats().objects < 1; ++i) {
    (void)client->GetRaw("/version");
  }
  EXPECT_EQ(informer->Stats().objects, 1U);
  EXPECT_EQ(informer->Stats().watches, watches) << "on the stream that it had";
}

}  // namespace
}  // namespace kinformer::testing
