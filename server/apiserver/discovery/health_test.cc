#include "apiserver/discovery/health.h"

#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

namespace kinformer::apiserver {
namespace {

// Returns "status body"; empty if the request is none for a health check.
std::string Answer(std::string_view target) {
  const ResponsePtr response = AnswerHealth(ParseRequest("GET", target).OrExit());
  if (response == nullptr) return "";
  std::vector<BodyChunk> chunks;
  EXPECT_EQ(response->Read(100'000, chunks), ResponseStream::State::kEnd);
  EXPECT_EQ(response->headers().Get("Content-Type"), "text/plain; charset=utf-8");
  std::string out = std::to_string(response->status()) + " ";
  for (const BodyChunk& chunk : chunks) out += chunk.bytes;
  return out;
}

constexpr const char* kMissing = "404 404 page not found\n";

TEST(HealthChecks, Paths_LeadToTheWholeOrToOneCheck) {
  struct Row {
    const char* target;
    const char* answer;
  };
  for (const Row& row : {
           Row{"/", ""},
           Row{"/health", ""},
           Row{"/api/healthz", ""},
           Row{"/healthz", "200 ok"},
           Row{"/livez", "200 ok"},
           Row{"/readyz", "200 ok"},
           Row{"/readyz?exclude=ping", "200 ok"},
           Row{"/healthz/", kMissing},
           Row{"/healthz/ping/", kMissing},
           Row{"/healthz/ping", "200 ok"},
           Row{"/livez/etcd", "200 ok"},
           Row{"/livez/poststarthook/rbac/bootstrap-roles", "200 ok"},
           Row{"/livez/poststarthook", kMissing},
           Row{"/livez/nothing", kMissing},
           Row{"/livez/shutdown", kMissing},
           Row{"/readyz/shutdown", "200 ok"},
           Row{"/readyz/informer-sync", "200 ok"},
           Row{"/healthz/informer-sync", kMissing},
           Row{"/healthz/etcd-readiness", kMissing},
       }) {
    EXPECT_EQ(Answer(row.target), row.answer) << row.target;
  }
}

TEST(HealthChecks, Verbose_ListsTheChecks) {
  const std::string hooks =
      "[+]poststarthook/start-apiextensions-controllers ok\n"
      "[+]poststarthook/crd-informer-synced ok\n"
      "[+]poststarthook/start-system-namespaces-controller ok\n"
      "[+]poststarthook/rbac/bootstrap-roles ok\n"
      "[+]poststarthook/scheduling/bootstrap-system-priority-classes ok\n"
      "[+]poststarthook/bootstrap-controller ok\n"
      "[+]autoregister-completion ok\n"
      "[+]poststarthook/apiservice-openapi-controller ok\n"
      "[+]poststarthook/apiservice-openapiv3-controller ok\n";
  EXPECT_EQ(Answer("/livez?verbose"),
            "200 [+]ping ok\n[+]log ok\n[+]etcd ok\n" + hooks + "livez check passed\n");
  EXPECT_EQ(Answer("/readyz?verbose"),
            "200 [+]ping ok\n[+]log ok\n[+]etcd ok\n[+]etcd-readiness ok\n[+]informer-sync ok\n" +
                hooks + "[+]shutdown ok\nreadyz check passed\n");
  EXPECT_EQ(Answer("/healthz?verbose&exclude=log&exclude=b&exclude=a"),
            "200 [+]ping ok\n[+]log excluded: ok\n[+]etcd ok\n" + hooks +
                "warn: some health checks cannot be excluded: no matches for \"a\",\"b\"\n"
                "healthz check passed\n");
}

}  // namespace
}  // namespace kinformer::apiserver
