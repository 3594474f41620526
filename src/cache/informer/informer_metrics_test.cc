// Metrics of an informer, read from the text format for Prometheus.

#include "cache/figures/informer_metrics.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "kinformer/base/metrics.h"
#include "kinformer/cache/snapshot_stats.h"

#include "cache/figures/work_timer.h"
#include "cache/informer/testing/informer_fixture.h"

namespace kinformer {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

class InformerMetricsTest : public testing::Test {
 protected:
  InformerMetricsTest() : server_(sim_.env()) {}

  SharedInformer<Pod> Make(InformerOptions<Pod> options = {}) {
    if (options.name.empty()) options.name = "web";
    return SharedInformer<Pod>(sim_.env(), server_.NewListerWatcher(), std::move(options));
  }
  void Settle() { sim_.RunReady(); }
  // Returns the value of `series`, or "none".
  [[nodiscard]] std::string Value(const std::string& series) const {
    const std::string text = "\n" + metrics_->Text();
    const std::size_t at = text.find("\n" + series + " ");
    if (at == std::string::npos) return "none";
    const std::size_t from = at + series.size() + 2;
    return text.substr(from, text.find('\n', from) - from);
  }
  [[nodiscard]] std::string Of(const std::string& metric) const {
    return Value(metric + "{name=\"web\"}");
  }
  [[nodiscard]] std::string OfHandler(const std::string& metric,
                                      const std::string& handler = "") const {
    return Value(metric + "{name=\"web\",handler=\"" + handler + "\"}");
  }

  std::shared_ptr<TextMetrics> metrics_ = NewTextMetrics();
  Simulation sim_{{.seed = 5, .metrics = metrics_}};
  internal::client::FakeServer server_;
};

TEST_F(InformerMetricsTest, ListsAndWatches) {
  server_.watch_list_unsupported = true;
  server_.Put("a");
  server_.Put("b");
  SharedInformer<Pod> informer = Make();
  informer.Start();
  Settle();
  EXPECT_EQ(Of("reflector_lists_total"), "1");
  EXPECT_EQ(Of("reflector_items_per_list_sum"), "2");
  EXPECT_EQ(Of("reflector_list_duration_seconds_count"), "1");
  EXPECT_EQ(Of("reflector_last_resource_version"), "2");
  EXPECT_EQ(Of("reflector_watches_total"), "1");
  EXPECT_EQ(Of("reflector_watch_duration_seconds_count"), "0") << "it goes on";
  sim_.RunFor(seconds(30));
  server_.Put("c");
  Settle();
  EXPECT_EQ(Of("reflector_last_resource_version"), "3");
  server_.EndWatches();
  Settle();
  EXPECT_EQ(Of("reflector_watch_duration_seconds_sum"), "30");
  EXPECT_EQ(Of("reflector_items_per_watch_sum"), "1");
  EXPECT_EQ(Of("reflector_watches_total"), "2");
  EXPECT_EQ(Of("reflector_short_watches_total"), "0");
  server_.EndWatches();
  sim_.RunFor(seconds(5));
  EXPECT_EQ(Of("reflector_short_watches_total"), "1");
  EXPECT_EQ(Of("reflector_watch_duration_seconds_count"), "2") << "each once";
  EXPECT_EQ(Of("reflector_lists_total"), "2");
  EXPECT_EQ(Of("reflector_items_per_list_sum"), "5");
}

TEST_F(InformerMetricsTest, AListThatBeginsAnewHasItsObjectsOnce) {
  server_.watch_list_unsupported = true;
  server_.pages_ignore_rv = true;
  for (const char* name : {"a", "b", "c", "d"}) server_.Put(name);
  server_.list_errors = {std::nullopt, Error(Reason::kExpired, "too old").WithHttpStatus(410)};
  SharedInformer<Pod> informer = Make({.watch_list_page_size = 2});
  informer.Start();
  Settle();
  EXPECT_EQ(Of("reflector_items_per_list_sum"), "4");
}

TEST_F(InformerMetricsTest, AWatchThatTheInformerClosesHasEnded) {
  SharedInformer<Pod> informer = Make({.max_queued_bytes = 2048, .relist_period = minutes(10)});
  bool held = false;
  const auto slow = std::make_shared<Recorder>();
  slow->hook = [&](const std::string&) {
    while (held) sim_.env().SleepFor(seconds(1));
  };
  informer.AddEventHandler(slow, {.overflow = OverflowPolicy::kBlock, .max_events = 1}).OrExit();
  informer.Start();
  sim_.RunFor(minutes(10) + seconds(5));
  EXPECT_EQ(Of("reflector_watch_duration_seconds_count"), "1") << "for a relist";
  held = true;
  for (int i = 0; i < 50; ++i) {
    server_.Put("p" + std::to_string(i));
    Settle();
  }
  ASSERT_EQ(informer.Status().state, InformerState::kPaused);
  EXPECT_EQ(Of("reflector_watch_duration_seconds_count"), "2") << "for a pause";
  held = false;
  sim_.RunFor(seconds(5));
}

TEST_F(InformerMetricsTest, ErrorsEpochsAndGaps_AreCounted) {
  server_.answers_version = true;
  server_.set_rv(20);
  server_.Put("a");
  SharedInformer<Pod> informer = Make();
  informer.Start();
  Settle();
  EXPECT_EQ(Of("reflector_errors_total"), "0");
  server_.FailWatches(Error(Reason::kTooManyRequests, "later").WithHttpStatus(429));
  sim_.RunFor(seconds(5));
  EXPECT_EQ(Of("reflector_errors_total"), "1");
  EXPECT_EQ(Of("reflector_epochs_total"), "0");
  server_.set_rv(4);
  server_.Forget();
  server_.BreakWatches();
  sim_.RunFor(seconds(5));
  EXPECT_EQ(Of("reflector_epochs_total"), "1");
  EXPECT_EQ(Of("informer_gaps_total"), "0");
  server_.Send(WatchEventType::kModified, internal::client::MakePod("default", "b", "5"));
  Settle();
  EXPECT_EQ(Of("informer_gaps_total"), "1");
  EXPECT_EQ(informer.Stats().errors, 1U);
  EXPECT_EQ(informer.Status().epochs, 1U);
  EXPECT_EQ(informer.Stats().gaps, 1U);
}

TEST_F(InformerMetricsTest, AWatchListIsAListAndThenAWatch) {
  server_.never_ends_initial_events = true;
  server_.Put("a");
  SharedInformer<Pod> informer = Make();
  informer.Start();
  Settle();
  EXPECT_EQ(Of("reflector_lists_total"), "1");
  EXPECT_EQ(Of("reflector_list_duration_seconds_count"), "0");
  EXPECT_EQ(Of("reflector_watches_total"), "0");
  sim_.RunFor(seconds(4));
  server_.SendBookmark("1", true);
  Settle();
  EXPECT_EQ(Of("reflector_list_duration_seconds_sum"), "4");
  EXPECT_EQ(Of("reflector_items_per_list_sum"), "1");
  EXPECT_EQ(Of("reflector_watches_total"), "1");
  sim_.RunFor(seconds(7));
  informer.Stop();
  Settle();
  EXPECT_EQ(Of("reflector_watch_duration_seconds_sum"), "7") << "a watch that is stopped ends too";
}

TEST_F(InformerMetricsTest, TheStore) {
  server_.Put("a");
  std::optional<SharedInformer<Pod>> informer(Make());
  informer->Start();
  Settle();
  EXPECT_EQ(Of("informer_store_objects"), "1");
  EXPECT_EQ(Of("informer_store_bytes"), std::to_string(informer->Stats().object_bytes));
  EXPECT_EQ(Of("informer_store_resource_version"), "1");
  EXPECT_EQ(Of("informer_processing_latency_seconds_count"), "1");
  server_.Put("b");
  Settle();
  server_.SendBookmark("77");
  Settle();
  EXPECT_EQ(Of("informer_store_objects"), "2");
  EXPECT_EQ(Of("informer_store_resource_version"), "77");
  EXPECT_EQ(Of("informer_processing_latency_seconds_count"), "3");
  EXPECT_EQ(Of("informer_queued_items"), "0");
  EXPECT_EQ(Of("informer_snapshots"), "0");
  {
    const Snapshot<Pod> held = informer->Snapshot();
    for (int i = 0; i < 20; ++i) {
      server_.Put("a");
      Settle();
      sim_.RunFor(seconds(1));
    }
    EXPECT_EQ(Of("informer_snapshots"), "1");
    EXPECT_NE(Of("informer_snapshot_bytes"), "0");
    EXPECT_NE(Of("informer_oldest_snapshot_seconds"), "0");
    const SnapshotStats stats = SnapshotStatsOf(*informer);
    EXPECT_EQ(stats.held, 1U);
    EXPECT_GT(stats.oldest, seconds(10));
    EXPECT_LE(stats.oldest, seconds(20));
  }
  EXPECT_EQ(SnapshotStatsOf(*informer).oldest, Duration(0));
  informer->Stop();
  Settle();
  EXPECT_EQ(Of("informer_store_objects"), "2") << "a stopped informer's store is readable";
  ASSERT_TRUE(sim_.RunBlocking([&] { informer.reset(); }, minutes(1)));
  Settle();
  EXPECT_EQ(Of("informer_store_objects"), "0");
  EXPECT_EQ(Of("informer_store_bytes"), "0");
}

TEST_F(InformerMetricsTest, HandlersByTheNamesThatTheUserGave) {
  SharedInformer<Pod> informer = Make();
  bool sleeping = true;
  const auto slow = std::make_shared<Recorder>();
  slow->hook = [&](const std::string&) {
    if (sleeping) sim_.env().SleepFor(minutes(1));
  };
  const auto registration = informer.AddEventHandler(slow, {.name = "slow", .max_events = 4});
  informer.AddEventHandler(std::make_shared<Recorder>()).OrExit();
  informer.AddEventHandler(std::make_shared<Recorder>()).OrExit();
  informer.Start();
  Settle();
  for (int i = 0; i < 20; ++i) {
    server_.Put("p" + std::to_string(i % 10), std::to_string(i));
    Settle();
  }
  EXPECT_EQ(OfHandler("informer_handler_waiting_events", "slow"),
            std::to_string(registration->Stats().waiting));
  EXPECT_GT(registration->Stats().waiting, 4U);
  EXPECT_EQ(OfHandler("informer_handler_waiting_bytes", "slow"),
            std::to_string(registration->Stats().waiting_bytes));
  EXPECT_EQ(OfHandler("informer_handler_coalesced_total", "slow"),
            std::to_string(registration->Stats().coalesced));
  EXPECT_EQ(OfHandler("informer_handler_delivered_total"), "40") << "the nameless ones together";
  EXPECT_EQ(OfHandler("informer_handler_waiting_events"), "0");
  EXPECT_THAT(metrics_->Text(), testing::Not(testing::HasSubstr("handler-")));
  sleeping = false;
  sim_.RunFor(minutes(30));
  EXPECT_EQ(OfHandler("informer_handler_waiting_events", "slow"), "0");
  EXPECT_EQ(OfHandler("informer_handler_delivered_total", "slow"),
            std::to_string(registration->Stats().delivered));
}

TEST_F(InformerMetricsTest, ARemovedHandlersEventsWaitNoMore) {
  SharedInformer<Pod> informer = Make();
  const auto stuck = std::make_shared<Recorder>();
  stuck->hook = [&](const std::string&) { sim_.env().SleepFor(minutes(1)); };
  const auto registration = informer.AddEventHandler(stuck, {.name = "stuck"});
  informer.Start();
  Settle();
  for (int i = 0; i < 100; ++i) server_.Put("p" + std::to_string(i));
  Settle();
  EXPECT_NE(OfHandler("informer_handler_waiting_events", "stuck"), "0");
  ASSERT_TRUE(
      sim_.RunBlocking([&] { informer.RemoveEventHandler(*registration).OrExit(); }, minutes(5)));
  EXPECT_EQ(OfHandler("informer_handler_waiting_events", "stuck"), "0");
  EXPECT_EQ(OfHandler("informer_handler_waiting_bytes", "stuck"), "0");
}

TEST_F(InformerMetricsTest, BlockingHandler_WaitingEventsCountAsQueued) {
  SharedInformer<Pod> informer = Make();
  const auto slow = std::make_shared<Recorder>();
  slow->hook = [&](const std::string&) { sim_.env().SleepFor(seconds(1)); };
  informer.AddEventHandler(slow, {.overflow = OverflowPolicy::kBlock, .max_events = 4}).OrExit();
  informer.Start();
  Settle();
  for (int i = 0; i < 100; ++i) {
    server_.Put("p" + std::to_string(i));
    Settle();
  }
  EXPECT_EQ(Of("informer_queued_items"), std::to_string(informer.Stats().queued));
  EXPECT_GT(informer.Stats().queued, 10U);
  EXPECT_EQ(Of("informer_queued_bytes"), std::to_string(informer.Stats().queued_bytes));
  informer.Stop();
  Settle();
  EXPECT_EQ(Of("informer_queued_items"), "0");
  EXPECT_EQ(Of("informer_queued_bytes"), "0");
}

TEST_F(InformerMetricsTest, InformersOfOneNameAddUp) {
  server_.Put("a");
  SharedInformer<Pod> one = Make();
  SharedInformer<Pod> two = Make();
  one.Start();
  two.Start();
  Settle();
  EXPECT_EQ(Of("informer_store_objects"), "2");
  EXPECT_EQ(Of("reflector_lists_total"), "2");
}

TEST_F(InformerMetricsTest, ShortLivedInformers_AddNoSeries_W51) {
  server_.Put("a");
  const auto live = [this](int handlers) {
    auto informer = std::make_optional(Make());
    for (int i = 0; i < handlers; ++i) {
      informer->AddEventHandler(std::make_shared<Recorder>()).OrExit();
      informer->AddEventHandler(std::make_shared<Recorder>(), {.name = "named"}).OrExit();
    }
    informer->Start();
    Settle();
    ASSERT_TRUE(sim_.RunBlocking([&] { informer.reset(); }, minutes(1)));
    Settle();
  };
  const auto series = [this] {
    const std::string text = metrics_->Text();
    return std::count(text.begin(), text.end(), '\n');
  };
  live(1);
  const auto first = series();
  EXPECT_GT(first, 0);
  for (int i = 0; i < 20; ++i) live(5);
  EXPECT_EQ(series(), first);
  EXPECT_EQ(Of("reflector_lists_total"), "21");
  EXPECT_EQ(Of("informer_store_objects"), "0");
}

TEST_F(InformerMetricsTest, WithoutANameTheLabelIsWhatItLists) {
  SharedInformer<Pod> informer(sim_.env(), server_.NewListerWatcher(), {});
  informer.Start();
  Settle();
  EXPECT_EQ(Value("reflector_lists_total{name=\"pods\"}"), "1");
}

// A disabled sink, which fails the test if an instrument is requested.
class DeafMetrics final : public MetricsSink {
 public:
  [[nodiscard]] bool enabled() const override { return false; }
  std::shared_ptr<Counter> NewCounter(std::string_view name, std::string_view,
                                      MetricLabels) override {
    ADD_FAILURE() << name;
    return nullptr;
  }
  std::shared_ptr<Gauge> NewGauge(std::string_view name, std::string_view, MetricLabels) override {
    ADD_FAILURE() << name;
    return nullptr;
  }
  std::shared_ptr<Histogram> NewHistogram(std::string_view name, std::string_view,
                                          MetricLabels) override {
    ADD_FAILURE() << name;
    return nullptr;
  }
};

TEST_F(InformerMetricsTest, WorkInTurns_IsMeasuredAsSum) {
  const auto metrics = internal::cache::InformerMetrics::For(sim_.env(), "web");
  internal::cache::WorkTimer timer(sim_.env(), metrics.get());
  const auto work = [&](Duration time) {
    timer.Begin();
    sim_.RunFor(time);
  };
  work(seconds(2));
  timer.Pause();
  sim_.RunFor(seconds(100));
  work(seconds(3));
  timer.Pause();
  sim_.RunFor(seconds(100));
  work(seconds(4));
  timer.End();
  EXPECT_EQ(Of("informer_processing_latency_seconds_count"), "1");
  EXPECT_EQ(Of("informer_processing_latency_seconds_sum"), "9");
  work(seconds(1));
  timer.End();
  EXPECT_EQ(Of("informer_processing_latency_seconds_count"), "2");
  EXPECT_EQ(Of("informer_processing_latency_seconds_sum"), "10") << "each begins with nothing";
}

TEST(InformerMetrics, DisabledMetrics_CreateNothing) {
  Simulation sim({.metrics = std::make_shared<DeafMetrics>()});
  internal::client::FakeServer server(sim.env());
  server.Put("a");
  SharedInformer<Pod> informer(sim.env(), server.NewListerWatcher(), {});
  const auto recorder = std::make_shared<Recorder>();
  informer.AddEventHandler(recorder).OrExit();
  informer.Start();
  sim.RunReady();
  EXPECT_EQ(recorder->words, (Texts{"+a!"}));
  EXPECT_FALSE(NewNullMetrics()->enabled());
  EXPECT_TRUE(NewTextMetrics()->enabled());
}

// Metrics of an informer of two named namespaces, and of one of every existing namespace.
class NamespaceMetricsTest : public InformerMetricsTest {
 protected:
  internal::client::FakeServer& Server(const std::string& ns) {
    std::unique_ptr<internal::client::FakeServer>& server = servers_[ns];
    if (server == nullptr) {
      server = std::make_unique<internal::client::FakeServer>(sim_.env());
      server->namespace_name = ns;
    }
    return *server;
  }
  // Returns the time of the last progress in the namespace in seconds; -1 without the metric.
  [[nodiscard]] double Progress(const std::string& ns) const {
    const std::string value = Value("informer_namespace_last_progress_timestamp_seconds{name=" +
                                    ("\"web\",namespace=\"" + ns + "\"}"));
    return value == "none" ? -1 : std::stod(value);
  }
  std::map<std::string, std::unique_ptr<internal::client::FakeServer>> servers_{};
};

TEST_F(NamespaceMetricsTest, TheAgeOfEachNamespaceThatIsNamed) {
  const auto lists = [this](const std::string& ns) { return Server(ns).NewListerWatcher(); };
  for (const bool falls_back : {false, true}) {
    servers_.clear();
    Server("").down = Error(Reason::kForbidden, "no").WithHttpStatus(403);
    InformerOptions<Pod> options{.name = "web"};
    (falls_back ? options.if_forbidden.namespaces : options.namespaces) = {"blue", "green"};
    SharedInformer<Pod> informer(sim_.env(), lists, std::move(options));
    informer.Start();
    Settle();
    const double now =
        std::chrono::duration<double>(sim_.env().WallNow().time_since_epoch()).count();
    EXPECT_NEAR(Progress("blue"), now, 1);
    EXPECT_NEAR(Progress("green"), now, 1);
    sim_.RunFor(minutes(10));
    Server("green").Bookmark();
    Settle();
    EXPECT_NEAR(Progress("blue"), now, 1);
    EXPECT_NEAR(Progress("green"), now + 600, 1);
    EXPECT_EQ(Of("informer_last_progress_timestamp_seconds"),
              Value("informer_namespace_last_progress_timestamp_seconds{name=\"web\",namespace="
                    "\"blue\"}"))
        << "the oldest";
  }
  EXPECT_EQ(Progress(""), -1);
}

TEST_F(NamespaceMetricsTest, WatchedNamespaces_HaveMetricsOfTheirWatch) {
  Server("").down = Error(Reason::kForbidden, "no").WithHttpStatus(403);
  internal::client::FakeServer namespaces(sim_.env());
  namespaces.namespace_name = "";
  namespaces.Put("blue");
  namespaces.Put("green");
  for (const bool watch_list : {true, false}) {
    const std::string name = watch_list ? "web" : "lists";
    SharedInformer<Pod> informer(internal::InformerCore::Create(
        sim_.env(), "pods",
        {.objects = [this](const std::string& ns) { return Server(ns).NewListerWatcher(); },
         .namespaces = [&] { return namespaces.NewListerWatcher(); },
         .namespaced = true},
        internal::SettingsOf(InformerOptions<Pod>{
            .name = name,
            .initial_list = watch_list ? InitialList::kWatchList : InitialList::kList,
            .if_forbidden = {.watch_namespaces = true}})));
    const auto of = [&](const std::string& metric) {
      return Value(metric + "{name=\"" + name + ", namespaces\"}");
    };
    informer.Start();
    Settle();
    EXPECT_TRUE(informer.HasSynced());
    EXPECT_EQ(Progress("blue"), -1) << "there may be thousands";
    EXPECT_EQ(of("reflector_watch_lists_total"), watch_list ? "1" : "0");
    EXPECT_EQ(of("reflector_lists_total"), "1");
    EXPECT_EQ(of("reflector_watches_total"), "1");
    EXPECT_EQ(of("informer_store_objects"), "2");
  }
}

}  // namespace
}  // namespace kinformer
