// cache/informer/testing/informer_fixture.h
//
// InformerTest: an informer over a FakeServer in simulated time, and Recorder, a handler that
// records its notifications.

#ifndef KINFORMER_CACHE_INFORMER_TESTING_INFORMER_FIXTURE_H_
#define KINFORMER_CACHE_INFORMER_TESTING_INFORMER_FIXTURE_H_

#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/simulation.h"
#include "kinformer/cache/shared_informer.h"

#include "client/testing/fake_lister_watcher.h"
#include "client/testing/pod_view.h"

namespace kinformer {

using Texts = std::vector<std::string>;

// Records its notifications: "+a", "+a!" in the initial list, "~a old>new", "-a", "-a?" for
// tombstones.
class Recorder final : public ResourceEventHandler<Pod> {
 public:
  void OnAdd(const Added<Pod>& e) override {
    Note("+" + e.object.name() + (e.is_in_initial_list ? "!" : ""));
  }
  void OnUpdate(const Updated<Pod>& e) override {
    Note("~" + e.new_object.name() + " " + e.old_object.value() + ">" + e.new_object.value());
  }
  void OnDelete(const Deleted<Pod>& e) override {
    Note("-" + e.object.name() + (e.final_state_unknown ? "?" : ""));
  }
  std::function<void(const std::string&)> hook{};
  Texts words{};

 private:
  void Note(std::string word) {
    words.push_back(word);
    if (hook) hook(word);
  }
};

// One informer of the pods of a FakeServer, in simulated time.
class InformerTest : public testing::Test {
 protected:
  InformerTest() : server_(sim_.env()) {}

  SharedInformer<Pod> Make(InformerOptions<Pod> options = {}) {
    return SharedInformer<Pod>(sim_.env(), server_.NewListerWatcher(), std::move(options));
  }
  std::shared_ptr<Recorder> Record(SharedInformer<Pod>& informer, HandlerOptions options = {}) {
    auto recorder = std::make_shared<Recorder>();
    registration_ = informer.AddEventHandler(recorder, std::move(options)).value();
    return recorder;
  }
  void Settle() { sim_.RunReady(); }
  // Breaks the watches and drops the history, so that the next request is a list.
  void ForceRelist() {
    server_.Forget();
    server_.FailWatches(Error(Reason::kExpired, "too old").WithHttpStatus(410));
    sim_.RunFor(std::chrono::seconds(5));
  }
  // Changes the collection while no watch is open.
  template <class F>
  void WhileCutOff(F change) {
    server_.down = Error(Reason::kInternalError, "down").WithHttpStatus(500);
    server_.FailWatches(Error(Reason::kExpired, "too old").WithHttpStatus(410));
    Settle();
    change();
    server_.Forget();
    server_.down.reset();
    sim_.RunFor(std::chrono::seconds(90));
  }
  static void ExpectEqual(const SharedInformer<Pod>& informer,
                          const internal::client::FakeServer& server) {
    std::map<std::string, std::string> cached;
    for (const Pod pod : informer.Snapshot()) cached[pod.name()] = pod.value();
    std::map<std::string, std::string> served;
    for (const auto& [name, object] : server.objects())
      served[name.name] = internal::client::PodValue(*object);
    EXPECT_EQ(cached, served);
  }

  Simulation sim_;
  internal::client::FakeServer server_;
  EventHandlerRegistration registration_;
};

}  // namespace kinformer

#endif  // KINFORMER_CACHE_INFORMER_TESTING_INFORMER_FIXTURE_H_
