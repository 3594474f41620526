// One value of each public type that has a text, with that text: for the tests of formatters.
// What needs the library's higher layers stands in further_values.h.

#ifndef KINFORMER_TEST_INTEROP_PUBLIC_VALUES_H_
#define KINFORMER_TEST_INTEROP_PUBLIC_VALUES_H_

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/error.h"
#include "kinformer/base/log.h"
#include "kinformer/base/tracing.h"
#include "kinformer/cache/delta.h"
#include "kinformer/cache/event_type.h"
#include "kinformer/client/apply_manifests.h"
#include "kinformer/client/lister_watcher.h"
#include "kinformer/json/json.h"
#include "kinformer/object/group_version_kind.h"
#include "kinformer/object/group_version_resource.h"
#include "kinformer/object/int_or_string.h"
#include "kinformer/object/mutable_values.h"
#include "kinformer/object/object_name.h"
#include "kinformer/object/quantity.h"
#include "kinformer/object/raw_extension.h"
#include "kinformer/object/time.h"

namespace kinformer::testing {

// The type as the public headers name it, the text that a formatter made, and the expected one.
struct TextRow {
  std::string type{};
  std::string made{};
  std::string expected{};
};

// Returns rows of values that consist of headers and few sources. `format` makes a text of a value.
template <class Format>
std::vector<TextRow> RowsOfEnumerators(const Format& format) {
  return {
      {"LogLevel", format(LogLevel::kDebug), "debug"},
      {"LogLevel", format(LogLevel::kInfo), "info"},
      {"LogLevel", format(LogLevel::kWarning), "warning"},
      {"LogLevel", format(LogLevel::kError), "error"},
      {"LogLevel", format(LogLevel::kOff), "off"},
      {"EventType", format(EventType::kAdded), "added"},
      {"EventType", format(EventType::kUpdated), "updated"},
      {"EventType", format(EventType::kDeleted), "deleted"},
      {"WatchEventType", format(WatchEventType::kAdded), "ADDED"},
      {"WatchEventType", format(WatchEventType::kModified), "MODIFIED"},
      {"WatchEventType", format(WatchEventType::kDeleted), "DELETED"},
      {"WatchEventType", format(WatchEventType::kBookmark), "BOOKMARK"},
      {"DeltaType", format(DeltaType::kAdded), "Added"},
      {"DeltaType", format(DeltaType::kUpdated), "Updated"},
      {"DeltaType", format(DeltaType::kDeleted), "Deleted"},
      {"DeltaType", format(DeltaType::kReplaced), "Replaced"},
      {"DeltaType", format(DeltaType::kSync), "Sync"},
      {"DeltaType", format(DeltaType::kReplacedAll), "ReplacedAll"},
      {"DeltaType", format(DeltaType::kSyncAll), "SyncAll"},
      {"DeltaType", format(DeltaType::kBookmark), "Bookmark"},
      {"DeltaType", format(DeltaType::kUnreadable), "Unreadable"},
      {"ApplyOutcome", format(ApplyOutcome::kCreated), "created"},
      {"ApplyOutcome", format(ApplyOutcome::kConfigured), "configured"},
      {"ApplyOutcome", format(ApplyOutcome::kUnchanged), "unchanged"},
      {"ApplyOutcome", format(ApplyOutcome::kApplied), "applied"},
      {"ApplyOutcome", format(ApplyOutcome::kPruned), "pruned"},
      {"ApplyOutcome", format(ApplyOutcome::kFailed), "failed"},
      {"SpanKind", format(SpanKind::kInternal), "internal"},
      {"SpanKind", format(SpanKind::kServer), "server"},
      {"SpanKind", format(SpanKind::kClient), "client"},
      {"SpanKind", format(SpanKind::kProducer), "producer"},
      {"SpanKind", format(SpanKind::kConsumer), "consumer"},
  };
}

template <class Format>
std::vector<TextRow> RowsOfPlainValues(const Format& format) {
  using namespace std::chrono_literals;
  return {
      {"Reason", format(Reason::kNotFound), "NotFound"},
      {"Error", format(Error(Reason::kGone, "too old")), "Gone: too old"},
      {"ObjectName", format(ObjectName{"default", "web-0"}), "default/web-0"},
      {"GroupVersionKind", format(GroupVersionKind{"apps", "v1", "Deployment"}),
       "apps/v1, Kind=Deployment"},
      {"GroupVersionResource", format(GroupVersionResource{"apps", "v1", "deployments"}),
       "apps/v1, Resource=deployments"},
      {"Quantity", format(resource::Quantity::FromMilli(1500)), "1500m"},
      {"Time", format(metav1::Time(0)), "1970-01-01T00:00:00Z"},
      {"MicroTime", format(metav1::MicroTime(0)), "1970-01-01T00:00:00.000000Z"},
      {"Duration", format(metav1::Duration(90min)), "1h30m0s"},
      {"IntOrString", format(intstr::IntOrString(std::string_view("25%"))), "25%"},
      {"IntOrStringMutable", format(intstr::IntOrStringMutable(80)), "80"},
      {"RawExtensionMutable", format(runtime::RawExtensionMutable("[1]")), "[1]"},
  };
}

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_INTEROP_PUBLIC_VALUES_H_
