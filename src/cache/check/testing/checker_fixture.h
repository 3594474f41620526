// cache/check/testing/checker_fixture.h
//
// ConsistencyCheckerTest: a checker over a store and a server that a test changes independently.

#ifndef KINFORMER_CACHE_CHECK_TESTING_CHECKER_FIXTURE_H_
#define KINFORMER_CACHE_CHECK_TESTING_CHECKER_FIXTURE_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/base/log.h"
#include "kinformer/base/simulation.h"
#include "kinformer/internal/block_builder.h"

#include "cache/check/consistency_checker.h"

namespace kinformer::internal::cache {

inline ObjectRef MakeListed(const std::string& ns, const std::string& name, const std::string& uid,
                            const std::string& version) {
  return BuildFromJson(*DynamicKindInfo("test.example", "v1", "Thing", "things", true),
                       R"({"metadata":{"name":")" + name + R"(","namespace":")" + ns +
                           R"(","uid":")" + uid + R"(","resourceVersion":")" + version + R"("}})")
      .OrExit();
}

struct CheckerPage {
  std::vector<ObjectRef> items{};
  std::vector<ObjectName> unreadable{};
  Result<ListMeta> result = ListMeta{};
};

// Answers after a second with the result of `page`; cannot list metadata if that is empty.
class CheckerSource final : public ListerWatcher {
 public:
  explicit CheckerSource(Env& env) : env_(env) {}
  std::function<CheckerPage(const std::string& ns, const ListOptions&)> page{};
  std::vector<std::string> asked{};  // namespace|version|match|limit|continue
  std::vector<SteadyTime> asked_at{};
  ListScope scope{};
  std::optional<Result<std::string>> newest{};  // empty: it does not support CurrentVersion
  int questions = 0;

  std::unique_ptr<ListWatchCall> ListMetadata(const std::string& ns, const ListOptions& options,
                                              ListReceiver& receiver) override {
    asked.push_back(ns + "|" + options.resourceVersion + "|" + options.resourceVersionMatch + "|" +
                    std::to_string(options.limit) + "|" + options.continue_);
    asked_at.push_back(env_.Now());
    if (!page) return nullptr;
    return std::make_unique<Call>(env_, page(ns, options), receiver);
  }
  std::unique_ptr<ListWatchCall> CurrentVersion(
      const std::function<void(Result<std::string>)>& answer) override {
    if (!newest) return nullptr;
    ++questions;
    return std::make_unique<Call>(env_, *newest, answer);
  }
  std::unique_ptr<ListWatchCall> List(const ListOptions&, ListReceiver&) override {
    return nullptr;
  }
  std::unique_ptr<ListWatchCall> Watch(const ListOptions&, WatchReceiver&) override {
    return nullptr;
  }
  ListScope Scope() const override { return scope; }
  bool SetEntryOptions(const EntryOptions&) override { return true; }
  bool IsWatchListSemanticsUnSupported() const override { return true; }
  std::string Describe() const override { return "things"; }

 private:
  class Call final : public ListWatchCall {
   public:
    Call(Env& env, const Result<std::string>& version,
         const std::function<void(Result<std::string>)>& answer)
        : timer_(env.loop().RunAt(env.Now() + std::chrono::seconds(1),
                                  [version, answer] { answer(version); })) {}
    Call(Env& env, CheckerPage page, ListReceiver& receiver)
        : timer_(env.loop().RunAt(
              env.Now() + std::chrono::seconds(1), [page = std::move(page), &receiver] {
                for (const ObjectRef& item : page.items) receiver.OnItem(item);
                for (const ObjectName& key : page.unreadable) {
                  receiver.OnUnreadable(key.namespace_, key.name, Error(Reason::kDecode, "bad"));
                }
                receiver.OnDone(page.result);
              })) {}

   private:
    Timer timer_;
  };
  Env& env_;
};

class CheckerLines final : public LogSink {
 public:
  [[nodiscard]] LogLevel level() const override { return LogLevel::kInfo; }
  void Log(LogLevel, std::string_view message, std::initializer_list<LogField> fields) override {
    std::string line(message.substr(0, message.find(' ', 10)));
    for (const LogField& field : fields) line += "|" + std::string(field.value);
    lines.push_back(std::move(line));
  }
  std::vector<std::string> lines{};
};

class ConsistencyCheckerTest : public testing::Test {
 protected:
  ConsistencyCheckerTest() {
    Cover(true);
    for (const char* name : {"a", "b", "c"}) {
      Store("ns", name, "1");
      Serve("ns", name, "1");
    }
    MoveTo("5");
    source_.page = [this](const std::string& ns, const ListOptions& options) {
      CheckerPage page;
      for (const auto& [key, object] : server_) {
        if (ns.empty() || key.namespace_ == ns) page.items.push_back(object);
      }
      page.unreadable = unreadable_;
      page.result = ListMeta{.resourceVersion = options.resourceVersion};
      return page;
    };
  }

  void Begin(ConsistencyCheckerOptions options = {}) {
    options.name = "things";
    options.period = std::chrono::seconds(100);
    if (!options.exact) options.exact = [] { return true; };
    options.relist = [this] { relists_.push_back(sim_.env().Now()); };
    checker_ = std::make_unique<ConsistencyChecker>(sim_.env(), source_, store_, counters_,
                                                    std::move(options));
    begun_ = sim_.env().Now();
    checker_->Listed();
  }
  void Cover(bool complete, std::shared_ptr<const LeftOut> left_out = nullptr) {
    auto coverage = std::make_shared<Coverage>();
    coverage->complete = complete;
    coverage->left_out = std::move(left_out);
    store_.Begin();
    store_.SetCoverage(std::move(coverage));
    store_.Commit();
  }
  void Store(const std::string& ns, const std::string& name, const std::string& version,
             const std::string& uid = "u") {
    store_.Put(MakeListed(ns, name, uid, version));
  }
  void Serve(const std::string& ns, const std::string& name, const std::string& version,
             const std::string& uid = "u") {
    server_[{ns, name}] = MakeListed(ns, name, uid, version);
  }
  void MoveTo(const std::string& version) {
    store_.Begin();
    store_.SetResourceVersion(version);
    store_.Commit();
  }
  // Runs until that many requests were sent.
  bool Asked(std::size_t times) {
    return sim_.RunUntil([&] { return source_.asked.size() == times; }, std::chrono::minutes(40));
  }
  // Runs until that many checks were made.
  bool Checked(std::uint64_t checks) {
    return sim_.RunUntil([&] { return Checks() == checks; }, std::chrono::minutes(3));
  }
  [[nodiscard]] std::uint64_t Checks() const { return counters_.consistency_checks; }
  [[nodiscard]] std::uint64_t Found() const { return counters_.inconsistencies; }
  // Returns the times between requests in seconds.
  [[nodiscard]] std::vector<double> Pauses() const {
    std::vector<double> pauses;
    SteadyTime before = begun_;
    for (const SteadyTime at : source_.asked_at) {
      pauses.push_back(std::chrono::duration<double>(at - before).count());
      before = at;
    }
    return pauses;
  }

  const std::shared_ptr<CheckerLines> log_ = std::make_shared<CheckerLines>();
  Simulation sim_{{.seed = 3, .log = log_}};
  StoreCore store_{sim_.env(), {.name = "things"}};
  CheckerSource source_{sim_.env()};
  PipelineCounters counters_;
  std::map<ObjectName, ObjectRef> server_;
  std::vector<ObjectName> unreadable_;
  std::vector<SteadyTime> relists_;
  SteadyTime begun_{};
  std::unique_ptr<ConsistencyChecker> checker_;
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_CHECK_TESTING_CHECKER_FIXTURE_H_
