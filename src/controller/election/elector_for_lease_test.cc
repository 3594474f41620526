// Electors that make their own client: what is checked before anything is opened.

#include <chrono>
#include <gtest/gtest.h>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/runtime.h"
#include "kinformer/client/config.h"
#include "kinformer/leaderelection/leader_elector.h"
#include "kinformer/leaderelection/lease_lock.h"

namespace kinformer {
namespace {

using std::chrono::seconds;

// Makes an elector on threads of its own, or on a loop of `env`. Returns its error, or "".
std::string Make(Env* env, const std::string& host, LeaseLockOptions lock,
                 Duration renew_deadline) {
  Config config;
  config.host = host;
  LeaderElectionConfig election{.lease_duration = seconds(15),
                                .renew_deadline = renew_deadline,
                                .callbacks = {.on_started_leading = [](const std::stop_token&) {},
                                              .on_stopped_leading = [] {}}};
  const auto made =
      env == nullptr
          ? LeaderElector::NewForLease(config, std::move(lock), std::move(election))
          : LeaderElector::NewForLease(*env, config, std::move(lock), std::move(election));
  if (!made) return made.error().ToString();
  EXPECT_NE(*made, nullptr);
  EXPECT_FALSE((*made)->IsLeader());
  return "";
}

struct Row {
  const char* error;  // its beginning; empty: none
  const char* host;
  LeaseLockOptions lock;
  Duration renew_deadline;
};

TEST(ElectorForLease, WrongOptions_AreErrors) {
  const LeaseLockOptions good{.namespace_ = "default", .name = "printer", .identity = "a"};
  const char* const here = "http://127.0.0.1:1";
  const char* const nowhere = "https://[";
  Runtime runtime;
  for (Env* const env : {static_cast<Env*>(nullptr), &runtime.env()}) {
    for (const Row& row : std::vector<Row>{
             {"", here, good, seconds(10)},
             {"", here, {.namespace_ = "default", .name = "printer"}, seconds(10)},
             {"InvalidArgument: LeaseLockOptions::namespace_ is empty: a Lease needs a namespace_",
              here,
              {.name = "printer"},
              seconds(10)},
             {"InvalidArgument: LeaseLockOptions::name is empty: a Lease needs a name",
              here,
              {.namespace_ = "default"},
              seconds(10)}}) {
      EXPECT_EQ(Make(env, row.host, row.lock, row.renew_deadline), row.error);
    }
    // The host is looked at before the lock, and the times before both.
    const std::string wrong_host = Make(env, nowhere, {}, seconds(10));
    const std::string wrong_times = Make(env, nowhere, {}, seconds(15));
    EXPECT_NE(wrong_host, "");
    EXPECT_EQ(wrong_host.find("LeaseLockOptions"), std::string::npos) << wrong_host;
    EXPECT_NE(wrong_times.find("lease_duration"), std::string::npos) << wrong_times;
  }
}

}  // namespace
}  // namespace kinformer
