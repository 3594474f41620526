#include "client/watch_call.h"

#include <chrono>
#include <string>
#include <utility>

#include "base/core/deadline.h"
#include "base/core/seconds.h"
#include "client/status.h"

namespace kinformer::internal::client {
namespace {

// Longest time that a watch-list holds its place in the gate, for servers that do not know
// sendInitialEvents and never mark the end of the list.
constexpr Duration kLongestInitialList = std::chrono::seconds(30);

// If a watch has not been ended by its server this long after its timeout, its stream is considered
// stalled.
constexpr Duration kWatchOverdue = std::chrono::seconds(30);

// Most bytes of an event besides its object.
constexpr std::size_t kEventHead = 1024;

// Returns nullopt for ERROR and for unknown types.
std::optional<WatchEventType> TypeOf(std::string_view text) {
  if (text == "ADDED") return WatchEventType::kAdded;
  if (text == "MODIFIED") return WatchEventType::kModified;
  if (text == "DELETED") return WatchEventType::kDeleted;
  if (text == "BOOKMARK") return WatchEventType::kBookmark;
  return std::nullopt;
}

}  // namespace

void WatchCall::Start(const ListOptions& options) {
  if (!Prepare(options, /*watch=*/true)) return;
  seconds_ = options.timeoutSeconds.value_or(0);
  if (!options.sendInitialEvents.value_or(false)) {
    Begin();
    return;
  }
  // The first part of a watch-list is a list.
  ticket() = source().engine->list_gate().Enter([this] {
    initial_list_timer_ =
        env().loop().RunAt(env().Now() + kLongestInitialList, [this] { ticket().reset(); });
    receiver_.OnSent();
    Begin();
  });
}

void WatchCall::Begin() {
  exchange().Start();
  if (seconds_ <= 0) return;
  const SteadyTime ends = base::After(env().Now(), base::SaturatedSeconds(seconds_));
  overdue_ = env().loop().RunAt(base::After(ends, kWatchOverdue), [this] {
    receiver_.OnBroken();
    End(Result<void>());
  });
}

void WatchCall::Accepted() {
  framer_.emplace(encoding(), source().entry.max_object_bytes, kEventHead);
  receiver_.OnStarted();
}

Result<void> WatchCall::Judge(Result<void> result) {
  if (result || !accepted()) return result;
  // A broken connection ends an established watch without error; the next one continues.
  const Reason reason = result.error().reason();
  const bool broke = reason == Reason::kUnexpectedEof || reason == Reason::kTransport ||
                     reason == Reason::kDeadlineExceeded;
  if (!broke) return result;
  receiver_.OnBroken();
  return {};
}

void WatchCall::Ended(Result<void> result) {
  overdue_.Cancel();
  receiver_.OnDone(std::move(result));  // may destroy this
}

Result<void> WatchCall::OnFrame(const wire::WatchFrame& frame) {
  const std::optional<WatchEventType> type = TypeOf(frame.type);
  if (!type) return ErrorOf(frame);
  if (*type != WatchEventType::kBookmark) return OnObject(*type, frame);
  OnBookmark(frame);
  return {};
}

void WatchCall::OnBookmark(const wire::WatchFrame& frame) {
  const ObjectHead head = HeadOf(encoding(), frame.object);
  WatchEvent event;
  event.type = WatchEventType::kBookmark;
  event.resourceVersion = head.resourceVersion;
  event.initial_events_end = head.initial_events_end;
  if (head.initial_events_end) ticket().reset();
  receiver_.OnEvent(event);
}

Result<void> WatchCall::OnTooLarge(const wire::WatchFrame& front, Error error) {
  const std::optional<WatchEventType> type = TypeOf(front.type);
  // Events that end the watch or advance its version cannot be skipped.
  if (!type || *type == WatchEventType::kBookmark) {
    return std::move(
        error.WithContext(std::string(front.type) + " of the watch of " + source().path));
  }
  if (!ExpectsKind(front.kind)) return {};
  return OnUnreadable(*type, HeadOfFront(encoding(), front.object), std::move(error));
}

Result<void> WatchCall::OnObject(WatchEventType type, const wire::WatchFrame& frame) {
  if (!ExpectsKind(frame.kind)) return {};
  Result<ObjectRef> object = source().Build(encoding(), frame.object, frame.bitmap);
  if (!object) {
    return OnUnreadable(type, HeadOf(encoding(), frame.object), std::move(object).error());
  }
  WatchEvent event;
  event.type = type;
  event.object = *std::move(object);
  const Block& block = *event.object.object();
  if (!ExpectsNamespace(block.namespace_()) || !Selects(block)) return {};
  event.resourceVersion = block.resourceVersion();
  receiver_.OnEvent(event);
  return {};
}

Result<void> WatchCall::OnUnreadable(WatchEventType type, ObjectHead head, Error why) {
  if (!source().Identify(head)) {  // an object without identity cannot be reported
    return std::move(why.WithContext("watch of " + source().path));
  }
  if (!ExpectsNamespace(head.namespace_)) return {};
  WatchEvent event;
  event.type = type;
  event.unreadable = true;
  event.namespace_ = head.namespace_;
  event.name = head.name;
  event.resourceVersion = head.resourceVersion;
  event.why = &why;
  receiver_.OnEvent(event);
  return {};
}

bool WatchCall::ExpectsKind(std::string_view kind) {
  if (source().Expects(kind)) return true;
  Ignore("the server sent an object of another kind; ignored", kind);
  return false;
}

bool WatchCall::ExpectsNamespace(std::string_view namespace_) {
  if (source().namespace_.empty() || namespace_ == source().namespace_) return true;
  Ignore("the server sent an object of another namespace; ignored", namespace_);
  return false;
}

Error WatchCall::ErrorOf(const wire::WatchFrame& frame) {
  const std::string watch = "the watch of " + source().path;
  if (frame.type != "ERROR") {
    return Error(Reason::kDecode,
                 watch + " sent an event of unknown type \"" + std::string(frame.type) + "\"");
  }
  std::optional<Error> error = encoding() == Encoding::kProtobuf
                                   ? ErrorOfProtobufStatus(frame.object)
                                   : ErrorOfJsonStatus(frame.object);
  if (error) return *std::move(error);
  return Error(Reason::kInternalError, watch + " ended with an error event that holds no Status");
}

void WatchCall::Ignore(std::string_view message, std::string_view what) {
  if (std::exchange(ignored_, true)) return;
  env().log().Log(LogLevel::kError, message,
                  {{"watch", source().path}, {"sent", std::string(what)}});
}

}  // namespace kinformer::internal::client
