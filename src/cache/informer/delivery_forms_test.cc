// Delivery of events: slow handlers are named in the log, waiting events are drained or dropped at
// the end, batches, and readers.

#include <algorithm>
#include <cstddef>
#include <gtest/gtest.h>
#include <initializer_list>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/cache/batch_event_handler.h"
#include "kinformer/cache/event_reader.h"

#include "cache/informer/testing/delivery_fixture.h"

namespace kinformer {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

// ---- sync of all handlers

TEST_F(DeliveryForms, WaitForHandlersSyncWaitsForTheSlowest) {
  server_.Put("a", "1");
  server_.Put("b", "1");
  SharedInformer<Pod> informer = Make();
  AddSlow(informer, Duration(0));
  AddSlow(informer, seconds(2));
  sim_.RunBlocking(
      [&] { EXPECT_EQ(informer.WaitForHandlersSync().error().reason(), Reason::kNotSynced); },
      seconds(1));
  informer.Start();
  const SteadyTime begun = sim_.env().Now();
  EXPECT_TRUE(sim_.RunBlocking(
      [&] {
        EXPECT_EQ(informer.WaitForHandlersSync({}, seconds(1)).error().reason(),
                  Reason::kDeadlineExceeded);
        EXPECT_TRUE(informer.WaitForHandlersSync({}, seconds(30)).ok());
        EXPECT_EQ(done_.size(), 4U);
        EXPECT_GE(sim_.env().Now() - begun, seconds(4));
        EXPECT_TRUE(informer.WaitForHandlersSync().ok()) << "stays so";
      },
      minutes(1)));
}

TEST_F(DeliveryForms, AHandlerThatIsRemovedIsNotWaitedFor) {
  server_.Put("a", "1");
  SharedInformer<Pod> informer = Make();
  const EventHandlerRegistration slow = AddSlow(informer, seconds(20));
  informer.Start();
  Settle();
  std::optional<Result<void>> waited;
  EXPECT_TRUE(sim_.RunBlocking(
      [&] {
        const Timer timer = sim_.env().loop().RunAt(sim_.env().Now() + seconds(1), [&] {
          EXPECT_EQ(informer.RemoveEventHandler(slow).error().reason(), Reason::kWouldDeadlock);
        });
        waited = informer.WaitForHandlersSync({}, seconds(10));
      },
      minutes(1)));
  ASSERT_TRUE(waited.has_value());
  EXPECT_TRUE(waited->ok());
  sim_.RunFor(minutes(1));
}

// ---- slow handlers

TEST_F(DeliveryForms, ASlowHandlerIsNamedOnceWithAgeAndDepth) {
  SharedInformer<Pod> informer = Make();
  AddSlow(informer, minutes(1), {.name = "sluggish"});
  AddSlow(informer, milliseconds(1), {.name = "brisk"});
  informer.Start();
  Settle();
  for (int i = 0; i < 5; ++i) server_.Put("p" + std::to_string(i), "1");
  sim_.RunFor(seconds(4));
  EXPECT_EQ(log_->Count("does not keep up"), 0U);
  sim_.RunFor(minutes(10));
  ASSERT_EQ(log_->Count("does not keep up"), 1U);
  const std::string& line = log_->lines.front();
  EXPECT_NE(line.find("handler=sluggish"), std::string::npos) << line;
  EXPECT_NE(line.find("informer=pods"), std::string::npos) << line;
  EXPECT_NE(line.find("callback_runs_for=10s"), std::string::npos) << line;
  EXPECT_NE(line.find("WorkQueue"), std::string::npos) << "the remedy: " << line;
  EXPECT_EQ(log_->Count("brisk"), 0U);
}

// Each callback is fast enough, and yet an event waits for more than ten seconds.
TEST_F(DeliveryForms, AHandlerThatIsBehindIsNamedThoughItMovesOn) {
  SharedInformer<Pod> informer = Make();
  AddSlow(informer, seconds(8), {.name = "plodding"});
  informer.Start();
  Settle();
  server_.Put("a", "1");
  sim_.RunFor(seconds(1));
  server_.Put("b", "1");
  sim_.RunFor(seconds(8));
  server_.Put("c", "1");
  sim_.RunFor(seconds(5));
  EXPECT_EQ(log_->Count("does not keep up"), 1U);
  EXPECT_EQ(log_->Count("waiting=1"), 1U);
  sim_.RunFor(minutes(1));
  EXPECT_EQ(done_.size(), 3U);
}

TEST_F(DeliveryForms, FiguresSayHowLateAHandlerIs) {
  SharedInformer<Pod> informer = Make();
  const EventHandlerRegistration slow = AddSlow(informer, seconds(8));
  informer.Start();
  Settle();
  EXPECT_EQ(slow.Stats().behind_for, Duration(0));
  server_.Put("a", "1");
  server_.Put("b", "1");
  sim_.RunFor(seconds(10));
  EXPECT_EQ(slow.Stats().behind_for, seconds(10));
  EXPECT_EQ(slow.Stats().callback_age, seconds(2));
  sim_.RunFor(seconds(10));
  EXPECT_EQ(slow.Stats().behind_for, Duration(0));
  EXPECT_EQ(slow.Stats().callback_age, Duration(0));
}

TEST_F(DeliveryForms, HandlerHoldingUpEnd_IsLogged) {
  std::optional<SharedInformer<Pod>> informer = Make();
  AddSlow(*informer, seconds(40), {.name = "hung"});
  informer->Start();
  server_.Put("a", "1");
  sim_.RunFor(seconds(1));
  EXPECT_TRUE(sim_.RunBlocking([&] { informer.reset(); }, minutes(1)));
  ASSERT_EQ(log_->Count("holds up the end"), 1U);
  EXPECT_NE(log_->lines.back().find("handler=hung"), std::string::npos) << log_->lines.back();
}

// ---- at the end

TEST_F(DeliveryForms, Stop_DropsOrDrainsWaitingEvents) {
  for (const AtStop at_stop : {AtStop::kDiscard, AtStop::kDrain}) {
    done_.clear();
    std::optional<SharedInformer<Pod>> informer = Make();
    AddSlow(*informer, seconds(1), {.at_stop = at_stop});
    informer->Start();
    Settle();
    const std::string prefix = at_stop == AtStop::kDrain ? "drain-" : "drop-";
    for (int i = 0; i < 8; ++i) server_.Put(prefix + std::to_string(i), "1");
    sim_.RunFor(milliseconds(1500));
    const SteadyTime begun = sim_.env().Now();
    informer->Stop();
    EXPECT_EQ(sim_.env().Now(), begun) << "Stop waits for nobody";
    EXPECT_TRUE(sim_.RunBlocking([&] { informer.reset(); }, minutes(1)));
    const std::size_t of_this = static_cast<std::size_t>(std::count_if(
        done_.begin(), done_.end(),
        [&](const std::string& key) { return key.find(prefix) != std::string::npos; }));
    if (at_stop == AtStop::kDrain) {
      EXPECT_EQ(of_this, 8U) << "the last handle's end has waited for all";
    } else {
      EXPECT_LE(of_this, 2U);
    }
    const std::size_t by_then = done_.size();
    sim_.RunFor(minutes(1));
    EXPECT_EQ(done_.size(), by_then);
  }
}

// WaitForSync may return only after a delivery that is still running at Stop.
TEST_F(DeliveryForms, AWaitForSyncLastsAsLongAsCallbacksAtStop) {
  for (const char* name : {"a", "b", "c"}) server_.Put(name, "1");
  for (const AtStop at_stop : {AtStop::kDiscard, AtStop::kDrain}) {
    done_.clear();
    SharedInformer<Pod> informer = Make();
    const EventHandlerRegistration slow = AddSlow(informer, seconds(2), {.at_stop = at_stop});
    informer.Start();
    std::optional<Result<void>> waited;
    const Timer timer =
        sim_.env().loop().RunAt(sim_.env().Now() + seconds(1), [&] { informer.Stop(); });
    ASSERT_TRUE(sim_.RunBlocking([&] { waited = slow.WaitForSync(); }, minutes(1)));
    if (at_stop == AtStop::kDrain) {
      EXPECT_TRUE(waited->ok());
      EXPECT_EQ(done_.size(), 3U);
    } else {
      EXPECT_EQ(waited->error().reason(), Reason::kStopped);
      EXPECT_EQ(done_.size(), 1U);
    }
  }
}

TEST_F(DeliveryForms, Run_WaitsForDrainingHandlers) {
  server_.Put("a", "1");
  SharedInformer<Pod> informer = Make();
  AddSlow(informer, seconds(2), {.at_stop = AtStop::kDrain});
  std::stop_source stop;
  EXPECT_TRUE(sim_.RunBlocking(
      [&] {
        const Timer timer = sim_.env().loop().RunAt(sim_.env().Now() + seconds(1), [&] {
          server_.Put("b", "1");
          sim_.env().loop().Post([&] { sim_.env().loop().Post([&] { stop.request_stop(); }); });
        });
        informer.Run(stop.get_token());
      },
      minutes(1)));
  EXPECT_GE(done_.size(), 1U);
  const std::size_t by_then = done_.size();
  sim_.RunFor(minutes(1));
  EXPECT_EQ(done_.size(), by_then) << "nothing is called once Run has returned";
}

// ---- batches

struct SeenBatch {
  std::uint64_t version;
  Texts words;
};

class Batches : public DeliveryForms {
 protected:
  EventHandlerRegistration AddBatches(const SharedInformer<Pod>& informer,
                                      HandlerOptions options = {}) {
    return AddBatchEventHandler<Pod>(
               informer,
               [this](const EventBatch<Pod>& batch) {
                 SeenBatch& seen = seen_.emplace_back();
                 seen.version = batch.version;
                 for (const BatchedEvent<Pod>& e : batch.events) {
                   const char* sign = e.type() == EventType::kAdded     ? "+"
                                      : e.type() == EventType::kUpdated ? "~"
                                                                        : "-";
                   std::string word = sign + e.object().name();
                   if (e.type() == EventType::kUpdated) {
                     word += " " + e.old_object().value() + ">" + e.object().value();
                   }
                   if (e.is_in_initial_list()) word += "!";
                   EXPECT_EQ(e.key(), "default/" + e.object().name());
                   const Ref<Pod> kept = e.Retain();
                   EXPECT_EQ(kept->value(), e.object().value());
                   seen.words.push_back(std::move(word));
                 }
                 if (takes_ > Duration(0)) sim_.env().SleepFor(takes_);
                 if (throws_) throw std::runtime_error("no");
               },
               std::move(options))
        .OrExit();
  }
  std::vector<SeenBatch> seen_;
  Duration takes_{0};
  bool throws_ = false;
};

TEST_F(Batches, ACallIsOfOneVersion) {
  for (const char* name : {"a", "b", "c"}) server_.Put(name, "1");
  SharedInformer<Pod> informer = Make();
  AddBatches(informer);
  informer.Start();
  Settle();
  ASSERT_EQ(seen_.size(), 1U) << "the initial list is one version";
  std::sort(seen_[0].words.begin(), seen_[0].words.end());
  EXPECT_EQ(seen_[0].words, (Texts{"+a!", "+b!", "+c!"}));
  EXPECT_EQ(seen_[0].version, informer.Snapshot().version());
  // Two turns of the loop, two versions.
  server_.Put("a", "2");
  Settle();
  server_.Delete("b");
  Settle();
  ASSERT_EQ(seen_.size(), 3U);
  EXPECT_EQ(seen_[1].words, (Texts{"~a 1>2"}));
  EXPECT_EQ(seen_[2].words, (Texts{"-b"}));
  EXPECT_LT(seen_[0].version, seen_[1].version);
  EXPECT_LT(seen_[1].version, seen_[2].version);
  EXPECT_EQ(seen_[2].version, informer.Snapshot().version());
}

TEST_F(Batches, WaitingEvents_ComeInOrderOfVersions) {
  SharedInformer<Pod> informer = Make();
  const EventHandlerRegistration registration = AddBatches(informer, {.max_events = 40});
  takes_ = seconds(1);
  informer.Start();
  Settle();
  for (int i = 0; i < 200; ++i) {
    server_.Put("p" + std::to_string(i % 70), std::to_string(i));
    if (i % 3 == 0) Settle();
  }
  sim_.RunFor(minutes(10));
  std::uint64_t version = 0;
  std::size_t events = 0;
  bool several = false;
  for (const SeenBatch& batch : seen_) {
    EXPECT_GE(batch.version, version);
    version = batch.version;
    events += batch.words.size();
    several = several || batch.words.size() > 1;
    EXPECT_FALSE(batch.words.empty());
  }
  EXPECT_TRUE(several);
  EXPECT_EQ(events, registration.Stats().delivered);
  EXPECT_EQ(version, informer.Snapshot().version());
}

TEST_F(Batches, Version_IsNotSplitOverBatches) {
  const auto put = [this](const std::string& prefix, int count) {
    Texts names;
    for (int i = 0; i < count; ++i) names.push_back(prefix + std::to_string(i));
    server_.PutTogether(names, "1");
    Settle();
  };
  const auto sizes = [this] {
    std::vector<std::size_t> all;
    for (const SeenBatch& batch : std::exchange(seen_, {})) all.push_back(batch.words.size());
    return all;
  };
  SharedInformer<Pod> informer = Make();
  AddBatches(informer, {.max_events = 5000});
  informer.Start();
  Settle();
  put("a", 100);
  EXPECT_EQ(sizes(), (std::vector<std::size_t>{100}));
  // A version is not split either if other versions wait before it.
  takes_ = seconds(1);
  put("b", 1);
  for (int i = 0; i < 2; ++i) {
    put("few-" + std::to_string(i) + "-", 20);
    put("many-" + std::to_string(i) + "-", 100);
  }
  put("c", 600);
  put("d", 700);
  sim_.RunFor(minutes(1));
  EXPECT_EQ(sizes(), (std::vector<std::size_t>{1, 20, 100, 20, 100, 600, 700}));
}

TEST_F(Batches, HandlerThrows_BatchCountsAsHandled) {
  server_.Put("a", "1");
  SharedInformer<Pod> informer = Make();
  const EventHandlerRegistration registration = AddBatches(informer);
  throws_ = true;
  informer.Start();
  Settle();
  throws_ = false;
  server_.Put("b", "1");
  Settle();
  ASSERT_EQ(seen_.size(), 2U);
  EXPECT_EQ(seen_[1].words, (Texts{"+b"}));
  EXPECT_EQ(registration.Stats().exceptions, 1U);
  EXPECT_TRUE(registration.HasSynced());
}

TEST_F(Batches, ALongListComesInSeveralCallsOfOneVersion) {
  for (int i = 0; i < 3000; ++i) server_.Put("p" + std::to_string(i), "1");
  SharedInformer<Pod> informer = Make();
  const EventHandlerRegistration registration = AddBatches(informer);
  informer.Start();
  sim_.RunFor(seconds(5));
  std::size_t events = 0;
  for (const SeenBatch& batch : seen_) {
    EXPECT_EQ(batch.version, seen_.front().version);
    EXPECT_LE(batch.words.size(), 1024U);
    events += batch.words.size();
  }
  EXPECT_EQ(events, 3000U);
  EXPECT_TRUE(registration.HasSynced());
}

// ---- readers

class Readers : public DeliveryForms {
 protected:
  // Reads all events that are available now.
  Texts ReadAll(EventReader<Pod>& reader) {
    Texts words;
    std::vector<ReadEvent<Pod>> batch;
    Result<void> result;
    while ((result = reader.Next(batch, sim_.env().Now())).ok()) {
      EXPECT_FALSE(batch.empty());
      for (ReadEvent<Pod>& e : batch) {
        EXPECT_EQ(e.version, batch.front().version);
        std::string word = e.type == EventType::kAdded     ? "+"
                           : e.type == EventType::kUpdated ? "~"
                                                           : "-";
        word += e.object->name();
        if (e.type == EventType::kUpdated) {
          word += " " + e.old_object->value() + ">" + e.object->value();
        }
        words.push_back(std::move(word));
        kept_.push_back(std::move(e));
      }
    }
    end_ = result.error().reason();
    return words;
  }
  std::vector<ReadEvent<Pod>> kept_;
  Reason end_{};
};

TEST_F(Readers, FetchWhatHandlersGet) {
  server_.Put("a", "1");
  SharedInformer<Pod> informer = Make();
  int wakes = 0;
  EventReader<Pod> reader = NewEventReader(informer, {.on_readable = [&] { ++wakes; }}).OrExit();
  informer.Start();
  Settle();
  EXPECT_EQ(wakes, 1);
  EXPECT_FALSE(reader.registration().HasSynced()) << "nobody has read it yet";
  EXPECT_EQ(ReadAll(reader), (Texts{"+a"}));
  EXPECT_EQ(end_, Reason::kDeadlineExceeded);
  EXPECT_TRUE(reader.registration().HasSynced());
  EXPECT_TRUE(kept_.front().is_in_initial_list);
  server_.Put("a", "2");
  server_.Put("b", "1");
  Settle();
  server_.Delete("b");
  Settle();
  EXPECT_EQ(wakes, 2) << "once until it has been read";
  EXPECT_EQ(ReadAll(reader), (Texts{"~a 1>2", "+b", "-b"}));
  EXPECT_EQ(reader.registration().Stats().delivered, 4U);
  EXPECT_EQ(reader.registration().Stats().waiting, 0U);
  EXPECT_EQ(kept_.front().object->value(), "1") << "what was read may be kept";
  EXPECT_EQ(kept_.front().key, "default/a");
}

TEST_F(Readers, ReadableCallbackThrows_ReaderStillReads) {
  server_.Put("a", "1");
  SharedInformer<Pod> informer = Make();
  int wakes = 0;
  const auto wake = [&] {
    ++wakes;
    throw std::runtime_error("no");
  };
  EventReader<Pod> reader = NewEventReader(informer, {.on_readable = wake}).OrExit();
  informer.Start();
  Settle();
  EXPECT_EQ(wakes, 1);
  EXPECT_EQ(ReadAll(reader), (Texts{"+a"}));
  server_.Put("b", "1");
  Settle();
  EXPECT_EQ(wakes, 2);
  EXPECT_EQ(ReadAll(reader), (Texts{"+b"}));
}

TEST_F(Readers, WaitUntilTheDeadline) {
  SharedInformer<Pod> informer = Make();
  EventReader<Pod> reader = NewEventReader(informer).OrExit();
  informer.Start();
  Settle();
  EXPECT_TRUE(sim_.RunBlocking(
      [&] {
        std::vector<ReadEvent<Pod>> batch;
        const SteadyTime begun = sim_.env().Now();
        EXPECT_EQ(reader.Next(batch, begun + seconds(3)).error().reason(),
                  Reason::kDeadlineExceeded);
        EXPECT_EQ(sim_.env().Now() - begun, seconds(3));
        const Timer timer =
            sim_.env().loop().RunAt(begun + seconds(5), [&] { server_.Put("a", "1"); });
        EXPECT_TRUE(reader.Next(batch, begun + seconds(60)).ok());
        EXPECT_EQ(sim_.env().Now() - begun, seconds(5));
        ASSERT_EQ(batch.size(), 1U);
        EXPECT_EQ(batch.front().key, "default/a");
        std::stop_source stop;
        const Timer later =
            sim_.env().loop().RunAt(begun + seconds(9), [&] { stop.request_stop(); });
        EXPECT_EQ(reader.Next(batch, std::nullopt, stop.get_token()).error().reason(),
                  Reason::kCanceled);
        EXPECT_TRUE(batch.empty());
      },
      minutes(2)));
  bool asked = false;
  sim_.env().loop().Post([&] {
    std::vector<ReadEvent<Pod>> batch;
    EXPECT_EQ(reader.Next(batch).error().reason(), Reason::kWouldDeadlock);
    EXPECT_EQ(reader.Next(batch, sim_.env().Now()).error().reason(), Reason::kDeadlineExceeded);
    asked = true;
  });
  Settle();
  EXPECT_TRUE(asked);
}

TEST_F(Readers, SlowReader_FollowsOverflowPolicy) {
  SharedInformer<Pod> informer = Make();
  EventReader<Pod> coalesces = NewEventReader(informer, {.handler = {.max_events = 2}}).OrExit();
  EventReader<Pod> blocks =
      NewEventReader(informer, {.handler = {.overflow = OverflowPolicy::kBlock, .max_events = 4}})
          .OrExit();
  informer.Start();
  Settle();
  for (int i = 1; i <= 20; ++i) {
    server_.Put("a", std::to_string(i));
    Settle();
  }
  EXPECT_GE(informer.Stats().queued, 10U) << "the informer waits for who blocks";
  Texts all = ReadAll(blocks);
  Settle();
  for (Texts more = ReadAll(blocks); !more.empty(); more = ReadAll(blocks)) {
    all.insert(all.end(), more.begin(), more.end());
    Settle();
  }
  EXPECT_EQ(all.size(), 20U);
  EXPECT_EQ(all.back(), "~a 19>20");
  const Texts some = ReadAll(coalesces);
  EXPECT_LT(some.size(), 6U);
  EXPECT_NE(some.back().find(">20"), std::string::npos);
}

TEST_F(Readers, EndWithTheirInformer) {
  for (const AtStop at_stop : {AtStop::kDiscard, AtStop::kDrain}) {
    server_.Put("a", "1");
    std::optional<SharedInformer<Pod>> informer = Make();
    EventReader<Pod> reader = NewEventReader(*informer, {.handler = {.at_stop = at_stop}}).OrExit();
    informer->Start();
    Settle();
    EXPECT_TRUE(sim_.RunBlocking([&] { informer.reset(); }, seconds(1))) << "waits for no reader";
    EXPECT_EQ(ReadAll(reader).size(), at_stop == AtStop::kDrain ? 1U : 0U);
    EXPECT_EQ(end_, Reason::kStopped);
  }
}

TEST_F(Readers, AReaderThatWaitsIsToldOfTheEnd) {
  std::optional<SharedInformer<Pod>> informer = Make();
  EventReader<Pod> reader = NewEventReader(*informer).OrExit();
  informer->Start();
  Settle();
  EXPECT_TRUE(sim_.RunBlocking(
      [&] {
        const Timer timer =
            sim_.env().loop().RunAt(sim_.env().Now() + seconds(1), [&] { informer.reset(); });
        std::vector<ReadEvent<Pod>> batch;
        EXPECT_EQ(reader.Next(batch).error().reason(), Reason::kStopped);
      },
      seconds(30)));
}

TEST_F(Readers, AReaderOfAStoppedInformer_EndsAndGoesOnAfterTheNextStart) {
  for (const AtStop at_stop : {AtStop::kDrain, AtStop::kDiscard}) {
    server_.Put("a", "1");
    SharedInformer<Pod> informer = Make();
    EventReader<Pod> reader = NewEventReader(informer, {.handler = {.at_stop = at_stop}}).OrExit();
    informer.Start();
    Settle();
    std::vector<ReadEvent<Pod>> batch;
    ASSERT_TRUE(reader.Next(batch).ok());
    EXPECT_TRUE(sim_.RunBlocking(
        [&] {
          const Timer timer =
              sim_.env().loop().RunAt(sim_.env().Now() + seconds(1), [&] { informer.Stop(); });
          EXPECT_EQ(reader.Next(batch).error().reason(), Reason::kStopped);
          EXPECT_EQ(reader.Next(batch).error().reason(), Reason::kStopped);
          informer.Start();
          server_.Put("b", "1");
          const Result<void> next = reader.Next(batch, sim_.env().Now() + seconds(20));
          EXPECT_TRUE(next.ok()) << next.error();
        },
        seconds(60)));
    server_.Delete("b");
  }
}

// ---- relists

TEST_F(DeliveryForms, ARelistPeriodListsAnewAndIsSilent) {
  server_.Put("a", "1");
  InformerOptions<Pod> options;
  options.relist_period = minutes(10);
  SharedInformer<Pod> informer = Make(std::move(options));
  AddSlow(informer, Duration(0));
  informer.Start();
  sim_.RunFor(minutes(65));
  EXPECT_EQ(informer.Stats().AllLists(), 7U);
  EXPECT_EQ(done_, (Texts{"default/a"}));
  EXPECT_EQ(informer.Stats().errors, 0U);
}

}  // namespace
}  // namespace kinformer
