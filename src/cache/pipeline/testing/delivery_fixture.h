// cache/pipeline/testing/delivery_fixture.h
//
// DeliveryForms: informers over a FakeServer in simulated time, handlers that take their time, and
// what the log says.

#ifndef KINFORMER_CACHE_PIPELINE_TESTING_DELIVERY_FIXTURE_H_
#define KINFORMER_CACHE_PIPELINE_TESTING_DELIVERY_FIXTURE_H_

#include <algorithm>
#include <cstddef>
#include <gtest/gtest.h>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "kinformer/log.h"

#include "cache/pipeline/testing/informer_fixture.h"

namespace kinformer {

// Keeps what is said from that level on, with its fields.
class WarningLog final : public LogSink {
 public:
  explicit WarningLog(LogLevel level = LogLevel::kWarning) : level_(level) {}
  [[nodiscard]] LogLevel level() const override { return level_; }
  void Log(LogLevel, std::string_view message, std::initializer_list<LogField> fields) override {
    std::string line(message);
    for (const LogField& field : fields) {
      line += " " + std::string(field.key) + "=" + std::string(field.value);
    }
    lines.push_back(std::move(line));
  }
  [[nodiscard]] std::size_t Count(std::string_view part) const {
    return static_cast<std::size_t>(std::count_if(
        lines.begin(), lines.end(),
        [part](const std::string& line) { return line.find(part) != std::string::npos; }));
  }
  Texts lines{};

 private:
  const LogLevel level_;
};

class DeliveryForms : public testing::Test {
 protected:
  SharedInformer<Pod> Make(InformerOptions<Pod> options = {}) {
    return SharedInformer<Pod>(sim_.env(), server_.NewListerWatcher(), std::move(options));
  }
  void Settle() { sim_.RunReady(); }
  // A handler whose callbacks take so long.
  EventHandlerRegistration AddSlow(const SharedInformer<Pod>& informer, Duration takes,
                                   HandlerOptions options = {}) {
    SharedInformer<Pod> handle = informer;
    const auto work = [this, takes](const auto& e) {
      sim_.env().SleepFor(takes);
      done_.push_back(e.key);
    };
    return handle
        .AddEventHandler({.on_add = work, .on_update = work, .on_delete = work}, std::move(options))
        .OrExit();
  }

  const std::shared_ptr<WarningLog> log_ = std::make_shared<WarningLog>();
  Simulation sim_{{.log = log_}};
  internal::cache::FakeServer server_{sim_.env()};
  Texts done_;
};

}  // namespace kinformer

#endif  // KINFORMER_CACHE_PIPELINE_TESTING_DELIVERY_FIXTURE_H_
