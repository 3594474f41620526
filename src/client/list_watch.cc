#include "client/list_watch.h"

#include <optional>
#include <string_view>
#include <utility>

#include "kinformer/internal/block_builder.h"
#include "kinformer/json.h"

#include "client/client_core.h"
#include "client/features.h"
#include "client/object_codec.h"
#include "client/object_head.h"
#include "client/request_path.h"
#include "client/status.h"
#include "wire/list_splitter.h"
#include "wire/watch_framer.h"

namespace kinformer::internal {
namespace {

// A server that does not know sendInitialEvents never marks their end: its watch gives up its place after this time.
constexpr Duration kLongestInitialList = std::chrono::seconds(30);

// A watch that its server has not ended this long after it should have is taken for dead: its stream has stalled.
constexpr Duration kWatchOverdue = std::chrono::seconds(30);

// What an event has besides its object, at most.
constexpr std::size_t kEventHead = 1024;

// What a ListerWatcher and its calls share.
struct Source {
  std::shared_ptr<Engine> engine;
  // For dynamic kinds whose name the caller did not know, replaced once an object has told it.
  const TypeInfo* type;
  std::string path;
  bool metadata_only;
  EntryOptions entry{};
  std::string namespace_{};  // empty: all, or the kind has none

  // The type for an object. Cheap unless the kind is yet unknown.
  const TypeInfo& TypeFor(std::string_view object_json) {
    if (type->kind.empty() && type->message == nullptr) {
      if (const Result<json::Value> object = json::Parse(object_json)) {
        const std::string& kind = (*object)["kind"].StringOrEmpty();
        const bool namespaced = !(*object)["metadata"]["namespace"].StringOrEmpty().empty();
        if (!kind.empty()) {
          type = DynamicTypeInfo(type->group, type->version, kind, type->resource, namespaced);
        }
      }
    }
    return *type;
  }

  // May an object of this source be of that kind? Empty: it does not say.
  [[nodiscard]] bool Expects(std::string_view kind) const {
    return kind.empty() || kind == type->kind || type->kind.empty() ||
           (metadata_only && kind == "PartialObjectMetadata");
  }

  // `bitmap`: of JSON.
  Result<ObjectRef> Build(bool protobuf, std::string_view bytes, const wire::JsonBitmap* bitmap) {
    const BuildOptions options = BuildOptionsOf(entry);
    if (!protobuf) return BuildFromJson(TypeFor(bytes), bytes, options, bitmap);
    if (type->encoding() != Encoding::kProtobuf) {
      return Error(Reason::kDecode, "an object in protobuf where JSON was asked for");
    }
    if (!metadata_only) return BuildFromProtobuf(*type, bytes, options);
    // A server that does not know how to cut sends all of it.
    return BuildFromProtobuf(*type, OnlyMetadata(bytes), options);
  }
};

Error UnexpectedMediaType(const Source& source, std::string_view content_type) {
  return Error(Reason::kDecode, "GET " + source.path + ": the server answered with media type \"" +
                                    std::string(content_type) + "\", which cannot be read here");
}

// One page of a list.
class ListCall final : public ListWatchCall,
                       public ExchangeReceiver,
                       public wire::ListSplitter::Sink {
 public:
  ListCall(std::shared_ptr<Source> source, ListReceiver& receiver)
      : source_(std::move(source)), receiver_(receiver) {}

  void Start(const ListOptions& options) {
    Query query;
    query.AddListOptions(options, /*watch=*/false);
    ExchangeRequest request;
    request.target = source_->path + query.Text();
    request.pool = ConnectionPool::kList;
    SetAccept(*source_->type, Shape::kList, request);
    exchange_ = std::make_unique<Exchange>(source_->engine, std::move(request), *this);
    ticket_ = source_->engine->list_gate().Enter([this] { exchange_->Start(); });
  }
  // Answers without asking the server.
  void Refuse(Error error) { FailLater(std::move(error)); }

 private:
  void OnAccepted(int, const HttpHeaders& headers) override {
    const std::string_view content_type = headers.Get("Content-Type");
    const std::string_view media_type = MediaType(content_type);
    protobuf_ = media_type == kProtobufMediaType;
    if (!protobuf_ && media_type != kJsonMediaType) {
      FailLater(UnexpectedMediaType(*source_, content_type));
      return;
    }
    splitter_.emplace(protobuf_ ? Encoding::kProtobuf : Encoding::kJson,
                      source_->entry.max_object_bytes);
  }
  void OnData(std::string_view data) override {
    if (failed_ || !splitter_) return;
    if (Result<void> fed = splitter_->Feed(data, *this); !fed) {
      FailLater(std::move(Error(std::move(fed).error()).WithContext("GET " + source_->path)));
    }
    receiver_.OnChunkEnd();
  }
  Result<void> OnItem(std::string_view item, const wire::JsonBitmap* bitmap) override {
    Result<ObjectRef> object = source_->Build(protobuf_, item, bitmap);
    if (object) {
      receiver_.OnItem(*std::move(object));
      return {};
    }
    const ObjectHead head = protobuf_ ? HeadOfProtobuf(item) : HeadOfJson(item);
    receiver_.OnUnreadable(head.namespace_, head.name, object.error());
    return {};
  }
  void OnDone(Result<void> result) override {
    if (failed_) return;  // the timer speaks
    if (result && splitter_) {
      if (Result<void> finished = splitter_->Finish(); !finished) {
        result = std::move(Error(std::move(finished).error()).WithContext("GET " + source_->path));
      }
    }
    if (!result) {
      Finish(std::move(result).error());
      return;
    }
    ListMeta meta;
    if (splitter_) {
      meta.resourceVersion = splitter_->head().resourceVersion;
      meta.continue_ = splitter_->head().continue_;
      meta.remainingItemCount = splitter_->head().remainingItemCount;
    }
    Finish(std::move(meta));
  }
  // The exchange must not be ended from inside its own callbacks.
  void FailLater(Error error) {
    failed_ = true;
    Env& env = source_->engine->env();
    timer_ = env.loop().RunAt(
        env.Now(), [this, error = std::move(error)]() mutable { Finish(std::move(error)); });
  }
  void Finish(Result<ListMeta> result) {
    exchange_.reset();
    ticket_.reset();
    receiver_.OnDone(std::move(result));  // may destroy this
  }

  const std::shared_ptr<Source> source_;
  ListReceiver& receiver_;
  std::unique_ptr<Exchange> exchange_;
  std::unique_ptr<ListGate::Ticket> ticket_;
  Timer timer_;
  bool failed_ = false;
  bool protobuf_ = false;
  std::optional<wire::ListSplitter> splitter_;
};

// One watch.
class WatchCall final : public ListWatchCall,
                        public ExchangeReceiver,
                        public wire::WatchFramer::Sink {
 public:
  WatchCall(std::shared_ptr<Source> source, WatchReceiver& receiver)
      : source_(std::move(source)), receiver_(receiver) {}

  void Start(const ListOptions& options) {
    Query query;
    query.AddListOptions(options, /*watch=*/true);
    ExchangeRequest request;
    request.target = source_->path + query.Text();
    request.pool = ConnectionPool::kWatch;
    request.watch = true;
    SetAccept(*source_->type, Shape::kObject, request);
    exchange_ = std::make_unique<Exchange>(source_->engine, std::move(request), *this);
    seconds_ = options.timeoutSeconds.value_or(0);
    if (options.sendInitialEvents.value_or(false)) {
      // The first part of such a watch is a list.
      ticket_ = source_->engine->list_gate().Enter([this] {
        Env& env = source_->engine->env();
        initial_list_timer_ =
            env.loop().RunAt(env.Now() + kLongestInitialList, [this] { ticket_.reset(); });
        Begin();
      });
    } else {
      Begin();
    }
  }
  void Refuse(Error error) { EndLater(std::move(error)); }

 private:
  void Begin() {
    exchange_->Start();
    if (seconds_ <= 0) return;
    Env& env = source_->engine->env();
    overdue_ = env.loop().RunAt(env.Now() + std::chrono::seconds(seconds_) + kWatchOverdue,
                                [this] { Finish(Result<void>()); });
  }
  void OnAccepted(int, const HttpHeaders& headers) override {
    const std::string_view content_type = headers.Get("Content-Type");
    const std::string_view media_type = MediaType(content_type);
    protobuf_ = media_type == kProtobufMediaType;
    if (!protobuf_ && media_type != kJsonMediaType) {
      EndLater(UnexpectedMediaType(*source_, content_type));
      return;
    }
    framer_.emplace(protobuf_ ? Encoding::kProtobuf : Encoding::kJson,
                    source_->entry.max_object_bytes + kEventHead);
    receiver_.OnStarted();
  }
  void OnData(std::string_view data) override {
    if (ended_ || !framer_) return;
    if (Result<void> fed = framer_->Feed(data, *this); !fed) EndLater(std::move(fed).error());
    receiver_.OnChunkEnd();
  }
  Result<void> OnFrame(const wire::WatchFrame& frame) override {
    WatchEvent event;
    if (frame.type == "ADDED") {
      event.type = WatchEventType::kAdded;
    } else if (frame.type == "MODIFIED") {
      event.type = WatchEventType::kModified;
    } else if (frame.type == "DELETED") {
      event.type = WatchEventType::kDeleted;
    } else if (frame.type == "BOOKMARK") {
      event.type = WatchEventType::kBookmark;
    } else if (frame.type == "ERROR") {
      std::optional<Error> error =
          protobuf_ ? ErrorOfProtobufStatus(frame.object) : ErrorOfJsonStatus(frame.object);
      if (error) return *std::move(error);
      return Error(Reason::kInternalError, "the watch of " + source_->path +
                                               " ended with an error event that holds no Status");
    } else {
      return Error(Reason::kDecode, "the watch of " + source_->path +
                                        " sent an event of unknown type \"" +
                                        std::string(frame.type) + "\"");
    }
    if (event.type == WatchEventType::kBookmark) {
      const ObjectHead head = protobuf_ ? HeadOfProtobuf(frame.object) : HeadOfJson(frame.object);
      event.resourceVersion = head.resourceVersion;
      event.initial_events_end = head.initial_events_end;
      if (head.initial_events_end) ticket_.reset();
      receiver_.OnEvent(event);
      return {};
    }
    if (!source_->Expects(frame.kind)) {
      Ignore("the server sent an object of another kind; ignored", frame.kind);
      return {};
    }
    Result<ObjectRef> object = source_->Build(protobuf_, frame.object, frame.bitmap);
    if (object) {
      event.object = *std::move(object);
      if (!source_->namespace_.empty() && event.object->namespace_() != source_->namespace_) {
        Ignore("the server sent an object of another namespace; ignored",
               event.object->namespace_());
        return {};
      }
      event.resourceVersion = event.object->resourceVersion();
      receiver_.OnEvent(event);
      return {};
    }
    const ObjectHead head = protobuf_ ? HeadOfProtobuf(frame.object) : HeadOfJson(frame.object);
    if (head.name.empty()) {  // nobody could say what is missing
      return std::move(Error(std::move(object).error()).WithContext("watch of " + source_->path));
    }
    event.unreadable = true;
    event.namespace_ = head.namespace_;
    event.name = head.name;
    event.resourceVersion = head.resourceVersion;
    receiver_.OnEvent(event);
    return {};
  }
  // Said once a watch: a server that does it once does it all the time.
  void Ignore(std::string_view message, std::string_view what) {
    if (std::exchange(ignored_, true)) return;
    source_->engine->env().log().Log(LogLevel::kError, message,
                                     {{"watch", source_->path}, {"sent", std::string(what)}});
  }
  void OnDone(Result<void> result) override {
    if (ended_) return;  // the timer speaks
    if (!result && framer_) {
      // What breaks an established watch asks for nothing but the next one.
      const Reason reason = result.error().reason();
      if (reason == Reason::kUnexpectedEof || reason == Reason::kTransport ||
          reason == Reason::kDeadlineExceeded) {
        result = Result<void>();
      }
    }
    Finish(std::move(result));
  }
  void EndLater(Error error) {
    ended_ = true;
    Env& env = source_->engine->env();
    timer_ = env.loop().RunAt(
        env.Now(), [this, error = std::move(error)]() mutable { Finish(std::move(error)); });
  }
  void Finish(Result<void> result) {
    exchange_.reset();
    ticket_.reset();
    initial_list_timer_.Cancel();
    overdue_.Cancel();
    receiver_.OnDone(std::move(result));  // may destroy this
  }

  const std::shared_ptr<Source> source_;
  WatchReceiver& receiver_;
  std::unique_ptr<Exchange> exchange_;
  std::unique_ptr<ListGate::Ticket> ticket_;
  std::int64_t seconds_ = 0;
  Timer initial_list_timer_;
  Timer overdue_;
  Timer timer_;
  bool ended_ = false;
  bool ignored_ = false;  // something that does not belong here
  bool protobuf_ = false;
  std::optional<wire::WatchFramer> framer_;
};

class EngineListWatch final : public ListerWatcher {
 public:
  EngineListWatch(std::shared_ptr<Engine> engine, const TypeInfo& type, std::string namespace_,
                  std::function<void(ListOptions&)> tweak)
      : namespace_text_(std::move(namespace_)),
        tweak_(std::move(tweak)),
        source_(
            std::make_shared<Source>(Source{std::move(engine), &type, "", IsMetadataOnly(type)})) {
    // A kind known by its resource only may well have namespaces.
    const bool namespaced = type.namespaced || type.kind.empty();
    Result<std::string> path =
        BuildPath({type.group, type.version, type.resource,
                   namespaced ? std::string_view(namespace_text_) : std::string_view(), "", ""});
    if (namespaced) source_->namespace_ = namespace_text_;
    if (path) {
      source_->path = *std::move(path);
    } else {
      bad_path_ = std::move(path).error();
    }
  }

  std::unique_ptr<ListWatchCall> List(const ListOptions& options, ListReceiver& receiver) override {
    auto call = std::make_unique<ListCall>(source_, receiver);
    if (bad_path_) {
      call->Refuse(*bad_path_);
    } else {
      call->Start(Tweaked(options));
    }
    return call;
  }
  std::unique_ptr<ListWatchCall> Watch(const ListOptions& options,
                                       WatchReceiver& receiver) override {
    auto call = std::make_unique<WatchCall>(source_, receiver);
    if (bad_path_) {
      call->Refuse(*bad_path_);
    } else {
      call->Start(Tweaked(options));
    }
    return call;
  }
  bool SetEntryOptions(const EntryOptions& options) override {
    source_->entry = options;
    return true;
  }
  bool IsWatchListSemanticsUnSupported() const override { return !WatchListClientEnabled(); }
  std::string Describe() const override {
    std::string text = ResourceName(*source_->type);
    if (!namespace_text_.empty()) text += " in namespace " + namespace_text_;
    return text;
  }

 private:
  ListOptions Tweaked(ListOptions options) const {
    if (tweak_) tweak_(options);
    return options;
  }

  const std::string namespace_text_;
  const std::function<void(ListOptions&)> tweak_;
  const std::shared_ptr<Source> source_;
  std::optional<Error> bad_path_;
};

}  // namespace

std::unique_ptr<ListerWatcher> NewEngineListWatch(std::shared_ptr<Engine> engine,
                                                  const TypeInfo& type, std::string namespace_,
                                                  std::function<void(ListOptions&)> tweak) {
  return std::make_unique<EngineListWatch>(std::move(engine), type, std::move(namespace_),
                                           std::move(tweak));
}

std::unique_ptr<ListerWatcher> NewListWatch(const Client& client, const TypeInfo& type,
                                            std::string namespace_,
                                            std::function<void(ListOptions&)> tweak) {
  return NewEngineListWatch(client.core()->engine(), type, std::move(namespace_), std::move(tweak));
}

}  // namespace kinformer::internal
