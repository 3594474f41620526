// controller/delegating/unseen_writes_fixture_for_test.h
//
// UnseenWritesOfCache: UnseenWrites of an informer in simulated time, whose watch sends what the
// test says.

#ifndef KINFORMER_CONTROLLER_DELEGATING_UNSEEN_WRITES_FIXTURE_FOR_TEST_H_
#define KINFORMER_CONTROLLER_DELEGATING_UNSEEN_WRITES_FIXTURE_FOR_TEST_H_

#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <string_view>

#include "kinformer/base/simulation.h"
#include "kinformer/internal/block_builder.h"
#include "kinformer/internal/indexer_core.h"
#include "kinformer/internal/informer_core.h"

#include "base/core/testing/fields_log.h"
#include "client/testing/fake_lister_watcher.h"
#include "controller/delegating/unseen_writes.h"

namespace kinformer::internal::delegating {

// Members of the metadata of objects that are being deleted.
inline constexpr std::string_view kDeleting = R"("deletionTimestamp":"2026-01-01T00:00:00Z")";

class UnseenWritesOfCache : public ::testing::Test {
 protected:
  void StartInformer(const std::string& list_version = "5") {
    server_.set_rv(std::stoull(list_version));
    informer_ = NewStandaloneInformer(sim_.env(), server_.NewListerWatcher(), {});
    informer_->Start();
    sim_.RunReady();
    ASSERT_TRUE(informer_->HasSynced());
    unseen_ = std::make_shared<UnseenWrites>(sim_.env(), informer_);
  }
  // Lists again, with an older version: the server went back in time.
  void GoBack(std::uint64_t version) {
    server_.set_rv(version);
    server_.Forget();
    server_.FailWatches(Error(Reason::kExpired, "too old").WithHttpStatus(410));
    sim_.RunFor(std::chrono::seconds(60));
  }
  static ObjectRef Pod(const std::string& name, const std::string& version,
                       std::string_view more = {}, const std::string& uid = "u",
                       const std::string& namespace_ = "default") {
    std::string json = R"({"metadata":{"namespace":")" + namespace_ + R"(","name":")" + name +
                       R"(","uid":")" + uid + R"(","resourceVersion":")" + version + '"';
    if (!more.empty()) json += "," + std::string(more);
    return BuildFromJson(client::PodType(), json + "}}").OrExit();
  }
  // The watch sends an event; the loop handles it.
  void Shows(const ObjectRef& object) {
    const ObjectRef before = informer_->indexer().Get(object->namespace_(), object->name());
    const bool same = before && before->uid() == object->uid();
    if (before && !same) Deleted(before);
    Send(same ? WatchEventType::kModified : WatchEventType::kAdded, object);
  }
  void Deleted(const ObjectRef& object) { Send(WatchEventType::kDeleted, object); }
  void Reaches(const std::string& version) { Shows(Pod("other" + version, version, {}, "o")); }

  // Returns what a read that does not wait says: "" if nothing blocks it.
  static std::string TextOf(const Result<void>& seen) {
    if (seen.ok()) return "";
    return std::string(ReasonName(seen.error().reason())) + ": " + seen.error().message();
  }
  std::string Blocks(const std::string& name, const std::string& namespace_ = "default") {
    return TextOf(unseen_->WaitFor({namespace_, name}, {.deadline = sim_.env().Now()}));
  }
  std::string BlocksList(const std::string& namespace_ = "") {
    return TextOf(unseen_->WaitFor({namespace_, ""}, {.deadline = sim_.env().Now()}));
  }
  static std::string Stale(const std::string& what) {
    return "Stale: the cache of pods does not show " + what +
           " yet: this client wrote it, and the watch lags; try again later";
  }
  static std::string Version(const std::string& version, const std::string& name) {
    return Stale("resourceVersion " + version + " of \"" + name + '"');
  }
  static std::string Removal(const std::string& name) {
    return Stale("the removal of \"" + name + '"');
  }
  static std::string Deletion(const std::string& name) {
    return Stale("the deletion of \"" + name + '"');
  }

  const std::shared_ptr<base::FieldsLog> log_ =
      std::make_shared<base::FieldsLog>(LogLevel::kWarning);
  Simulation sim_{{.log = log_}};
  client::FakeServer server_{sim_.env()};
  std::shared_ptr<InformerCore> informer_;
  std::shared_ptr<UnseenWrites> unseen_;

 private:
  void Send(WatchEventType type, const ObjectRef& object) {
    server_.Send(type, object);
    sim_.RunReady();
  }
};

}  // namespace kinformer::internal::delegating

#endif  // KINFORMER_CONTROLLER_DELEGATING_UNSEEN_WRITES_FIXTURE_FOR_TEST_H_
