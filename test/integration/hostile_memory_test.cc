// Measures the memory that a server needs for bodies that expand: starts `kinformer apiserver` as a
// process, sends a body of each kind that expands, and checks the largest growth of its memory
// during the answer.

#include <arpa/inet.h>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <netinet/in.h>
#include <ostream>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "kinformer/base/runtime.h"

#include "integration/hostile_requests.h"
#include "integration/raw_http.h"
#include "object/values/text_forms.h"
#include "support/child_process.h"
#include "x509/tls_authority.h"

namespace kinformer::testing {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t kMiB = std::size_t{1} << 20;
constexpr std::string_view kWidgets = "/apis/e.example/v1/namespaces/default/ws";

// A server of the CLI, whose memory is measured from outside. The destructor ends it.
class MeasuredServer {
 public:
  MeasuredServer() : child_({KINFORMER_CLI_PATH, "apiserver", "--listen", "127.0.0.1:0"}) {
    std::vector<std::string> lines;
    if (!child_.WaitForLine("http://127.0.0.1:", std::chrono::seconds(30), &lines)) return;
    const std::string& line = lines.back();
    port_ = static_cast<std::uint16_t>(std::stoi(line.substr(line.find("127.0.0.1:") + 10)));
  }
  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] RawReply Ask(const std::string& bytes) const { return Exchange(port_, bytes); }

  [[nodiscard]] std::size_t Descriptors() const {
    const std::filesystem::directory_iterator all("/proc/" + std::to_string(child_.pid()) + "/fd");
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
  }

  // Returns the largest growth of its memory during an answer; 0 if it cannot be measured.
  std::size_t GrowthOf(const std::string& request, RawReply& reply) {
    const std::string folder = "/proc/" + std::to_string(child_.pid());
    std::ofstream(folder + "/clear_refs") << "5";  // resets the peak to the current value
    const std::size_t before = Read(folder + "/status", "VmRSS:");
    reply = Ask(request);
    const std::size_t peak = Read(folder + "/status", "VmHWM:");
    return peak > before ? peak - before : 0;
  }

 private:
  static std::size_t Read(const std::string& file, std::string_view name) {
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
      if (line.starts_with(name)) return std::stoul(line.substr(name.size())) * 1024;
    }
    return 0;
  }

  ChildProcess child_;
  std::uint16_t port_ = 0;
};

std::string Definition(std::string_view schema, std::string_view more = {}) {
  return Json("POST", kCrds,
              R"({"metadata":{"name":"ws.e.example"},"spec":{"group":"e.example","scope":)"
              R"("Namespaced","names":{"plural":"ws","singular":"w","kind":"W","listKind":"WList"})"
              R"(,"versions":[{"name":"v1","served":true,"storage":true)" +
                  std::string(more) +
                  R"(,"schema":{"openAPIV3Schema":{"type":"object","properties":{)" +
                  std::string(schema) + "}}}}]}}");
}
std::string Widget(std::string_view rest, std::string_view name = "o") {
  return Json("POST", kWidgets,
              R"({"apiVersion":"e.example/v1","kind":"W","metadata":{"name":")" +
                  std::string(name) + "\"}," + std::string(rest) + "}");
}
std::string Listed(std::string_view one, std::size_t count) {
  return "[" + Repeat(std::string(one) + ",", count - 1) + std::string(one) + "]";
}
std::string FatItems(std::string_view member, std::size_t bytes) {
  return "\"" + std::string(member) +
         R"(":{"type":"object","properties":{"l":{"type":"array","items":{"type":"object",)"
         R"("properties":{"s":{"type":"string","default":")" +
         std::string(bytes, 'x') + R"("}}}}}})";
}

struct Row {
  std::string name;
  std::string request;
  int status = 0;
  std::string says{};                 // in the answer
  std::vector<std::string> before{};  // requests that have to succeed
  std::size_t most = 64 * kMiB;
};
void PrintTo(const Row& row, std::ostream* out) { *out << row.name; }

std::vector<Row> Defaults() {
  const std::string widgets = Definition(FatItems("spec", 131'072));
  const std::string numbers = Definition(
      R"("spec":{"type":"object","properties":{"l":{"type":"array","items":{"type":"object",)"
      R"("properties":{"s":{"type":"array","items":{"type":"integer"},"default":)" +
      Listed("1", 50'000) + "}}}}}}");
  // Objects in objects, each of which is a default.
  std::string tree = R"("s":{"type":"string","default":")" + std::string(100, 'y') + "\"}";
  for (int i = 0; i < 5; ++i) {
    std::string next;
    for (const char c : std::string_view("abcd")) {
      next += std::string(next.empty() ? "\"" : ",\"") + c +
              R"(":{"type":"object","default":{},"properties":{)" + tree + "}}";
    }
    tree = std::move(next);
  }
  const std::string trees = Definition(
      R"("spec":{"type":"object","properties":{"l":{"type":"array","items":{"type":"object",)"
      R"("properties":{)" +
      tree + "}}}}}");
  const std::string status =
      Definition("\"spec\":{\"type\":\"object\"}," + FatItems("status", 131'072),
                 R"(,"subresources":{"status":{}})");
  const std::string items = Listed("{}", 40'000);
  const std::string status_patch =
      RequestText("PATCH", std::string(kWidgets) + "/o/status",
                  {{"Content-Type", "application/json-patch+json"}},
                  R"([{"op":"add","path":"/status","value":{"l":)" + items + "}}]");
  const std::string apply = RequestText(
      "PATCH", std::string(kWidgets) + "/o?fieldManager=m",
      {{"Content-Type", "application/apply-patch+yaml"}},
      R"({"apiVersion":"e.example/v1","kind":"W","metadata":{"name":"o"},"spec":{"l":)" + items +
          "}}");
  return {
      // 120 KB that would become 5.2 GB.
      {"B3_SchemaDefaults", Widget("\"spec\":{\"l\":" + items + "}"), 413, "defaults", {widgets}},
      {"B3_SchemaDefaultsOfAFewKilobytes",
       Widget("\"spec\":{\"l\":" + Listed("{}", 2'600) + "}"),
       413,
       "defaults",
       {widgets}},
      {"B3_JustBelowTheBound",
       Widget("\"spec\":{\"l\":" + Listed("{}", 100) + "}"),
       500,
       "trying to send message larger than max",
       {widgets}},
      {"DefaultsOfManyValues",
       Widget("\"spec\":{\"l\":" + items + "}"),
       413,
       "defaults",
       {numbers}},
      {"DefaultsInDefaults", Widget("\"spec\":{\"l\":" + items + "}"), 413, "defaults", {trees}},
      {"DefaultsOfAStatus", status_patch, 413, "defaults", {status, Widget("\"spec\":{}")}},
      {"DefaultsInAnApply", apply, 413, "defaults", {widgets, Widget("\"spec\":{}")}},
      {"DefaultsOfBuiltInKinds",
       Json("POST", kPods,
            R"({"metadata":{"name":"p"},"spec":{"containers":)" + Listed("{}", 900'000) + "}}"),
       413,
       "defaults of its kind",
       {},
       128 * kMiB},
      {"DefaultsOfProbes",
       Json("POST", kPods,
            R"({"metadata":{"name":"p"},"spec":{"containers":)" +
                Listed(R"({"livenessProbe":{"grpc":{}},"startupProbe":{"httpGet":{}}})", 40'000) +
                "}}"),
       413,
       "defaults of its kind",
       {},
       96 * kMiB},
      {"DefaultsOfADefinition",
       RequestText("PATCH", std::string(kCrds) + "/ws.e.example",
                   {{"Content-Type", "application/merge-patch+json"}},
                   R"({"spec":{"versions":[{"name":"v1","served":true,"storage":true,"schema":)"
                   R"({"openAPIV3Schema":{"type":"object","properties":{)" +
                       FatItems("spec", 100'000) + "}}}}]}}"),
       200,
       "",
       {Definition(FatItems("spec", 1)), Widget("\"spec\":{\"l\":" + items + "}"),
        Widget("\"spec\":{\"l\":" + items + "}", "o2"),
        Widget("\"spec\":{\"l\":" + items + "}", "o3")}},
  };
}

// A list in a list in a list, each with a long default in its key.
Row KeysOfAnApply() {
  constexpr int kLevels = 40;
  std::string schema;
  std::string value;
  for (int i = kLevels; i > 0; --i) {
    const std::string inner = schema.empty() ? "" : "," + schema;
    schema = R"("l":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":)"
             R"(["k","i"],"items":{"type":"object","required":["i"],"properties":{"i":)"
             R"({"type":"string"},"k":{"type":"string","default":")" +
             std::string(9'000, 'k') + "\"}" + inner + "}}}";
    std::string elements;
    for (int e = 0; e < 1'500; ++e) elements += ",{\"i\":\"" + std::to_string(e) + "\"}";
    value = R"("l":[{"i":"n")" + (value.empty() ? "" : "," + value) + "}" + elements + "]";
  }
  return {.name = "KeysOfAnApply",
          .request = RequestText(
              "PATCH", std::string(kWidgets) + "/o?fieldManager=m",
              {{"Content-Type", "application/apply-patch+yaml"}},
              R"({"apiVersion":"e.example/v1","kind":"W","metadata":{"name":"o"},"spec":{)" +
                  value + "}}"),
          .status = 500,
          .says = "keys of its elements take more than",
          .before = {Definition(R"("spec":{"type":"object","properties":{)" + schema + "}}"),
                     Widget("\"spec\":{}")},
          .most = 96 * kMiB};
}

std::vector<Row> Patches() {
  const std::string numbers = Listed("1", 1'000);
  return {
      {"CopiesOfAJsonPatch",
       Patch("p", "json",
             R"([{"op":"add","path":"/x","value":)" + Listed("[]", 1'000) + "}" +
                 Repeat(R"(,{"op":"copy","from":"/x","path":"/x/-"})", 64) + "]"),
       422,
       "copies in this patch add more than",
       {Map("p")},
       96 * kMiB},
      {"AliasesOfYaml", Yaml("a: &a " + numbers + "\nb: " + Listed("*a", 600) + "\n"), 400,
       "aliases multiply"},
      {"ManyAliasesOfYaml", Yaml("a: &a [1,1,1,1,1,1,1,1,1,1]\nb: " + Listed("*a", 350'000) + "\n"),
       400, "aliases multiply"},
      {"StringDataOfASecret",
       Json("POST", "/api/v1/namespaces/default/secrets",
            R"({"metadata":{"name":"s"},"stringData":{)" +
                Members(25'000, "\"" + std::string(100, 'y') + "\"") + "}}"),
       422, "may not be more than 1048576 bytes"},
      {"ElementsThatMergeIntoEachOther",
       RequestText("PATCH", std::string(kPods) + "/p",
                   {{"Content-Type", "application/strategic-merge-patch+json"}},
                   R"({"spec":{"containers":)" +
                       Listed(R"({"name":"c","env":[{"name":"e"},{"name":"e"}]})", 50'000) + "}}"),
       422,
       "",
       {Json("POST", kPods,
             R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}]}})")},
       128 * kMiB},
      KeysOfAnApply(),
  };
}

// Errors in an object are reported some hundred times at most, not a million times.
std::vector<Row> Mistakes() {
  const auto wrong = [](std::string_view name, std::string_view metadata) {
    return Json(
        "POST", kMaps,
        R"({"metadata":{"name":")" + std::string(name) + "\"," + std::string(metadata) + "}}");
  };
  std::string finalizers;
  std::string owners;
  for (int i = 0; i < 200'000; ++i)
    finalizers += (i > 0 ? ",\"%" : "\"%") + std::to_string(i) + '"';
  for (int i = 0; i < 20'000; ++i) {
    owners += (i > 0 ? "," : "") +
              (R"({"apiVersion":"v1","kind":"K","name":"n","controller":true,"uid":")" +
               std::to_string(i)) +
              "\"}";
  }
  return {
      {"MistakesInLabels", wrong("l", "\"labels\":{" + Members(200'000, "\"%\"", "%") + "}"), 422},
      {"MistakesInFinalizers", wrong("f", "\"finalizers\":[" + finalizers + "]"), 422},
      {"MistakesInOwners", wrong("o", "\"ownerReferences\":[" + owners + "]"), 422},
      {"MistakesInKeys",
       Map("k", ",\"data\":{" + Members(200'000, "\"\"", "%") + "}"),
       422,
       "",
       {},
       96 * kMiB},
      {"MistakesInADefinition",
       Definition("\"spec\":{\"type\":\"object\",\"properties\":{" + Members(150'000, "{}") + "}}"),
       422,
       "",
       {},
       96 * kMiB},
      {"MistakesInPortNames",
       Json("POST", "/api/v1/namespaces/default/endpoints",
            R"({"metadata":{"name":"e"},"subsets":[{"ports":)" + Listed("{\"port\":1}", 100'000) +
                "}]}"),
       422,
       "",
       {},
       96 * kMiB},
      {"RepeatedMembersAtALongWay",
       Map("d",
           ",\"" + std::string(100'000, 'n') + "\":{" + Repeat("\"a\":1,", 2'000) + "\"b\":1}"),
       201},
  };
}

std::vector<Row> Answers() {
  std::string columns;
  for (int i = 0; i < 5'000; ++i) {
    columns += (i > 0 ? "," : "") +
               (R"({"type":"string","jsonPath":".spec","name":"c)" + std::to_string(i)) + "\"}";
  }
  return {{"PrintedColumns",
           RequestText("GET", std::string(kWidgets) + "/o",
                       {{"Accept", "application/json;as=Table;v=v1;g=meta.k8s.io"}}),
           200,
           "",
           {Definition(R"("spec":{"type":"object","properties":{"x":{"type":"string"}}})",
                       ",\"additionalPrinterColumns\":[" + columns + "]"),
            Widget("\"spec\":{\"x\":\"" + std::string(100'000, 'z') + "\"}")}}};
}

std::vector<Row> AllRows() {
  std::vector<Row> all;
  for (auto rows : {Defaults(), Patches(), Mistakes(), Answers()}) {
    all.insert(all.end(), rows.begin(), rows.end());
  }
  return all;
}

class HostileMemoryRow : public ::testing::TestWithParam<Row> {};

TEST_P(HostileMemoryRow, ABodyThatMultiplies_IsRefused_AndMemoryStaysBounded) {
  const Row& row = GetParam();
  MeasuredServer server;
  ASSERT_NE(server.port(), 0);
  ASSERT_EQ(server.Ask(Map("warm")).status, 201);
  for (const std::string& request : row.before) {
    RawReply made = server.Ask(request);
    // The resource of a definition is served a moment after its creation.
    for (int i = 0; i < 200 && made.status == 404; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      made = server.Ask(request);
    }
    ASSERT_LT(made.status, 300) << made.text.substr(0, 1000);
  }
  RawReply reply;
  const std::size_t grown = server.GrowthOf(row.request, reply);
  EXPECT_EQ(reply.status, row.status) << reply.text.substr(0, 1000);
  EXPECT_THAT(reply.text, HasSubstr(row.says));
  EXPECT_LT(reply.text.size(), 8 * kMiB);
  RecordProperty("grown_bytes", std::to_string(grown));
#ifndef KINFORMER_TEST_SANITIZED  // where freed memory is kept
  EXPECT_LE(grown, row.most) << "of " << row.request.size() << " bytes";
#endif
  EXPECT_EQ(server.Ask(Get("/livez")).status, 200);
}

// A port on every loopback address of this machine, at which nothing answers.
class SilentPort {
 public:
  SilentPort() : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_ANY);
    ::bind(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address);
    ::listen(fd_, 4096);
    socklen_t size = sizeof address;
    ::getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
  }
  ~SilentPort() { ::close(fd_); }
  SilentPort(const SilentPort&) = delete;
  SilentPort& operator=(const SilentPort&) = delete;
  [[nodiscard]] std::uint16_t port() const { return port_; }

 private:
  const int fd_;
  std::uint16_t port_ = 0;
};

TEST(HostileMemory, WebhooksAtManyAddresses_LeaveFewDescriptors) {
  constexpr int kHooks = 760;
  const SilentPort silent;
  MeasuredServer server;
  ASSERT_NE(server.port(), 0);
  ASSERT_EQ(server.Ask(Map("warm")).status, 201);
  // A separate authority: reading that of the machine takes long, 760 times.
  Runtime runtime;
  std::string bundle;
  internal::AppendBase64(
      internal::x509::TlsAuthority::Make("ca", runtime.env().WallNow()).OrExit().ca_pem(), bundle);
  std::string webhooks;
  for (int i = 0; i < kHooks; ++i) {
    const std::string n = std::to_string(i);
    webhooks +=
        (i > 0 ? ",{\"name\":\"h" : "{\"name\":\"h") + n +
        R"(.e.example","admissionReviewVersions":["v1"],"sideEffects":"None","failurePolicy":)"
        R"("Ignore","timeoutSeconds":1,"rules":[{"operations":["*"],"apiGroups":[""],)"
        R"("apiVersions":["v1"],"resources":["configmaps"]}],"clientConfig":{"url":)"
        R"("https://127.0.)" +
        std::to_string(i / 250 + 1) + "." + std::to_string(i % 250 + 1) + ":" +
        std::to_string(silent.port()) + "/\",\"caBundle\":\"" + bundle + "\"}}";
  }
  const std::string hooks = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
  const RawReply made = server.Ask(
      Json("POST", hooks, R"({"metadata":{"name":"many"},"webhooks":[)" + webhooks + "]}"));
  ASSERT_EQ(made.status, 201) << made.text.substr(0, 1000);
  const RawReply asked = server.Ask(Map("asked"));
  EXPECT_EQ(asked.status, 201) << asked.text.substr(0, 1000);
  ASSERT_EQ(server.Ask(RequestText("DELETE", hooks + "/many")).status, 200);
  // Unused connections are closed by a check every five seconds.
  std::size_t left = server.Descriptors();
  for (int i = 0; i < 2000 && left > 40; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    left = server.Descriptors();
  }
  RecordProperty("descriptors", std::to_string(left));
  EXPECT_LE(left, 40U);
}

INSTANTIATE_TEST_SUITE_P(HostileMemory, HostileMemoryRow, ::testing::ValuesIn(AllRows()),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace kinformer::testing
