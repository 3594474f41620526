#include "apiserver/etcd/etcd_json.h"

#include <gtest/gtest.h>
#include <string>

namespace kinformer::apiserver {
namespace {

TEST(EtcdJson, Requests_HaveBase64AndNumbersAsStrings) {
  EXPECT_EQ(RangeJson({.begin = "/a/", .end = "/a0", .limit = 5, .revision = 7}),
            R"({"key":"L2Ev","range_end":"L2Ew","limit":"5","revision":"7"})");
  EXPECT_EQ(RangeJson({.begin = "/a/"}), R"({"key":"L2Ev","limit":"0","revision":"0"})");
  EXPECT_EQ(WatchJson(9),
            R"({"create_request":{"key":"AA==","range_end":"AA==","start_revision":"9"}})");
  EXPECT_EQ(NumberJson("TTL", 10), R"({"TTL":"10"})");
  EXPECT_EQ(TransactionJson(
                {.conditions = {{.key = "k", .revision = 3},
                                {.key = "v", .revision = 2, .by_version = true}},
                 .changes = {{.key = "k", .value = "x", .lease = 4}, {.key = "d", .removes = true}},
                 .otherwise = "k"}),
            R"({"compare":[{"result":"EQUAL","key":"aw==","target":"MOD","mod_revision":"3"},)"
            R"({"result":"EQUAL","key":"dg==","target":"VERSION","version":"2"}],"success":[)"
            R"({"request_put":{"key":"aw==","value":"eA==","lease":"4"}},)"
            R"({"request_delete_range":{"key":"ZA=="}}],)"
            R"("failure":[{"request_range":{"key":"aw=="}}]})");
}

TEST(EtcdJson, Answers_AreRead) {
  const EtcdPage page = PageOf(json::Parse(R"({"header":{"revision":"12"},"kvs":[{"key":"aw==",
      "create_revision":"2","mod_revision":"7","version":"3","value":"eA=="}],"more":true})")
                                   .OrExit());
  EXPECT_EQ(page.revision, 12);
  EXPECT_TRUE(page.more);
  ASSERT_EQ(page.values.size(), 1U);
  EXPECT_EQ(page.values[0].key, "k");
  EXPECT_EQ(page.values[0].value, "x");
  EXPECT_EQ(page.values[0].revision, 7);
  EXPECT_EQ(page.values[0].version, 3);
  EXPECT_TRUE(
      OutcomeOf(json::Parse(R"({"header":{"revision":"3"},"succeeded":true})").OrExit()).made);
  const EtcdOutcome lost = OutcomeOf(json::Parse(R"({"header":{"revision":"3"},"responses":[
      {"response_range":{"kvs":[{"key":"aw==","version":"4"}]}}]})")
                                         .OrExit());
  EXPECT_FALSE(lost.made);
  EXPECT_EQ(lost.revision, 3);
  ASSERT_EQ(lost.otherwise.size(), 1U);
  EXPECT_EQ(lost.otherwise[0].version, 4);
}

TEST(EtcdJson, WatchLines_AreChangesOrTheEnd) {
  const EtcdLine changes = LineOf(R"({"result":{"header":{"revision":"3"},"events":[
      {"kv":{"key":"aw==","mod_revision":"2","value":"eA=="}},
      {"type":"DELETE","kv":{"key":"aw==","mod_revision":"3"}}]}})");
  EXPECT_FALSE(changes.over);
  ASSERT_EQ(changes.changes.size(), 2U);
  EXPECT_FALSE(changes.changes[0].removed);
  EXPECT_TRUE(changes.changes[1].removed);
  EXPECT_EQ(changes.changes[1].revision, 3);
  const EtcdLine created = LineOf(R"({"result":{"header":{"revision":"3"},"created":true}})");
  EXPECT_FALSE(created.over);
  EXPECT_TRUE(created.changes.empty());
  const EtcdLine compacted = LineOf(R"({"result":{"canceled":true,"compact_revision":"3"}})");
  EXPECT_TRUE(compacted.over);
  EXPECT_EQ(compacted.compacted, 3);
  const EtcdLine failed = LineOf(R"({"error":{"code":14,"message":"etcdserver: no leader"}})");
  EXPECT_TRUE(failed.over);
  EXPECT_EQ(failed.why, "etcdserver: no leader");
  EXPECT_TRUE(LineOf("nonsense").over);
}

TEST(EtcdJson, Errors_SayWhatIsKnown) {
  const auto at = [](int status, const char* body) {
    const Error error = EtcdErrorOf(status, body);
    return std::to_string(error.http_status()) + " " + std::string(error.message());
  };
  EXPECT_EQ(at(503, R"({"code":14,"message":"etcdserver: no leader"})"),
            "503 etcd cannot be reached, nothing was changed: etcdserver: no leader");
  EXPECT_EQ(at(503, R"({"code":14,"message":"etcdserver: request timed out"})"),
            "504 etcd has not answered, a change may be made or not, read before trying again: "
            "etcdserver: request timed out");
  EXPECT_EQ(at(429, R"({"code":8,"message":"etcdserver: mvcc: database space exceeded"})"),
            "500 etcd refuses: etcdserver: mvcc: database space exceeded (compact and defragment "
            "it and disarm the alarm, or raise --quota-backend-bytes)");
  EXPECT_EQ(at(429, R"({"code":8,"message":"etcdserver: too many requests"})"),
            "503 etcd cannot be reached, nothing was changed: etcdserver: too many requests");
  EXPECT_EQ(
      at(400, R"({"code":3,"message":"etcdserver: user name is empty"})"),
      "500 etcd refuses: etcdserver: user name is empty (a server needs a user of etcd who may "
      "read and write all keys: --etcd-user)");
  EXPECT_EQ(at(400, R"({"code":3,"message":"etcdserver: request is too large"})"),
            "500 etcd refuses: etcdserver: request is too large");
  EXPECT_EQ(at(400, "CommonName of client sending a request against gateway will be ignored\n"),
            "500 etcd refuses: an etcd with users takes no client certificate with a common name "
            "here: use one without a common name, and --etcd-user");
  EXPECT_EQ(EtcdErrorOf(400, R"({"code":11,"message":"compacted"})").reason(), Reason::kExpired);
  EXPECT_EQ(at(404, R"({"error":"a stand-in"})"),
            "503 etcd cannot be reached, nothing was changed: a stand-in");
  EXPECT_EQ(at(404, "404 page not found"),
            "503 etcd cannot be reached, nothing was changed: the answer is 404, as of another "
            "server than etcd, or of one without its JSON API");
}

}  // namespace
}  // namespace kinformer::apiserver
