#include "apiserver/read/list_stream.h"

#include <optional>
#include <utility>

#include "kinformer/json/json.h"

#include "apiserver/errors/protobuf_envelope.h"
#include "apiserver/errors/status.h"
#include "apiserver/read/rendered_list.h"
#include "apiserver/request/responses.h"
#include "base/core/work_slice.h"

namespace kinformer::apiserver {
namespace {

using internal::base::WorkSlice;

constexpr std::string_view kBase64Url =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

// Most objects that one Read visits, matching or not, so that a turn of the loop ends. The clock is
// read every few visits.
constexpr std::size_t kMaxVisits = 4096;
constexpr std::size_t kVisitsPerLook = 8;
// Objects that are found before they are written.
constexpr std::size_t kBatch = 16;

std::string Base64UrlEncode(std::string_view bytes) {
  std::string out;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : bytes) {
    bits = (bits << 8) | static_cast<unsigned char>(c);
    for (count += 8; count >= 6; count -= 6) out += kBase64Url[(bits >> (count - 6)) & 63];
  }
  if (count > 0) out += kBase64Url[(bits << (6 - count)) & 63];
  return out;
}

std::optional<std::string> Base64UrlDecode(std::string_view text) {
  std::string out;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    if (c == '=') break;
    const std::size_t value = kBase64Url.find(c);
    if (value == std::string_view::npos) return std::nullopt;
    bits = (bits << 6) | static_cast<std::uint32_t>(value);
    count += 6;
    if (count >= 8) {
      count -= 8;
      out += static_cast<char>((bits >> count) & 0xff);
    }
  }
  return out;
}

// Common part of all lists: finds the next objects.
class RecordSource {
 public:
  RecordSource(const ResourceAt& at, ListPlan plan)
      : plan_(std::move(plan)),
        pin_(at.resource->store, plan_.resource_version),
        next_(plan_.from),
        collecting_(plan_.limit > 0) {}

  // Finds a page, which must be known before its head is written. Returns false if it needs another
  // turn of the loop.
  bool Prepare(const WorkSlice& turn) {
    if (!collecting_) return true;
    collecting_ = !CollectPage(turn);
    return !collecting_;
  }

  // Returns the next object. Null: if done(), there are no more, else another turn is needed.
  StoredObjectPtr Next(const WorkSlice& turn) {
    if (batch_at_ == batch_.size() && !walked_) Fill(turn);
    if (batch_at_ == batch_.size()) return nullptr;
    return std::move(batch_[batch_at_++]);
  }
  [[nodiscard]] bool done() const { return walked_ && batch_at_ == batch_.size(); }

  void Rewind() {
    next_ = plan_.from;
    batch_.clear();
    batch_at_ = 0;
    page_at_ = 0;
    walked_ = false;
  }

  // REQUIRES: Prepare() has returned true.
  [[nodiscard]] ListHead Head() const {
    ListHead head{.resource_version = std::to_string(plan_.resource_version)};
    head.shard_info = plan_.selection.shards().ToString();
    if (!more_) return head;
    const std::int64_t left = plan_.remaining - static_cast<std::int64_t>(page_.size());
    const std::string start = page_.back()->key().substr(plan_.selection.namespace_prefix().size());
    head.continue_ = EncodeContinue({.resource_version = plan_.resource_version,
                                     .start = start + std::string(1, '\0'),
                                     .remaining = left});
    if (!plan_.selection.selective()) head.remaining = left;
    return head;
  }

 private:
  // Calls visit(stored) from next_ on, while it returns true and there is time. Returns true if
  // there are no more objects.
  template <class Visit>
  bool Walk(const WorkSlice& turn, const Visit& visit) {
    const Selection& selection = plan_.selection;
    std::size_t visits = 0;
    bool complete = true;
    pin_.store().Walk(
        selection.prefix(), next_, plan_.resource_version, [&](const StoredObjectPtr& stored) {
          if (selection.single() && stored->key() != selection.prefix()) return false;
          const bool pause =
              visits == kMaxVisits || (visits > 0 && visits % kVisitsPerLook == 0 && turn.over());
          if (pause || !visit(stored)) {
            next_ = stored->key();
            complete = false;
            return false;
          }
          ++visits;
          return true;
        });
    return complete;
  }

  void Fill(const WorkSlice& turn) {
    batch_.clear();
    batch_at_ = 0;
    if (plan_.limit > 0) {
      while (page_at_ < page_.size() && batch_.size() < kBatch) batch_.push_back(page_[page_at_++]);
      walked_ = page_at_ == page_.size();
      return;
    }
    walked_ = Walk(turn, [this](const StoredObjectPtr& stored) {
      if (batch_.size() == kBatch) return false;
      if (plan_.selection.Matches(*stored)) batch_.push_back(stored);
      return true;
    });
  }

  // Collects one page. A full page has a successor if any object follows, matching or not; so the
  // search ends early, and the last page may be empty. Returns true when the page is complete.
  bool CollectPage(const WorkSlice& turn) {
    const bool complete = Walk(turn, [this](const StoredObjectPtr& stored) {
      more_ = page_.size() == static_cast<std::size_t>(plan_.limit);
      if (!more_ && plan_.selection.Matches(*stored)) page_.push_back(stored);
      return !more_;
    });
    return complete || more_;
  }

  ListPlan plan_;
  ResourceStore::Pin pin_;
  std::string next_;
  std::vector<StoredObjectPtr> batch_;  // found, not yet returned
  std::size_t batch_at_ = 0;
  std::vector<StoredObjectPtr> page_;  // for lists with a limit
  std::size_t page_at_ = 0;
  bool collecting_;
  bool more_ = false;
  bool walked_ = false;
};

// Writes the items of a list. Thread-safe with objects that no other thread uses.
class ItemWriter {
 public:
  explicit ItemWriter(ObjectEncoder encoder) : encoder_(std::move(encoder)) {}
  virtual ~ItemWriter() = default;
  ItemWriter(const ItemWriter&) = delete;
  ItemWriter& operator=(const ItemWriter&) = delete;
  // Append the parts of the list before and after the items.
  virtual void AppendHead(const ListHead& head, std::string& out) = 0;
  virtual void Append(const StoredObjectPtr& stored, bool first, std::string& out) const = 0;
  virtual void AppendTail(bool empty, std::string& out) const = 0;
  [[nodiscard]] const ObjectEncoder& encoder() const { return encoder_; }

 private:
  ObjectEncoder encoder_;
};

class JsonItems final : public ItemWriter {
 public:
  using ItemWriter::ItemWriter;
  void AppendHead(const ListHead& head, std::string& out) override {
    encoder().AppendListHead(head, out);
  }
  void Append(const StoredObjectPtr& stored, bool first, std::string& out) const override {
    encoder().AppendListItem(stored, first, out);
  }
  void AppendTail(bool, std::string& out) const override {
    ObjectEncoder::AppendListTail(out);
    out += '\n';
  }
};

// Human-readable forms: YAML, and JSON with line breaks. Renders the list without items, and
// inserts each item.
class RenderedItems final : public ItemWriter {
 public:
  using ItemWriter::ItemWriter;
  void AppendHead(const ListHead& head, std::string& out) override {
    frame_ = RenderedFrame(encoder(), head);
    out += frame_.head;
  }
  void Append(const StoredObjectPtr& stored, bool first, std::string& out) const override {
    out += first ? frame_.before_first : frame_.between;
    std::string item;
    encoder().AppendListItem(stored, /*first=*/true, item);
    out += RenderItem(encoder().format(), item);
  }
  void AppendTail(bool empty, std::string& out) const override {
    out += empty ? frame_.instead : frame_.after_last;
    out += frame_.tail;
  }

 private:
  ListFrame frame_{};
};

class ProtobufItems final : public ItemWriter {
 public:
  // `total`: size of all items together, set before the head is written.
  ProtobufItems(ObjectEncoder encoder, const std::size_t& total)
      : ItemWriter(std::move(encoder)), total_(total) {}
  void AppendHead(const ListHead& head, std::string& out) override {
    const std::string meta = ObjectEncoder::ListMetaField(head);
    out += EnvelopeHeader(encoder().ListApiVersion(), encoder().ListKind(), total_ + meta.size());
    out += meta;
  }
  void Append(const StoredObjectPtr& stored, bool, std::string& out) const override {
    std::string scratch;
    AppendBytesField(2, encoder().ListItemMessage(stored, scratch), out);
  }
  void AppendTail(bool, std::string& out) const override { out += kEnvelopeTrailer; }

 private:
  const std::size_t& total_;  // read only on the loop
};

// Writes items until the turn is over. Items that take long are encoded off the loop, while this
// waits.
//
// The protobuf envelope contains the total length, so the collection is walked twice: first to add
// up sizes, then to send. The first messages of a store are cached with their objects, for the
// others only the size (ResourceStore::MayKeep).
class ListStream final : public ResponseStream {
 public:
  ListStream(Env& env, OffLoop& off_loop, const ObjectEncoder& encoder, ListPlan plan)
      : env_(env),
        off_loop_(off_loop),
        source_(encoder.at(), std::move(plan)),
        measuring_(encoder.format().media == MediaType::kProtobuf),
        copies_(IsStoredText(encoder.at(), encoder.format())) {
    const OutputFormat& format = encoder.format();
    ObjectEncoder own(Unchanging(encoder.at()), format, env.WallNow());
    if (measuring_) {
      items_ = std::make_shared<ProtobufItems>(std::move(own), total_);
    } else if (format.media == MediaType::kJson && !format.pretty) {
      items_ = std::make_shared<JsonItems>(std::move(own));
    } else {
      items_ = std::make_shared<RenderedItems>(std::move(own));
    }
    headers_.Add("Content-Type", ContentTypeOf(format, false));
    headers_.Add("Cache-Control", "no-cache, private");
  }
  [[nodiscard]] int status() const override { return 200; }
  [[nodiscard]] const HttpHeaders& headers() const override { return headers_; }
  void SetWake(std::function<void()> wake) override { wake_ = std::move(wake); }
  [[nodiscard]] bool resumes_soon() const override { return elsewhere_ != nullptr; }

  State Read(std::size_t max_bytes, std::vector<BodyChunk>& out) override {
    if (elsewhere_ != nullptr) return State::kWait;
    const WorkSlice turn(env_);
    if (!source_.Prepare(turn)) return State::kMore;
    std::string text = std::exchange(made_, {});
    if (measuring_) Measure(turn);
    if (!measuring_) Write(max_bytes, turn, text);
    if (!text.empty()) out.push_back(BodyChunk::Of(std::move(text)));
    if (ended_) return State::kEnd;
    return elsewhere_ != nullptr ? State::kWait : State::kMore;
  }

 private:
  void Measure(const WorkSlice& turn) {
    // Limit for one turn, in case the clock does not advance.
    constexpr int kMeasured = 256;
    for (int i = 0; i < kMeasured && !source_.done(); ++i) {
      const StoredObjectPtr stored = source_.Next(turn);
      if (stored == nullptr) return;
      if (TakesLong(*stored) && !stored->protobuf_size()) return MakeElsewhere(stored);
      AddSize(items_->encoder().ListItemSize(stored));
      if (turn.over()) break;
    }
    if (!source_.done()) return;
    measuring_ = false;
    source_.Rewind();
  }
  void AddSize(std::size_t size) {
    std::string header;
    AppendBytesHeader(2, size, header);
    total_ += header.size() + size;
  }

  void Write(std::size_t max_bytes, const WorkSlice& turn, std::string& text) {
    if (!std::exchange(started_, true)) items_->AppendHead(source_.Head(), text);
    while (text.size() < max_bytes && !source_.done()) {
      const StoredObjectPtr stored = source_.Next(turn);
      if (stored == nullptr) break;
      if (TakesLong(*stored)) return MakeElsewhere(stored);
      items_->Append(stored, std::exchange(first_, false), text);
      if (turn.over()) break;
    }
    if (!source_.done()) return;
    items_->AppendTail(first_, text);
    ended_ = true;
  }

  [[nodiscard]] bool TakesLong(const StoredObject& stored) const {
    return !copies_ && stored.protobuf() == nullptr && OffLoop::IsMuch(stored.body().size());
  }

  // Encodes the item off the loop: a later Read sends it, or its size is added.
  void MakeElsewhere(const StoredObjectPtr& stored) {
    struct Job {
      StoredObjectPtr copy{};
      std::string text{};
      std::size_t size = 0;
    };
    const auto job = std::make_shared<Job>(Job{.copy = stored->Copy()});
    const bool measures = measuring_;
    const bool first = !measures && std::exchange(first_, false);
    elsewhere_ = off_loop_.Start(
        [job, items = items_, measures, first] {
          if (measures) {
            job->size = items->encoder().ListItemSize(job->copy);
          } else {
            items->Append(job->copy, first, job->text);
          }
        },
        [this, job, stored, measures] {
          elsewhere_ = nullptr;
          if (measures) {
            stored->NoteProtobufSize(job->size);
            AddSize(job->size);
          } else {
            made_ = std::move(job->text);
          }
          if (wake_) wake_();
        });
  }

  Env& env_;
  OffLoop& off_loop_;
  RecordSource source_;
  std::shared_ptr<ItemWriter> items_;
  bool measuring_;
  const bool copies_;  // items are the stored text
  HttpHeaders headers_;
  std::function<void()> wake_;
  std::size_t total_ = 0;
  bool started_ = false;
  bool first_ = true;
  bool ended_ = false;
  OffLoop::Ticket elsewhere_;
  std::string made_;  // finished item
};

}  // namespace

std::string EncodeContinue(const ContinueToken& token) {
  std::string json = R"({"v":"meta.k8s.io/v1","rv":)" + std::to_string(token.resource_version) +
                     ",\"start\":" + JsonString(token.start);
  if (token.remaining > 0) json += ",\"n\":" + std::to_string(token.remaining);
  return Base64UrlEncode(json + "}");
}

Result<ContinueToken> DecodeContinue(std::string_view text) {
  const auto bad = [](std::string_view why) {
    return BadRequestError("invalid continue token: " + std::string(why));
  };
  const auto bytes = Base64UrlDecode(text);
  if (!bytes) return bad("it is not base64url");
  const Result<json::Value> value = json::Parse(*bytes);
  if (!value) return bad(value.error().message());
  if ((*value)["v"].StringOrEmpty() != "meta.k8s.io/v1")
    return bad("its version is not meta.k8s.io/v1");
  ContinueToken token{.resource_version = (*value)["rv"].AsInt64().value_or(0),
                      .start = (*value)["start"].StringOrEmpty(),
                      .remaining = (*value)["n"].AsInt64().value_or(0)};
  if (token.resource_version == 0) return bad("incorrect encoded start resourceVersion");
  if (token.start.empty()) return bad("no encoded start key");
  if (token.start.starts_with('/') || token.start.find("..") != std::string::npos) {
    return bad("encoded start key is not clean");
  }
  return token;
}

std::unique_ptr<ResponseStream> NewListStream(Env& env, OffLoop& off_loop,
                                              const ObjectEncoder& encoder, ListPlan plan) {
  return std::make_unique<ListStream>(env, off_loop, encoder, std::move(plan));
}

}  // namespace kinformer::apiserver
