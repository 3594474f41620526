// State, errors and counters of an informer with several places.

#include "cache/informer/informer_statuses.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kinformer/base/metrics.h"
#include "kinformer/base/simulation.h"

#include "cache/figures/informer_metrics.h"
#include "cache/store/store_part.h"

namespace kinformer::internal::cache {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;

Error Failure(int http_status, Reason reason = Reason::kInternalError) {
  return Error(reason, "no").WithHttpStatus(http_status);
}

class InformerStatusesTest : public testing::Test {
 protected:
  [[nodiscard]] SteadyTime Now() { return sim_.env().Now(); }
  void FailAt(const std::string& place, const Error& error) {
    statuses_.Of(place).OnWatchError(error);
    statuses_.Of(place).OnWaiting(Now());
  }
  [[nodiscard]] std::string ErrorAt(std::string_view namespace_) const {
    const std::optional<Error> error = statuses_.LastError(namespace_);
    return error ? error->message() : "none";
  }

  const std::shared_ptr<TextMetrics> text_ = NewTextMetrics();
  Simulation sim_{{.log = NewNullLog(), .metrics = text_}};
  const std::string name_ = "pods";
  const std::unique_ptr<InformerMetrics> metrics_ = InformerMetrics::For(sim_.env(), name_);
  InformerStatuses statuses_{sim_.env(), name_, std::make_shared<InformerObservers>(),
                             metrics_.get()};
};

// States from the worst to the best, each with the calls that lead to it.
TEST_F(InformerStatusesTest, TheStateIsThatOfTheWorst) {
  using Step = std::function<void(ReflectorStatus&)>;
  const auto fails = [this](int http_status, Reason reason = Reason::kInternalError) -> Step {
    return [=, this](ReflectorStatus& status) {
      status.OnWatchError(Failure(http_status, reason));
      status.OnWaiting(Now());
    };
  };
  const struct {
    InformerState state;
    Step enter;
  } kWorstFirst[] = {
      {InformerState::kForbidden, fails(403, Reason::kForbidden)},
      {InformerState::kAbsent, fails(404, Reason::kNotFound)},
      {InformerState::kListing,
       [](ReflectorStatus& status) {
         status.OnWatchError(Failure(500));
         status.OnListing();
       }},
      {InformerState::kRefused, fails(429, Reason::kTooManyRequests)},
      {InformerState::kListing, [](ReflectorStatus& status) { status.OnListing(); }},
      {InformerState::kNotStarted, [](ReflectorStatus&) {}},
      {InformerState::kPaused, [](ReflectorStatus& status) { status.OnPaused(); }},
      {InformerState::kWatching, [](ReflectorStatus& status) { status.OnWatching(); }},
      {InformerState::kStopped, [](ReflectorStatus& status) { status.Stopped(); }},
  };
  const std::size_t count = std::size(kWorstFirst);
  for (std::size_t worse = 0; worse + 1 < count; ++worse) {
    for (const bool first : {true, false}) {
      statuses_.SetPlaces({});
      statuses_.SetPlaces({"a", "b"});
      kWorstFirst[worse].enter(statuses_.Of(first ? "a" : "b"));
      kWorstFirst[worse + 1].enter(statuses_.Of(first ? "b" : "a"));
      EXPECT_EQ(statuses_.Status().state, kWorstFirst[worse].state) << worse << first;
    }
  }
  // A repeated list is as bad as waiting for it: of two such places the first one counts.
  for (const bool first : {true, false}) {
    statuses_.SetPlaces({});
    statuses_.SetPlaces({"a", "b"});
    fails(500)(statuses_.Of(first ? "a" : "b"));
    statuses_.Of(first ? "b" : "a").OnWatchError(Failure(500));
    statuses_.Of(first ? "b" : "a").OnListing();
    EXPECT_EQ(statuses_.Status().state,
              first ? InformerState::kBackingOff : InformerState::kListing);
  }
}

TEST_F(InformerStatusesTest, TheNewsIsAsOldAsTheOldestAndTheEpochAsTheYoungest) {
  EXPECT_EQ(statuses_.Status().progress_age, std::nullopt);
  statuses_.SetPlaces({"a", "b"});
  statuses_.Of("a").OnProgress(Now());
  statuses_.Of("b").OnEpochChanged();
  EXPECT_EQ(statuses_.Status().progress_age, std::nullopt) << "of one nothing is known";
  sim_.RunFor(seconds(3));
  statuses_.Of("b").OnProgress(Now());
  statuses_.Of("a").OnEpochChanged();
  sim_.RunFor(seconds(2));
  EXPECT_EQ(statuses_.Status().progress_age, seconds(5));
  EXPECT_EQ(statuses_.Status().epoch_age, seconds(2));
  EXPECT_EQ(statuses_.Status().epochs, 2U);
  statuses_.Of("b").OnEpochChanged();
  EXPECT_EQ(statuses_.Status().epoch_age, seconds(0));
  statuses_.SetPlaces({});
  EXPECT_EQ(statuses_.Status().progress_age, std::nullopt);
}

TEST_F(InformerStatusesTest, TheFiguresAreThoseOfAllThatItEverLookedAt) {
  const auto look = [](ReflectorStatus& status, int times) {
    for (int i = 0; i < times; ++i) {
      status.OnListed(InitialList::kList);
      for (int j = 0; j < 2; ++j) status.OnListed(InitialList::kWatchList);
      for (int j = 0; j < 3; ++j) status.OnWatchStarted();
      for (int j = 0; j < 4; ++j) status.OnWatchError(Failure(500));
      status.OnWatchError(Failure(429, Reason::kTooManyRequests));
      status.OnEpochChanged();
    }
  };
  const auto figures = [this] {
    InformerStats stats;
    statuses_.AddTo(stats);
    EXPECT_EQ(stats.status.epochs, statuses_.epochs());
    return std::vector<std::uint64_t>{stats.lists,  stats.watch_lists, stats.watches,
                                      stats.errors, stats.refusals,    stats.status.epochs};
  };
  look(statuses_.Of(""), 1);
  EXPECT_THAT(figures(), ElementsAre(1U, 2U, 3U, 5U, 1U, 1U));
  statuses_.SetPlaces({"a", "b"});
  look(statuses_.Of("a"), 10);
  look(statuses_.Of("b"), 100);
  EXPECT_THAT(figures(), ElementsAre(111U, 222U, 333U, 555U, 111U, 111U));
  statuses_.SetPlaces({"", "a"});
  EXPECT_THAT(figures(), ElementsAre(111U, 222U, 333U, 555U, 111U, 111U));
  statuses_.SetPlaces({"", "b"});
  look(statuses_.Of("b"), 1);
  EXPECT_THAT(figures(), ElementsAre(112U, 224U, 336U, 560U, 112U, 112U));
  statuses_.SetPlaces({""});
  EXPECT_THAT(figures(), ElementsAre(112U, 224U, 336U, 560U, 112U, 112U));
}

TEST_F(InformerStatusesTest, AnErrorNamesItsPlaceAndHowManyMoreThereAre) {
  statuses_.SetPlaces({"a", "b", "c"});
  EXPECT_EQ(ErrorAt(""), "none");
  FailAt("b", Failure(500));
  EXPECT_EQ(ErrorAt(""), "namespace \"b\": no");
  FailAt("c", Failure(500));
  EXPECT_EQ(ErrorAt(""), "namespace \"b\", and 1 more that failed: no");
  FailAt("a", Failure(500));
  EXPECT_EQ(ErrorAt(""), "namespace \"a\", and 2 more that failed: no");
  EXPECT_EQ(ErrorAt("b"), "no");
  EXPECT_EQ(ErrorAt("d"), "none") << "it does not look there";
  statuses_.Of("b").OnListed(InitialList::kList);
  EXPECT_EQ(ErrorAt("b"), "none");
}

TEST_F(InformerStatusesTest, ANamespaceWithoutAWatchOfItsOwnHasTheErrorsOfTheOthers) {
  const std::string others(kOtherNamespaces);
  statuses_.SetPlaces({"a", others});
  FailAt(others, Failure(500));
  EXPECT_EQ(ErrorAt(""), "all other namespaces: no");
  EXPECT_EQ(ErrorAt("a"), "none");
  EXPECT_EQ(ErrorAt("b"), "no");
  // An error of the list of namespaces affects every namespace.
  statuses_.SetPlaces({"", "a"});
  statuses_.Of("").OnWatchError(Failure(403, Reason::kForbidden));
  EXPECT_EQ(ErrorAt(""), "no");
  EXPECT_EQ(ErrorAt("a"), "no");
  statuses_.SetPlaces({"a"});
  EXPECT_EQ(ErrorAt("a"), "none");
}

TEST_F(InformerStatusesTest, ErrorHandler_HearsOfAllNamespaces) {
  int told = 0;
  statuses_.SetPlaces({"", "a"});
  statuses_.SetErrorHandler([&](const Error&) { ++told; });
  FailAt("a", Failure(500));
  EXPECT_EQ(told, 1) << "of one that was there before";
  FailAt("b", Failure(500));
  EXPECT_EQ(told, 2) << "of one that came later";
  statuses_.Of("").OnWatchError(Failure(500));
  EXPECT_EQ(told, 3);
}

TEST_F(InformerStatusesTest, NamespacesAreThoseThatItLooksAt) {
  statuses_.SetPlaces({"", "a", "b"});
  statuses_.Of("b").OnWatching();
  std::vector<NamespaceStatus> all = statuses_.Namespaces();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].namespace_, "a");
  EXPECT_EQ(all[0].status.state, InformerState::kNotStarted);
  EXPECT_EQ(all[1].namespace_, "b");
  EXPECT_EQ(all[1].status.state, InformerState::kWatching);
  statuses_.Stopped();
  EXPECT_EQ(statuses_.Namespaces()[0].status.state, InformerState::kStopped);
  EXPECT_EQ(statuses_.Namespaces()[1].status.state, InformerState::kStopped);
  EXPECT_EQ(statuses_.Status().state, InformerState::kStopped);
  statuses_.SetPlaces({""});
  EXPECT_TRUE(statuses_.Namespaces().empty());
}

TEST_F(InformerStatusesTest, AMetricTellsTheOldestNews) {
  const auto progress = [this] {
    const std::string line = "informer_last_progress_timestamp_seconds{name=\"pods\"} ";
    const std::string text = text_->Text();
    const std::size_t at = text.find(line);
    return at == std::string::npos ? 0 : std::stod(text.substr(at + line.size()));
  };
  sim_.RunFor(seconds(100));
  statuses_.SetPlaces({"a", "b"});
  statuses_.Of("a").OnProgress(Now());
  const double first = progress();
  EXPECT_GE(first, 100);
  sim_.RunFor(seconds(5));
  statuses_.Of("b").OnProgress(Now());
  EXPECT_EQ(progress(), first + 5) << "each tells its own";
  statuses_.ReportProgress();
  EXPECT_EQ(progress(), first);
  statuses_.SetPlaces({"a", "b", "c"});
  statuses_.ReportProgress();
  EXPECT_EQ(progress(), first) << "of c nothing is known yet";
}

}  // namespace
}  // namespace kinformer::internal::cache
