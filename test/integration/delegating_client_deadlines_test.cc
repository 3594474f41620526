// Limits of the calls of a DelegatingClient: its own deadline, the call's timeout, and stop tokens.

#include <chrono>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "kinformer/controller/delegating_client.h"

#include "integration/delegating_client_fixture.h"

namespace kinformer::testing {
namespace {

using apiserver::FaultAction;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::nanoseconds;
using std::chrono::seconds;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr const char* kNothingSent = "the caller's time is up, so nothing was sent";

class DelegatingClientLimits : public DelegatingClientTest {
 protected:
  using Cached = DelegatingClient;
  struct Operation {
    const char* name;
    std::function<Result<void>(const DelegatingClient&, const CallOptions&)> call;
  };
  template <class T>
  static Result<void> Only(const Result<T>& result) {
    return result.ok() ? Result<void>() : Result<void>(result.error());
  }
  // All calls that ask the server each time.
  static std::vector<Operation> Requests() {
    const kinformer::Patch patch{.body = R"({"data":{"color":"x"}})"};
    return {
        {"get",
         [](const Cached& c, const CallOptions& o) { return Only(c.Get(kMaps, Named("a"), o)); }},
        {"list", [](const Cached& c, const CallOptions& o) { return Only(c.List(kMaps, {}, o)); }},
        {"create",
         [](const Cached& c, const CallOptions& o) { return Only(c.Create(Map("a"), {}, o)); }},
        {"update",
         [](const Cached& c, const CallOptions& o) { return Only(c.Update(Map("a"), {}, o)); }},
        {"patch",
         [patch](const Cached& c, const CallOptions& o) {
           return Only(c.Patch<ConfigMap>(Named("a"), patch, {}, o));
         }},
        {"delete", [](const Cached& c,
                      const CallOptions& o) { return c.Delete<ConfigMap>(Named("a"), {}, o); }},
        {"delete of many",
         [](const Cached& c, const CallOptions& o) {
           return c.DeleteAllOf<ConfigMap>({.namespace_ = "default"}, {}, o);
         }},
        {"get of a part",
         [](const Cached& c, const CallOptions& o) {
           return Only(
               c.SubResource("scale").Get(kMaps, Named("a"), {"autoscaling", "v1", "Scale"}, o));
         }},
    };
  }
  static Result<void> ReadOne(const Cached& c, const CallOptions& o) {
    return Only(c.Get<ConfigMap>(Named("a"), o));
  }
  static Result<void> ReadAll(const Cached& c, const CallOptions& o) {
    return Only(c.List<ConfigMap>({.namespace_ = "default"}, o));
  }
  // The server answers late, or denies all.
  void Answer(FaultAction action, const std::string& verb = "", int status = 403,
              const std::string& namespace_ = "") {
    server_.faults().Add({.verb = verb,
                          .namespace_ = namespace_,
                          .action = action,
                          .status = status,
                          .delay = hours(1)});
  }
};

struct Limits {
  std::optional<Duration> bound;  // the client's deadline, from now
  Duration timeout;               // of the call
  Duration expected;
};

const std::vector<Limits> kLimits{
    {{}, seconds(3), seconds(3)},          {{}, nanoseconds(2), nanoseconds(2)},
    {{}, nanoseconds(1), nanoseconds(1)},  {seconds(3), seconds(0), seconds(3)},
    {seconds(3), seconds(-1), seconds(3)}, {seconds(3), seconds(5), seconds(3)},
    {seconds(5), seconds(3), seconds(3)},  {nanoseconds(1), seconds(0), nanoseconds(1)}};

TEST_F(DelegatingClientLimits, Requests_EndAtTheEarlierLimit) {
  Run([&] {
    sim_.env().SleepFor(minutes(2));
    Answer(FaultAction::kDelay);
    for (const Operation& operation : Requests()) {
      for (const Limits& row : kLimits) {
        SCOPED_TRACE(std::string(operation.name) + " " + std::to_string(row.timeout.count()));
        const SteadyTime now = sim_.env().Now();
        const Cached client = row.bound ? cached_.WithDeadline(now + *row.bound) : cached_;
        const Result<void> late = operation.call(client, {.timeout = row.timeout});
        ASSERT_FALSE(late.ok());
        EXPECT_EQ(sim_.env().Now() - now, row.expected);
        EXPECT_THAT(late.error().message(), Not(HasSubstr(kNothingSent)));
      }
    }
  });
}

// A malformed trace shows that it reaches the request, which is then refused.
TEST_F(DelegatingClientLimits, Requests_HaveTheTraceOfTheCallOrOfTheClient) {
  const CallOptions first{.traceparent = "first"};
  const CallOptions second{.traceparent = "second"};
  Run([&] {
    for (const Operation& operation : Requests()) {
      SCOPED_TRACE(operation.name);
      EXPECT_THAT(operation.call(cached_, first).error().message(),
                  HasSubstr("traceparent \"first\""));
      EXPECT_THAT(operation.call(cached_.Within(first), {}).error().message(),
                  HasSubstr("traceparent \"first\""));
      EXPECT_THAT(operation.call(cached_.Within(first), second).error().message(),
                  HasSubstr("traceparent \"second\""));
    }
  });
}

TEST_F(DelegatingClientLimits, PastDeadline_NothingIsSent) {
  Run([&] {
    sim_.env().SleepFor(minutes(2));
    for (const Operation& operation : Requests()) {
      for (const Duration ago : {Duration(0), Duration(1), Duration(hours(1))}) {
        SCOPED_TRACE(operation.name);
        const Cached client = cached_.WithDeadline(sim_.env().Now() - ago);
        const Result<void> late = operation.call(client, {.timeout = seconds(5)});
        ASSERT_FALSE(late.ok());
        EXPECT_EQ(late.error().reason(), Reason::kDeadlineExceeded);
        EXPECT_EQ(late.error().message(), kNothingSent);
      }
    }
    // So does a read of a cache that has to be filled.
    const Cached client = cached_.WithDeadline(sim_.env().Now());
    Answer(FaultAction::kDelay);
    EXPECT_EQ(ReadOne(client, {}).error().ToString(),
              std::string("DeadlineExceeded: reading configmaps \"default/a\": ") + kNothingSent);
    EXPECT_EQ(ReadAll(client, {}).error().ToString(),
              std::string("DeadlineExceeded: listing configmaps: ") + kNothingSent);
  });
}

TEST_F(DelegatingClientLimits, Stop_EndsRequests) {
  Run([&] {
    Answer(FaultAction::kDelay);
    for (const Operation& operation : Requests()) {
      for (const bool with_call : {false, true}) {
        SCOPED_TRACE(operation.name);
        std::stop_source stop;
        const SteadyTime now = sim_.env().Now();
        const Timer timer =
            sim_.env().loop().RunAt(now + seconds(1), [&stop] { stop.request_stop(); });
        const Cached client = with_call ? cached_ : cached_.WithStopToken(stop.get_token());
        const Result<void> stopped = operation.call(
            client, with_call ? CallOptions{.stop = stop.get_token()} : CallOptions{});
        ASSERT_FALSE(stopped.ok());
        EXPECT_EQ(stopped.error().reason(), Reason::kCanceled);
        EXPECT_EQ(sim_.env().Now() - now, seconds(1));
      }
    }
  });
}

TEST_F(DelegatingClientLimits, FirstReads_EndAtTheEarlierLimit) {
  Run([&] {
    sim_.env().SleepFor(minutes(2));
    Answer(FaultAction::kDelay);
    std::vector<Limits> limits = kLimits;
    limits.push_back({milliseconds(250), seconds(0), milliseconds(250)});
    limits.push_back({{}, milliseconds(100), milliseconds(100)});
    for (const Limits& row : limits) {
      SCOPED_TRACE(row.timeout.count());
      const SteadyTime now = sim_.env().Now();
      const auto bounded = [&] {
        return row.bound ? cached_.WithDeadline(sim_.env().Now() + *row.bound) : cached_;
      };
      const Error one = ReadOne(bounded(), {.timeout = row.timeout}).error();
      EXPECT_EQ(one.reason(), Reason::kDeadlineExceeded);
      EXPECT_THAT(one.message(), StartsWith("reading configmaps \"default/a\": "));
      EXPECT_EQ(sim_.env().Now() - now, row.expected);
      const Error all = ReadAll(bounded(), {.timeout = row.timeout}).error();
      EXPECT_EQ(all.reason(), Reason::kDeadlineExceeded);
      EXPECT_THAT(all.message(), StartsWith("listing configmaps: "));
      EXPECT_EQ(sim_.env().Now() - now, 2 * row.expected);
    }
  });
}

// Another namespace of the same cache is denied, so the whole cache never syncs.
TEST_F(DelegatingClientLimits, FirstReadOfANamespace_LooksEveryTenthOfASecond) {
  Run([&] {
    Make("default", "a", "web");
    Answer(FaultAction::kRespond, "", 403, "kube-public");
    server_.faults().Add({.verb = "watch",
                          .namespace_ = "default",
                          .action = FaultAction::kDelay,
                          .delay = milliseconds(250)});
    Use({.namespaces = {"default", "kube-public"}});
    EXPECT_EQ(TimeOf([&] { EXPECT_EQ(ColorOf(cached_.Get<ConfigMap>(Named("a"))), "blue"); }),
              milliseconds(300));
    EXPECT_EQ(TimeOf([&] {
                EXPECT_EQ(ColorOf(cached_.Get<ConfigMap>({"elsewhere", "a"})), "OutOfScope");
                EXPECT_EQ(NamesOf(cached_.List<ConfigMap>({.namespace_ = "default"})),
                          std::vector<std::string>{"a"});
              }),
              Duration(0))
        << "nor does a namespace wait that the cache never has";
    EXPECT_EQ(TimeOf([&] {
                EXPECT_EQ(cached_.List<ConfigMap>({}, {.timeout = seconds(2)}).error().reason(),
                          Reason::kDeadlineExceeded);
              }),
              seconds(2));
  });
}

// Only a denied cache is explained: in each error, and in the log once for each cache.
TEST_F(DelegatingClientLimits, DeniedCache_IsExplained) {
  const std::string hint =
      "; a read through the cache lists and watches all of its kind, which the server forbids: "
      "grant list and watch, or set cached = false for it in "
      "SharedInformerFactoryOptions::by_resource, so that each read asks the server";
  const std::string logged = "a read waits for a cache that does not fill informer=";
  Run([&] {
    for (const int status : {401, 403, 404, 500}) {
      SCOPED_TRACE(status);
      server_.faults().Clear();
      Answer(FaultAction::kRespond, "", status);
      Use({});
      log_->lines.clear();
      for (std::size_t round = 0; round < 2; ++round) {
        const Error maps = ReadOne(cached_, {.timeout = seconds(1)}).error();
        const Error pods = cached_.Get<Pod>(Named("a"), {.timeout = seconds(1)}).error();
        EXPECT_EQ(maps.reason(), Reason::kDeadlineExceeded);
        if (status == 403) {
          EXPECT_THAT(maps.message(), EndsWith(hint));
          EXPECT_THAT(pods.message(), EndsWith(hint));
        } else {
          EXPECT_THAT(maps.message(), Not(HasSubstr("a read through the cache")));
          EXPECT_THAT(pods.message(), Not(HasSubstr("a read through the cache")));
          EXPECT_THAT(pods.message(), Not(EndsWith("; ")));
        }
      }
      EXPECT_EQ(log_->Count(logged + "configmaps"), status == 403 ? 1U : 0U) << log_->text();
      EXPECT_EQ(log_->Count(logged + "pods"), status == 403 ? 1U : 0U) << log_->text();
    }
    Use({});
    log_->lines.clear();
    EXPECT_FALSE(ReadOne(cached_, {.timeout = milliseconds(1)}).ok());
    EXPECT_EQ(log_->Count(logged), 0U) << "nothing is known yet";
  });
}

}  // namespace
}  // namespace kinformer::testing
