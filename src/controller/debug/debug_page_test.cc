// The page of a manager: its files, its document, and who may read it.

#include "controller/debug/debug_page.h"

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>

#include "kinformer/base/simulation.h"
#include "kinformer/json/json.h"

#include "controller/debug/local_only.h"
#include "controller/endpoints/testing/endpoint_client.h"

namespace kinformer::internal::debug {
namespace {

using kinformer::testing::Asked;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

DebugState StateForTest() {
  DebugState state;
  state.uptime = seconds(90);
  state.elected = true;
  state.lease = {.name = "default/op", .identity = "a", .leader = "a", .leads = true};
  state.process = {.program = "op", .pid = 7, .resident_bytes = 4096, .cpu = milliseconds(1500)};
  FactoryInformerStats pods{.name = "pods", .apiVersion = "v1", .resource = "pods", .synced = true};
  pods.stats.objects = 3;
  pods.stats.added = 3;
  pods.stats.modified = 4;
  pods.stats.status.state = InformerState::kForbidden;
  pods.stats.status.error = Error(Reason::kForbidden, "no <b>right</b>");
  state.informers.push_back(pods);
  ControllerFigures website{.name = "website", .workers = 2, .waiting = 5};
  website.oldest = seconds(3);
  website.running.push_back({"default/a", milliseconds(250)});
  website.fights.push_back({.request = "default/a",
                            .kind = "Website.example.com",
                            .object = "default/a",
                            .field = "spec.color",
                            .type = "other writer",
                            .manager = "website",
                            .others = {"argo"},
                            .own_value = "blue",
                            .rounds = 6,
                            .begun = seconds(4),
                            .ago = seconds(3),
                            .under_way = true,
                            .held = seconds(7)});
  state.controllers.push_back(website);
  return state;
}

class DebugPageTest : public ::testing::Test {
 protected:
  ~DebugPageTest() override {
    // Ends a thread, which needs simulated time to pass.
    EXPECT_TRUE(sim_.RunBlocking([&] { page_.reset(); }, minutes(1)));
  }
  std::unique_ptr<Asked> Ask(Handler& handler, HttpRequest request) {
    std::unique_ptr<Asked> asked;
    sim_.env().loop().Post(
        [&] { asked = std::make_unique<Asked>(sim_.env(), handler, std::move(request)); });
    sim_.RunReady();
    sim_.RunUntil([&] { return asked->done; }, minutes(1));
    return asked;
  }
  std::unique_ptr<Asked> Get(const std::string& target) { return Ask(*page_, {.target = target}); }

  Simulation sim_;
  std::shared_ptr<Handler> page_ = NewDebugPage(sim_.env(), &StateForTest);
};

TEST_F(DebugPageTest, PageLoadsOnlyItsOwnFiles) {
  const auto page = Get("/debug/kinformer");
  EXPECT_EQ(page->status, 200);
  EXPECT_EQ(page->headers.Get("Content-Type"), "text/html; charset=utf-8");
  EXPECT_THAT(std::string(page->headers.Get("Content-Security-Policy")),
              StartsWith("default-src 'none'; script-src 'self'"));
  EXPECT_THAT(page->body, HasSubstr(R"(src="kinformer/page.js")"));
  EXPECT_THAT(page->body, HasSubstr(R"(href="kinformer/page.css")"));
  for (const char* const file : {"page.js", "page.css"}) {
    const auto loaded = Get(std::string("/debug/kinformer/") + file);
    EXPECT_EQ(loaded->status, 200);
    EXPECT_EQ(loaded->headers.Get("X-Content-Type-Options"), "nosniff");
    // Neither a foreign address, but for the name of SVG, nor text that becomes HTML.
    std::string text = loaded->body;
    const std::string svg = "http://www.w3.org/2000/svg";
    for (std::size_t at = text.find(svg); at != std::string::npos; at = text.find(svg)) {
      text.erase(at, svg.size());
    }
    for (const char* const never :
         {"http://", "https://", "innerHTML", "eval(", "document.write"}) {
      EXPECT_THAT(text, Not(HasSubstr(never)));
    }
  }
  EXPECT_EQ(Get("/debug/kinformer/other")->status, 404);
  EXPECT_EQ(Get("/debug/kinformer?x=1")->status, 200);
  EXPECT_EQ(Ask(*page_, {.method = "POST", .target = "/debug/kinformer"})->status, 405);
}

TEST_F(DebugPageTest, DocumentHasAllFigures) {
  const auto answer = Get("/debug/kinformer/state.json");
  EXPECT_EQ(answer->headers.Get("Content-Type"), "application/json");
  const json::Value state = json::Parse(answer->body).OrExit();
  EXPECT_EQ(state.At("/program").StringOrEmpty(), "op");
  EXPECT_EQ(state.At("/cpuSeconds").AsDouble(), 1.5);
  EXPECT_EQ(state.At("/uptimeSeconds").AsDouble(), 90);
  EXPECT_EQ(state.At("/leases/0/leader").StringOrEmpty(), "a");
  EXPECT_EQ(state.At("/informers/0/events").AsUint64(), 7U);
  EXPECT_EQ(state.At("/informers/0/state").StringOrEmpty(), "forbidden");
  EXPECT_THAT(state.At("/informers/0/error").StringOrEmpty(), HasSubstr("no <b>right</b>"));
  EXPECT_TRUE(state.At("/informers/0/progressAgeSeconds").is_null());
  EXPECT_EQ(state.At("/controllers/0/oldestSeconds").AsDouble(), 3);
  EXPECT_EQ(state.At("/controllers/0/running/0/request").StringOrEmpty(), "default/a");
  EXPECT_EQ(state.At("/controllers/0/running/0/seconds").AsDouble(), 0.25);
  EXPECT_EQ(state.At("/controllers/0/fights/0/field").StringOrEmpty(), "spec.color");
  EXPECT_EQ(state.At("/controllers/0/fights/0/others/0").StringOrEmpty(), "argo");
  EXPECT_EQ(state.At("/controllers/0/fights/0/heldSeconds").AsDouble(), 7);
  EXPECT_THAT(answer->body, Not(HasSubstr("blue"))) << "it has no data of objects";
}

TEST_F(DebugPageTest, FiguresOfThisProcessAreThoseOfTheKernel) {
  const ProcessState process = ThisProcess();
  EXPECT_GT(process.resident_bytes, std::uint64_t{1} << 20);
  EXPECT_GT(process.cpu, Duration(0));
  EXPECT_NE(process.program, "");
}

TEST_F(DebugPageTest, OnlyClientsOfThisMachineGetIt) {
  const auto local = OnlyThisMachine(page_);
  const auto status = [&](bool on_loopback, const char* host) {
    HttpRequest request{.target = "/debug/kinformer", .on_loopback = on_loopback};
    if (*host != '\0') request.headers.Add("Host", host);
    return Ask(*local, std::move(request))->status;
  };
  EXPECT_EQ(status(true, "localhost:8080"), 200);
  EXPECT_EQ(status(true, "127.0.0.1"), 200);
  EXPECT_EQ(status(false, "localhost:8080"), 403);
  EXPECT_EQ(status(true, "attacker.example.com"), 403);
  EXPECT_EQ(status(true, ""), 403);
}

TEST_F(DebugPageTest, ClientsOfAProxyInThePodDoNotGetIt) {
  const auto local = OnlyThisMachine(page_);
  for (const char* const name : {"X-Forwarded-For", "x-forwarded-client-cert", "Forwarded", "Via",
                                 "X-Envoy-Peer-Metadata"}) {
    HttpRequest request{.target = "/debug/kinformer", .on_loopback = true};
    request.headers.Add("Host", "10.0.0.7:8080");
    EXPECT_EQ(Ask(*local, request)->status, 200);
    request.headers.Add(name, "x");
    EXPECT_EQ(Ask(*local, request)->status, 403) << name;
  }
}

TEST(LocalHostName, AddressesAndLocalhostAreLocal) {
  for (const char* const host : {"127.0.0.1", "127.0.0.1:80", "10.1.2.3:8080", "[::1]", "[::1]:80",
                                 "localhost", "LocalHost:8080", "a.localhost:1"}) {
    EXPECT_TRUE(IsLocalHostName(host)) << host;
  }
  for (const char* const host :
       {"", ":80", "localhost.example.com", "127.0.0.1.example.com", "example.com:80", "[::1",
        "[example]", "::1", "notlocalhost", "127.0.0"}) {
    EXPECT_FALSE(IsLocalHostName(host)) << host;
  }
}

}  // namespace
}  // namespace kinformer::internal::debug
