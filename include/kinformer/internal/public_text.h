// kinformer/internal/public_text.h
//
// PublicText: the text of every public value that has one, for formatters of other libraries
// (interop/format.h, interop/fmt.h). It is what operator<<, ToString() or the function for the name
// of an enumerator gives; so a value has one text, however it is written.
//
// Values of layers above this one are declared, not included: who formats one has its header.

#ifndef KINFORMER_INTERNAL_PUBLIC_TEXT_H_
#define KINFORMER_INTERNAL_PUBLIC_TEXT_H_

#include <concepts>
#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>

#include "kinformer/base/error.h"
#include "kinformer/base/log.h"
#include "kinformer/internal/view.h"
#include "kinformer/json/json.h"
#include "kinformer/json/json_view.h"
#include "kinformer/object/int_or_string.h"
#include "kinformer/object/object.h"
#include "kinformer/object/object_meta.h"
#include "kinformer/object/object_name.h"
#include "kinformer/object/quantity.h"
#include "kinformer/object/raw_extension.h"
#include "kinformer/object/ref.h"
#include "kinformer/object/time.h"
#include "kinformer/object/unstructured.h"

namespace kinformer {

struct Cause;                              // controller/causes.h
struct Causes;                             // controller/causes.h
struct Config;                             // client/config.h
class FieldSelector;                       // object/field_selector.h
class LabelSelector;                       // object/label_selector.h
class Projection;                          // object/projection.h
class ShardSelector;                       // object/shard_selector.h
struct SpanContext;                        // base/tracing.h
enum class ApplyOutcome : std::uint8_t;    // client/apply_manifests.h
enum class CauseType : std::uint8_t;       // controller/causes.h
enum class DeltaType : std::uint8_t;       // cache/delta.h
enum class EventType : std::uint8_t;       // cache/event_type.h
enum class InformerState : std::uint8_t;   // cache/informer_options.h
enum class PatchType : std::uint8_t;       // client/patch.h
enum class SpanKind : std::uint8_t;        // base/tracing.h
enum class WatchEventType : std::uint8_t;  // client/lister_watcher.h

namespace controllerutil {
enum class OperationResult : std::uint8_t;  // controller/controllerutil.h
}  // namespace controllerutil

namespace intstr {
struct IntOrStringMutable;  // object/mutable_values.h
}  // namespace intstr

namespace runtime {
struct RawExtensionMutable;  // object/mutable_values.h
}  // namespace runtime

namespace testing {
struct Action;         // testing/action.h
struct RecordedEvent;  // testing/fake_recorder.h
}  // namespace testing

namespace internal {

template <class M>
std::string EncodeJson(const M& object);  // internal/mutable_codec.h

template <class T, class... Listed>
concept OneOf = (std::same_as<T, Listed> || ...);

// The values that are not views, structs or Refs. test/interop/public_text_test.cc finds those that
// are missing.
template <class T>
concept ListedValue =
    OneOf<T, ApplyOutcome, Cause, Causes, CauseType, Config, DeltaType, Error, EventType,
          FieldSelector, GroupVersionKind, GroupVersionResource, InformerState, LabelSelector,
          LogLevel, ObjectName, PatchType, Projection, Reason, ShardSelector, SpanContext, SpanKind,
          WatchEventType, controllerutil::OperationResult, intstr::IntOrString,
          intstr::IntOrStringMutable, json::Type, json::Value, json::View, metav1::Duration,
          metav1::MicroTime, metav1::Time, resource::Quantity, runtime::RawExtension,
          runtime::RawExtensionMutable, testing::Action, testing::RecordedEvent>;

// Matches views of whole objects: their text is "Pod default/web-0".
template <class T>
concept WholeObject =
    requires { sizeof(T); } && (std::derived_from<T, RootView> || std::derived_from<T, Object> ||
                                std::derived_from<T, Unstructured>);

// Matches structs to write (corev1::PodMutable, CustomObject): their text is their JSON.
template <class T>
concept WritableStruct = requires { T::mutable_table(); } || requires { T::View::kind_info(); };

template <class T>
inline constexpr bool kIsRefOfObject = false;
template <class T>
inline constexpr bool kIsRefOfObject<Ref<T>> = true;

template <class T>
concept PublicValue = ListedValue<T> || WholeObject<T> || WritableStruct<T> || kIsRefOfObject<T> ||
                      MessageOfItself<T>;

// Names of enumerators that have no function elsewhere. Templates, since the enumerators are not
// known here.
template <std::same_as<LogLevel> E>
constexpr std::string_view EnumeratorText(E level) {
  switch (level) {
    case E::kDebug:
      return "debug";
    case E::kInfo:
      return "info";
    case E::kWarning:
      return "warning";
    case E::kError:
      return "error";
    case E::kOff:
      return "off";
  }
  return {};
}
template <std::same_as<EventType> E>
constexpr std::string_view EnumeratorText(E type) {
  switch (type) {
    case E::kAdded:
      return "added";
    case E::kUpdated:
      return "updated";
    case E::kDeleted:
      return "deleted";
  }
  return {};
}
// The API's spelling.
template <std::same_as<WatchEventType> E>
constexpr std::string_view EnumeratorText(E type) {
  switch (type) {
    case E::kAdded:
      return "ADDED";
    case E::kModified:
      return "MODIFIED";
    case E::kDeleted:
      return "DELETED";
    case E::kBookmark:
      return "BOOKMARK";
  }
  return {};
}
// Spelled as in client-go, which lacks the last.
template <std::same_as<DeltaType> E>
constexpr std::string_view EnumeratorText(E type) {
  switch (type) {
    case E::kAdded:
      return "Added";
    case E::kUpdated:
      return "Updated";
    case E::kDeleted:
      return "Deleted";
    case E::kReplaced:
      return "Replaced";
    case E::kSync:
      return "Sync";
    case E::kReplacedAll:
      return "ReplacedAll";
    case E::kSyncAll:
      return "SyncAll";
    case E::kBookmark:
      return "Bookmark";
    case E::kUnreadable:
      return "Unreadable";
  }
  return {};
}
template <std::same_as<ApplyOutcome> E>
constexpr std::string_view EnumeratorText(E outcome) {
  switch (outcome) {
    case E::kCreated:
      return "created";
    case E::kConfigured:
      return "configured";
    case E::kUnchanged:
      return "unchanged";
    case E::kApplied:
      return "applied";
    case E::kPruned:
      return "pruned";
    case E::kFailed:
      return "failed";
  }
  return {};
}
template <std::same_as<SpanKind> E>
constexpr std::string_view EnumeratorText(E kind) {
  switch (kind) {
    case E::kInternal:
      return "internal";
    case E::kServer:
      return "server";
    case E::kClient:
      return "client";
    case E::kProducer:
      return "producer";
    case E::kConsumer:
      return "consumer";
  }
  return {};
}

// Returns the text of a value. Thread-safe, as reading the value is.
template <PublicValue T>
[[nodiscard]] std::string PublicText(const T& value) {
  if constexpr (kIsRefOfObject<T>) {
    return value ? PublicText(*value) : std::string("<none>");
  } else if constexpr (requires { EnumeratorText(value); }) {
    return std::string(EnumeratorText(value));
  } else if constexpr (requires { ReasonName(value); }) {
    return std::string(ReasonName(value));
  } else if constexpr (requires { CauseTypeName(value); }) {
    return std::string(CauseTypeName(value));
  } else if constexpr (requires { TypeName(value); }) {
    return std::string(TypeName(value));
  } else if constexpr (requires { PatchContentType(value); }) {
    return std::string(PatchContentType(value));
  } else if constexpr (requires { ToString(value); }) {
    return std::string(ToString(value));
  } else if constexpr (requires { value.Traceparent(); }) {
    return value.Traceparent();
  } else if constexpr (requires { value.ToString(); }) {
    return value.ToString();
  } else if constexpr (std::same_as<T, json::Value>) {
    return value.Dump();
  } else if constexpr (std::same_as<T, json::View>) {
    return value.ToValue().Dump();
  } else if constexpr (std::same_as<T, intstr::IntOrStringMutable>) {
    return value.view().ToString();
  } else if constexpr (std::same_as<T, runtime::RawExtensionMutable>) {
    return value.json;
  } else if constexpr (WritableStruct<T>) {
    return EncodeJson(value);
  } else {
    std::ostringstream out;
    out << value;
    return std::move(out).str();
  }
}

}  // namespace internal
}  // namespace kinformer

#endif  // KINFORMER_INTERNAL_PUBLIC_TEXT_H_
