// Times at which reflectors list again that lost their server at the same moment.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/simulation.h"

#include "cache/watch/reflector.h"
#include "cache/watch/retry_pace.h"
#include "cache/watch/testing/reflector_fixture.h"
#include "client/testing/fake_lister_watcher.h"

namespace kinformer::internal::cache {
namespace {

using client::FakeServer;
using client::MakePod;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::size_t kSmall = 100;
constexpr std::size_t kMiddling = 3000;
constexpr std::size_t kLarge = 15'000;

// A collection and its reflector, which records when it last began to list.
struct Member final : ReflectorObserver {
  Member(Env& of, std::size_t objects) : env(of), server(of) {
    server.watch_list_unsupported = true;
    for (std::size_t i = 0; i < objects; ++i) server.Put("p" + std::to_string(i));
    lister_watcher = server.NewListerWatcher();
    // Without jitter the pause after a failure shows the additional pause.
    ReflectorOptions options;
    options.backoff.jitter = 0;
    reflector = std::make_unique<Reflector>(env, *lister_watcher, store, *this, std::move(options));
  }
  void OnListing() override { listing = env.Now(); }
  void OnWatchError(const Error&) override {}
  [[nodiscard]] std::size_t size() const { return server.objects().size(); }

  Env& env;
  FakeServer server;
  RecordingStore store{};
  std::unique_ptr<ListerWatcher> lister_watcher{};
  std::unique_ptr<Reflector> reflector{};
  std::optional<SteadyTime> listing{};
};

class RelistSpread : public testing::Test {
 protected:
  ~RelistSpread() override {
    for (const auto& member : members_) member->reflector.reset();
  }
  Member& Add(std::size_t objects) {
    members_.push_back(std::make_unique<Member>(sim_.env(), objects));
    return *members_.back();
  }
  // All reflectors start, and watch for some time.
  void Begin() {
    sim_.env().loop().Post([this] {
      for (const auto& member : members_) member->reflector->Start();
    });
    sim_.RunReady();
    const SteadyTime now = sim_.env().Now();
    for (const auto& member : members_) EXPECT_EQ(member->listing, now) << "the first list";
    sim_.RunFor(seconds(5));
    for (const auto& member : members_) member->listing.reset();
    cut_ = sim_.env().Now();
  }
  static Error TooOld() { return Error(Reason::kExpired, "too old").WithHttpStatus(410); }
  // Returns the sorted delays of the lists of collections with `objects` objects.
  std::vector<Duration> Delays(std::size_t objects) {
    std::vector<Duration> delays;
    for (const auto& member : members_) {
      if (member->size() != objects) continue;
      EXPECT_TRUE(member->listing.has_value());
      delays.push_back(member->listing.value_or(cut_) - cut_);
    }
    std::sort(delays.begin(), delays.end());
    return delays;
  }
  // Returns the largest number of objects whose lists begin within half a second.
  [[nodiscard]] std::size_t Peak() const {
    std::size_t peak = 0;
    for (const auto& first : members_) {
      const SteadyTime from = first->listing.value_or(cut_);
      std::size_t sum = 0;
      for (const auto& member : members_) {
        const SteadyTime begun = member->listing.value_or(cut_);
        if (begun >= from && begun < from + milliseconds(500)) sum += member->size();
      }
      peak = std::max(peak, sum);
    }
    return peak;
  }

  Simulation sim_;
  SteadyTime cut_{};
  std::vector<std::unique_ptr<Member>> members_;
};

TEST_F(RelistSpread, AfterAnOutageSmallCollectionsAreListedFirst_W38) {
  for (int i = 0; i < 20; ++i) Add(kSmall);
  for (int i = 0; i < 5; ++i) Add(kMiddling);
  for (int i = 0; i < 2; ++i) Add(kLarge);
  Begin();
  std::size_t all = 0;
  for (const auto& member : members_) {
    all += member->size();
    member->server.watch_errors.push_back(TooOld());
    member->server.BreakWatches();
  }
  sim_.RunFor(seconds(10));
  const std::vector<Duration> small = Delays(kSmall);
  const std::vector<Duration> middling = Delays(kMiddling);
  const std::vector<Duration> large = Delays(kLarge);
  // Each reflector waits at least half a second to one second. Without the additional pause all
  // would begin within half a second.
  EXPECT_LE(small.back(), milliseconds(1010));
  EXPECT_GE(middling.front(), milliseconds(650));
  EXPECT_LE(middling.back(), milliseconds(1300));
  EXPECT_GE(large.front(), milliseconds(1250));
  EXPECT_LE(large.back(), milliseconds(2500));
  EXPECT_LT(small.back(), large.front());
  EXPECT_LE(Peak(), 3 * all / 4);
  RecordProperty("peak_percent", static_cast<int>(100 * Peak() / all));
}

TEST_F(RelistSpread, AVersionThatIsTooOldIsNoOutage_W38) {
  Member& member = Add(kLarge);
  Begin();
  member.server.FailWatches(TooOld());
  sim_.RunFor(seconds(5));
  EXPECT_LE(Delays(kLarge).front(), seconds(1));
}

TEST_F(RelistSpread, AnOutageIsOverOnceTheWatchTellsSomething_W38) {
  Member& member = Add(kLarge);
  Begin();
  member.server.BreakWatches();
  sim_.RunFor(seconds(5));
  ASSERT_FALSE(member.listing.has_value()) << "the watch was resumed";
  member.server.Bookmark();
  sim_.RunFor(minutes(1));
  cut_ = sim_.env().Now();
  member.server.FailWatches(TooOld());
  sim_.RunFor(seconds(5));
  EXPECT_LE(Delays(kLarge).front(), seconds(1));
}

TEST_F(RelistSpread, AnOutageIsOverOnceItHasBeenListed_W38) {
  Member& member = Add(kLarge);
  Begin();
  member.server.watch_errors.push_back(TooOld());
  member.server.BreakWatches();
  sim_.RunFor(minutes(5));
  ASSERT_TRUE(member.listing.has_value());
  cut_ = sim_.env().Now();
  member.server.FailWatches(TooOld());
  sim_.RunFor(seconds(5));
  EXPECT_LE(Delays(kLarge).front(), seconds(1));
}

TEST_F(RelistSpread, AFailureIsAnOutageIfTheServerCannotBeReached_W38) {
  for (const bool unreachable : {true, false}) {
    members_.clear();
    Member& member = Add(kLarge);
    Begin();
    member.server.FailWatches(unreachable
                                  ? Error(Reason::kConnectionRefused, "refused")
                                  : Error(Reason::kInternalError, "no").WithHttpStatus(500));
    sim_.RunFor(seconds(5));
    if (unreachable) {
      EXPECT_GE(Delays(kLarge).front(), milliseconds(800 + 750));
    } else {
      EXPECT_EQ(Delays(kLarge).front(), milliseconds(800));
    }
  }
}

// The outage in which the watch was resumed has ended.
TEST_F(RelistSpread, AStreamThatGoesBackIsOne_W38) {
  Member& member = Add(kLarge);
  Begin();
  member.server.BreakWatches();
  sim_.RunFor(seconds(2));
  member.server.Put("p0");
  sim_.RunFor(seconds(1));
  ASSERT_FALSE(member.listing.has_value());
  cut_ = sim_.env().Now();
  member.server.SendBookmark("1");
  sim_.RunFor(seconds(5));
  EXPECT_GE(Delays(kLarge).front(), milliseconds(1250));
}

TEST_F(RelistSpread, AServerThatWentBackInTimeIsListedSmallOnesFirst_W38) {
  Member& small = Add(kSmall);
  Member& large = Add(kLarge);
  Begin();
  sim_.env().loop().Post([&] {
    small.reflector->JoinEpoch();
    large.reflector->JoinEpoch();
  });
  sim_.RunFor(seconds(5));
  EXPECT_LE(Delays(kSmall).front(), milliseconds(1010));
  EXPECT_GE(Delays(kLarge).front(), milliseconds(1250));
}

// The current size counts, not the size of the last list.
TEST_F(RelistSpread, ObjectsThatCameSinceTheListCount_W38) {
  Member& member = Add(0);
  Begin();
  for (std::size_t i = 0; i < kLarge; ++i) member.server.Put("p" + std::to_string(i));
  sim_.RunFor(seconds(1));
  cut_ = sim_.env().Now();
  member.server.watch_errors.push_back(TooOld());
  member.server.BreakWatches();
  sim_.RunFor(seconds(5));
  EXPECT_GE(Delays(kLarge).front(), milliseconds(1250));
}

TEST_F(RelistSpread, ObjectsThatWentSinceTheListDoNotCount_W38) {
  for (const std::size_t listed : {kLarge, std::size_t{0}}) {
    members_.clear();
    Member& member = Add(listed);
    Begin();
    while (member.size() > kSmall - 1) {
      member.server.Delete("p" + std::to_string(member.size() - 1));
    }
    // The deletion of an unknown object.
    member.server.Send(WatchEventType::kDeleted, MakePod("default", "unknown", member.server.rv()));
    sim_.RunFor(seconds(1));
    cut_ = sim_.env().Now();
    member.server.watch_errors.push_back(TooOld());
    member.server.BreakWatches();
    sim_.RunFor(seconds(5));
    EXPECT_LE(Delays(member.size()).front(), milliseconds(1010)) << listed;
  }
}

TEST_F(RelistSpread, TenSecondsAreTheMost_W38) {
  RetryPace pace(sim_.env(), {});
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(pace.BySize(99), Duration(0));
    EXPECT_GE(pace.BySize(10'000), milliseconds(500));
    EXPECT_LE(pace.BySize(10'000), seconds(1));
    EXPECT_GE(pace.BySize(10'000'000), seconds(5));
    EXPECT_LE(pace.BySize(10'000'000), seconds(10));
  }
}

}  // namespace
}  // namespace kinformer::internal::cache
