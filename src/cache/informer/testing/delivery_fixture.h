// cache/informer/testing/delivery_fixture.h
//
// DeliveryForms: informers over a FakeServer in simulated time, with slow handlers and the log's
// messages.

#ifndef KINFORMER_CACHE_INFORMER_TESTING_DELIVERY_FIXTURE_H_
#define KINFORMER_CACHE_INFORMER_TESTING_DELIVERY_FIXTURE_H_

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "kinformer/base/log.h"

#include "base/core/testing/fields_log.h"
#include "cache/informer/testing/informer_fixture.h"

namespace kinformer {

class DeliveryForms : public testing::Test {
 protected:
  SharedInformer<Pod> Make(InformerOptions<Pod> options = {}) {
    return SharedInformer<Pod>(sim_.env(), server_.NewListerWatcher(), std::move(options));
  }
  void Settle() { sim_.RunReady(); }
  // Adds a handler whose callbacks take the given time.
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

  const std::shared_ptr<internal::base::FieldsLog> log_ =
      std::make_shared<internal::base::FieldsLog>(LogLevel::kWarning);
  Simulation sim_{{.log = log_}};
  internal::client::FakeServer server_{sim_.env()};
  Texts done_;
};

}  // namespace kinformer

#endif  // KINFORMER_CACHE_INFORMER_TESTING_DELIVERY_FIXTURE_H_
