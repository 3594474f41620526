// Lists and watches of a ResourceClient with objects that cannot be read, and with more events than
// the caller takes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/base/log.h"
#include "kinformer/base/simulation.h"
#include "kinformer/client/client.h"
#include "kinformer/client/dynamic_client.h"
#include "kinformer/client/resource_client.h"

#include "base/core/testing/fields_log.h"
#include "client/testing/scripted_server.h"

namespace kinformer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::Json;
using testing::ScriptedResponse;
using testing::ScriptedServer;

;

// Unreadable: its spec is a string, which the kind's struct does not allow.
std::string Pod(const std::string& name, bool readable) {
  return R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":")" + name +
         R"(","namespace":"ns","resourceVersion":"4"},"spec":)" + (readable ? "{}" : "\"x\"") + "}";
}

class ResourceReadsTest : public ::testing::Test {
 protected:
  template <class F>
  void Block(F body) {
    ASSERT_TRUE(sim_.RunBlocking(std::move(body), std::chrono::minutes(5)));
  }

  const std::shared_ptr<internal::base::FieldsLog> log_ =
      std::make_shared<internal::base::FieldsLog>(LogLevel::kWarning);
  Simulation sim_{{.seed = 4, .log = log_}};
  ScriptedServer server_;
  Client client_ = Client::ForTransport(
      sim_.env(), std::shared_ptr<Transport>(NewInMemoryTransport(sim_.env(), server_)),
      {.qps = -1});
};

TEST_F(ResourceReadsTest, UnreadableObjectsOfAListAreCountedAndNamed) {
  const auto page = [](const std::string& items, const std::string& next) {
    return Json(R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"9",)"
                R"("continue":")" +
                next + R"("},"items":[)" + items + "]}");
  };
  server_.script = {page(Pod("a", true) + "," + Pod("b", false), "more"),
                    page(Pod("c", false) + "," + Pod("d", true), "")};
  Block([&] {
    const auto list = client_.For<corev1::Pod>("ns").List();
    ASSERT_TRUE(list.ok()) << list.error();
    EXPECT_EQ(list->size(), 2U);
    EXPECT_EQ(list->unreadable(), 2U) << "of both pages";
  });
  ASSERT_EQ(log_->lines.size(), 2U);
  EXPECT_THAT(log_->lines[0],
              HasSubstr("an object of a list is unreadable and left out namespace=ns name=b err="));
  EXPECT_THAT(log_->lines[1], HasSubstr("name=c"));
}

TEST_F(ResourceReadsTest, UnreadableObjectsOfAWatchAreNamedAndItGoesOn) {
  std::string body;
  for (const auto& [name, readable] :
       {std::pair{"a", true}, std::pair{"b", false}, std::pair{"c", true}}) {
    body += R"({"type":"ADDED","object":)" + Pod(name, readable) + "}\n";
  }
  server_.script = {{.body = body}};
  std::vector<std::string> names;
  Block([&] {
    EXPECT_TRUE(client_.For<corev1::Pod>("ns")
                    .Watch({},
                           [&](const ResourceWatchEvent<corev1::Pod>& event) {
                             names.emplace_back(event.object->metadata().name());
                             return true;
                           })
                    .ok());
  });
  EXPECT_THAT(names, ElementsAre("a", "c"));
  ASSERT_EQ(log_->lines.size(), 1U);
  EXPECT_THAT(log_->lines[0],
              HasSubstr("an object of a watch is unreadable and left out namespace=ns name=b "
                        "err=Decode: "));
}

// At most 100,000 events wait for the caller.
TEST_F(ResourceReadsTest, AWatchThatNobodyKeepsUpWithEnds) {
  const std::string event = R"({"type":"ADDED","object":{"kind":"T","apiVersion":"x.io/v1",)"
                            R"("metadata":{"name":"a","namespace":"ns"}}})"
                            "\n";
  const RestMapping mapping{{"x.io", "v1", "ts"}, {"x.io", "v1", "T"}, true};
  const auto taken = [&](int events) {
    std::string body;
    body.reserve(event.size() * static_cast<std::size_t>(events));
    for (int i = 0; i < events; ++i) body += event;
    server_.script = {{.body = std::move(body)}};
    int count = 0;
    std::string error;
    Block([&] {
      const Result<void> done =
          client_.Dynamic(mapping, "ns").Watch({}, [&](const ResourceWatchEvent<Unstructured>&) {
            // The first callback blocks its thread until all events have arrived.
            if (count++ == 0) sim_.env().SleepFor(std::chrono::minutes(1));
            return true;
          });
      if (!done) error = done.error().ToString();
    });
    return std::pair(count, error);
  };
  const auto [few, none] = taken(1000);
  EXPECT_EQ(few, 1000);
  EXPECT_EQ(none, "");
  const auto [many, error] = taken(110'000);
  EXPECT_GT(many, 100'000) << "those that waited, and the one before";
  EXPECT_LT(many, 110'000);
  EXPECT_THAT(error, HasSubstr("events of a watch arrive faster than they are taken"));
}

TEST_F(ResourceReadsTest, AKindThatIsNoResourceIsNotAskedFor) {
  const RestMapping mapping{{"x.io", "v1", ""}, {"x.io", "v1", "T"}, true};
  Block([&] {
    const auto things = client_.Dynamic(mapping, "ns");
    for (const Error& error :
         {things.Get("a").error(), things.List().error(), things.ListPage({}).error(),
          things.Watch({}, [](const ResourceWatchEvent<Unstructured>&) { return true; }).error()}) {
      EXPECT_EQ(error.reason(), Reason::kInvalidArgument);
      EXPECT_EQ(error.message(), "kind T is not served as a resource");
    }
  });
  EXPECT_TRUE(server_.requests.empty());
}

}  // namespace
}  // namespace kinformer
