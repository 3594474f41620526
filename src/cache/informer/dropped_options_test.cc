#include "cache/informer/dropped_options.h"

#include <chrono>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string_view>

namespace kinformer::internal::cache {
namespace {

using std::chrono::minutes;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(DroppedOptions, EachIsNamedWhereItIsSetAndTheInformerHasAnother) {
  struct Row {
    std::string_view option;
    std::function<void(InformerSettings&)> set;
  };
  using S = InformerSettings;
  const Row rows[] = {
      {"name", [](S& s) { s.name = "mine"; }},
      {"resync_period", [](S& s) { s.resync_period = minutes(1); }},
      {"initial_list", [](S& s) { s.initial_list = InitialList::kList; }},
      {"uid_change_is_update", [](S& s) { s.uid_change_is_update = true; }},
      {"watch_list_page_size", [](S& s) { s.watch_list_page_size = 10; }},
      {"min_watch_timeout", [](S& s) { s.min_watch_timeout = minutes(1); }},
      {"max_queued_bytes", [](S& s) { s.max_queued_bytes = 10; }},
      {"validation", [](S& s) { s.validation = Validation::kFull; }},
      {"max_object_bytes", [](S& s) { s.max_object_bytes = 10; }},
      {"compression", [](S& s) { s.compression = Compression::kZstd; }},
      {"max_objects", [](S& s) { s.max_objects = 10; }},
      {"max_bytes", [](S& s) { s.max_bytes = 10; }},
      {"limit_policy", [](S& s) { s.limit_policy = LimitPolicy::kServePart; }},
      {"consistency_check_period", [](S& s) { s.consistency_check_period = minutes(7); }},
      {"relist_period", [](S& s) { s.relist_period = minutes(7); }},
      {"absent_is_empty", [](S& s) { s.absent_is_empty = true; }},
      {"trace", [](S& s) { s.trace = [](const TraceEvent&) {}; }},
  };
  const InformerSettings plain;
  for (const Row& row : rows) {
    InformerSettings asked;
    row.set(asked);
    EXPECT_THAT(DroppedOptions(asked, plain), ElementsAre(row.option));
    EXPECT_THAT(DroppedOptions(asked, asked), IsEmpty()) << row.option;
    EXPECT_THAT(DroppedOptions(plain, asked), IsEmpty()) << "not set: " << row.option;
  }
}

}  // namespace
}  // namespace kinformer::internal::cache
