// Answers to a delete, with the codes and bodies of an API server.

#include "client/deletion_codec.h"

#include <chrono>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/client/async_resource_client.h"
#include "kinformer/client/resource_client.h"

#include "client/testing/config_map_client.h"
#include "client/testing/scripted_server.h"

namespace kinformer {
namespace {

using std::chrono::minutes;
using testing::Json;
using testing::StatusFailure;

constexpr char kStatus[] =
    R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","details":)"
    R"({"name":"a","kind":"configmaps","uid":"u-1"}})";

std::string ObjectJson(const std::string& type, const std::string& metadata) {
  return "{" + type + R"(,"metadata":{"name":"a","namespace":"default","uid":"u-1")" + metadata +
         "}}";
}

std::string ConfigMapWith(const std::string& metadata) {
  return ObjectJson(R"("kind":"ConfigMap","apiVersion":"v1")", metadata);
}

class DeletionTest : public testing::ClientTest {
 protected:
  template <class F>
  void Block(F body) {
    ASSERT_TRUE(sim_.RunBlocking(std::move(body), minutes(5)));
  }
};

TEST_F(DeletionTest, ObjectIsPendingByItsMetadataAndTheCode) {
  struct Row {
    const char* name;
    int code;
    std::string body;
    bool pending;
    bool object;
  };
  const std::string marked = R"(,"deletionTimestamp":"2026-01-02T03:04:05Z")";
  const std::string grace = R"(,"deletionGracePeriodSeconds":)";
  const std::string finalizers = R"(,"finalizers":["example.com/keep"])";
  const std::vector<Row> rows = {
      {"a Status", 200, kStatus, false, false},
      {"a Status with 202", 202, kStatus, true, false},
      {"an object that was removed", 200, ConfigMapWith(""), false, true},
      {"an object with 202", 202, ConfigMapWith(""), true, true},
      {"finalizers alone are no deletion", 200, ConfigMapWith(finalizers), false, true},
      {"with finalizers", 200, ConfigMapWith(marked + grace + "0" + finalizers), true, true},
      {"in its grace period", 200, ConfigMapWith(marked + grace + "30"), true, true},
      {"removed after the mark", 200, ConfigMapWith(marked + grace + "0"), false, true},
      {"no finalizer is left", 200, ConfigMapWith(marked + grace + R"(0,"finalizers":[])"), false,
       true},
      {"without a grace period, as a Namespace", 200, ConfigMapWith(marked), true, true},
  };
  Block([&] {
    const auto maps = client_->For<corev1::ConfigMap>("default");
    for (const Row& row : rows) {
      server_.script = {Json(row.body, row.code)};
      const Result<Deletion<corev1::ConfigMap>> deleted = maps.DeleteForAnswer("a");
      ASSERT_TRUE(deleted.ok()) << row.name << ": " << deleted.error();
      EXPECT_EQ(deleted->pending, row.pending) << row.name;
      EXPECT_EQ(deleted->uid, "u-1") << row.name;
      EXPECT_EQ(static_cast<bool>(deleted->object), row.object) << row.name;
      if (deleted->object) {
        EXPECT_EQ(deleted->object->metadata().name(), "a") << row.name;
      }
    }
  });
}

TEST_F(DeletionTest, RequestHasTheOptionsAndAsksForJson) {
  server_.script = {Json(kStatus)};
  Block([&] {
    const auto maps = client_->For<corev1::ConfigMap>("default");
    EXPECT_TRUE(maps.DeleteForAnswer("a", {.gracePeriodSeconds = 7, .uid = "u-1"}).ok());
  });
  ASSERT_EQ(server_.requests.size(), 1U);
  const HttpRequest& sent = server_.requests[0];
  EXPECT_EQ(sent.method + " " + sent.target, "DELETE /api/v1/namespaces/default/configmaps/a");
  EXPECT_EQ(sent.headers.Get("Accept"), "application/json");
  EXPECT_EQ(sent.body, R"({"kind":"DeleteOptions","apiVersion":"v1","gracePeriodSeconds":7,)"
                       R"("preconditions":{"uid":"u-1"}})");
}

TEST_F(DeletionTest, ErrorsAreThoseOfADelete) {
  Block([&] {
    const auto maps = client_->For<corev1::ConfigMap>("default");
    server_.script = {StatusFailure(404, "NotFound", "configmaps \"a\" not found")};
    EXPECT_TRUE(IsNotFound(maps.DeleteForAnswer("a").error()));
    EXPECT_EQ(maps.DeleteForAnswer("").error().reason(), Reason::kInvalidArgument);
    EXPECT_EQ(server_.requests.size(), 1U);

    server_.script = {Json(ObjectJson(R"("kind":"Pod","apiVersion":"v1")", ""))};
    const auto other = maps.DeleteForAnswer("a");
    ASSERT_FALSE(other.ok());
    EXPECT_EQ(other.error().reason(), Reason::kDecode);
    EXPECT_NE(other.error().ToString().find("DELETE /api/v1/namespaces/default/configmaps/a"),
              std::string::npos)
        << other.error();
  });
}

TEST_F(DeletionTest, AsyncClientAnswersTheSame) {
  const std::string terminating =
      ConfigMapWith(R"(,"deletionTimestamp":"2026-01-02T03:04:05Z","deletionGracePeriodSeconds":0,)"
                    R"("finalizers":["example.com/keep"])");
  server_.script = {Json(terminating), Json(kStatus)};
  Block([&] {
    const AsyncResourceClient maps(client_->For<corev1::ConfigMap>("default"));
    const auto first = BlockOn(sim_.env(), maps.DeleteForAnswer("a").AsTask());
    ASSERT_TRUE(first.ok()) << first.error();
    EXPECT_TRUE(first->pending);
    EXPECT_EQ(first->uid, "u-1");
    ASSERT_TRUE(first->object);
    EXPECT_EQ(first->object->metadata().name(), "a");
    const DeleteOptions now{.gracePeriodSeconds = 0};
    const auto second = BlockOn(sim_.env(), maps.DeleteForAnswer("a", now).AsTask());
    ASSERT_TRUE(second.ok()) << second.error();
    EXPECT_FALSE(second->pending);
    EXPECT_FALSE(second->object);
  });
  EXPECT_NE(server_.requests.back().body.find("gracePeriodSeconds"), std::string::npos);
}

}  // namespace
}  // namespace kinformer
