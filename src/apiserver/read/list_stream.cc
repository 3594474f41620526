#include "apiserver/read/list_stream.h"

#include <optional>
#include <utility>

#include "kinformer/json.h"

#include "apiserver/errors/protobuf_envelope.h"
#include "apiserver/errors/status.h"
#include "apiserver/request/responses.h"

namespace kinformer::apiserver {
namespace {

constexpr std::string_view kBase64Url =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

// How many objects one Read looks at, whether they fit the selectors or not: a loop turn has an
// end.
constexpr std::size_t kMaxVisits = 4096;

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

// The common part: which objects come next.
class RecordSource {
 public:
  RecordSource(const ResourceAt& at, ListPlan plan)
      : plan_(std::move(plan)),
        pin_(at.resource->store, plan_.resource_version),
        next_(plan_.from) {
    if (plan_.limit > 0) CollectPage();
  }

  // The next objects: at most `count`; empty with done() once there are no more, or empty before
  // that because a slice's worth of objects did not fit the selectors.
  std::vector<StoredObjectPtr> Next(std::size_t count) {
    std::vector<StoredObjectPtr> out;
    if (plan_.limit > 0) {
      while (page_at_ < page_.size() && out.size() < count) out.push_back(page_[page_at_++]);
      done_ = page_at_ == page_.size();
      return out;
    }
    std::size_t visits = 0;
    done_ = true;
    Walk([&](const StoredObjectPtr& stored) {
      if (out.size() == count || visits++ == kMaxVisits) {
        next_ = stored->key();
        done_ = false;
        return false;
      }
      if (plan_.selection.Matches(*stored)) out.push_back(stored);
      return true;
    });
    return out;
  }
  void Rewind() {
    next_ = plan_.from;
    page_at_ = 0;
    done_ = false;
  }
  [[nodiscard]] bool done() const { return done_; }

  [[nodiscard]] ListHead Head() const {
    ListHead head{.resource_version = std::to_string(plan_.resource_version)};
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
  template <class Visit>
  void Walk(const Visit& visit) {
    const Selection& selection = plan_.selection;
    pin_.store().Walk(selection.prefix(), next_, plan_.resource_version,
                      [&](const StoredObjectPtr& stored) {
                        if (selection.single() && stored->key() != selection.prefix()) return false;
                        return visit(stored);
                      });
  }
  // A page that is full is followed by another if there is any object behind it, whether it matches
  // or not: nobody looks further than he must, and the last page may be empty.
  void CollectPage() {
    Walk([&](const StoredObjectPtr& stored) {
      if (page_.size() == static_cast<std::size_t>(plan_.limit)) {
        more_ = true;
        return false;
      }
      if (plan_.selection.Matches(*stored)) page_.push_back(stored);
      return true;
    });
  }

  ListPlan plan_;
  ResourceStore::Pin pin_;
  std::string next_;
  std::vector<StoredObjectPtr> page_;
  std::size_t page_at_ = 0;
  bool more_ = false;
  bool done_ = false;
};

class ListStream : public ResponseStream {
 public:
  ListStream(ObjectEncoder encoder, ListPlan plan)
      : encoder_(std::move(encoder)), source_(encoder_.at(), std::move(plan)) {
    headers_.Add("Content-Type", ContentTypeOf(encoder_.format(), false));
    headers_.Add("Cache-Control", "no-cache, private");
  }
  [[nodiscard]] int status() const override { return 200; }
  [[nodiscard]] const HttpHeaders& headers() const override { return headers_; }
  void SetWake(std::function<void()>) override {}

 protected:
  ObjectEncoder encoder_;
  RecordSource source_;
  HttpHeaders headers_;
};

class JsonListStream final : public ListStream {
 public:
  using ListStream::ListStream;

  State Read(std::size_t max_bytes, std::vector<BodyChunk>& out) override {
    std::string text;
    if (!std::exchange(started_, true)) encoder_.AppendListHead(source_.Head(), text);
    while (text.size() < max_bytes && !source_.done()) {
      const auto objects = source_.Next(16);
      for (const StoredObjectPtr& stored : objects) {
        encoder_.AppendListItem(stored, std::exchange(first_, false), text);
      }
      if (objects.empty()) break;
    }
    const bool end = source_.done();
    if (end) {
      encoder_.AppendListTail(text);
      text += '\n';
    }
    if (!text.empty()) out.push_back(BodyChunk::Of(std::move(text)));
    return end ? State::kEnd : State::kMore;
  }

 private:
  bool started_ = false;
  bool first_ = true;
};

// The envelope tells the length of everything in it, so the collection is walked twice: once to add
// up, once to send. The first messages of a store stay with their objects, of the others only the
// size does (ResourceStore::MayKeep).
class ProtobufListStream final : public ListStream {
 public:
  using ListStream::ListStream;

  State Read(std::size_t max_bytes, std::vector<BodyChunk>& out) override {
    std::string text;
    if (measuring_) {
      for (const StoredObjectPtr& stored : source_.Next(256)) total_ += ItemSize(stored);
      if (!source_.done()) return State::kMore;
      measuring_ = false;
      source_.Rewind();
      const std::string meta = ObjectEncoder::ListMetaField(source_.Head());
      text = EnvelopeHeader(encoder_.ListApiVersion(), encoder_.ListKind(), total_ + meta.size()) +
             meta;
    }
    while (text.size() < max_bytes && !source_.done()) {
      const auto objects = source_.Next(16);
      for (const StoredObjectPtr& stored : objects) {
        std::string scratch;
        AppendBytesField(2, encoder_.ListItemMessage(stored, scratch), text);
      }
      if (objects.empty()) break;
    }
    const bool end = source_.done();
    if (end) text += kEnvelopeTrailer;
    if (!text.empty()) out.push_back(BodyChunk::Of(std::move(text)));
    return end ? State::kEnd : State::kMore;
  }

 private:
  [[nodiscard]] std::size_t ItemSize(const StoredObjectPtr& stored) const {
    const std::size_t size = encoder_.ListItemSize(stored);
    std::string header;
    AppendBytesHeader(2, size, header);
    return header.size() + size;
  }

  bool measuring_ = true;
  std::size_t total_ = 0;
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

std::unique_ptr<ResponseStream> NewListStream(ObjectEncoder encoder, ListPlan plan) {
  const OutputFormat format = encoder.format();
  if (format.media == MediaType::kProtobuf) {
    return std::make_unique<ProtobufListStream>(std::move(encoder), std::move(plan));
  }
  if (format.media == MediaType::kJson && !format.pretty) {
    return std::make_unique<JsonListStream>(std::move(encoder), std::move(plan));
  }
  RecordSource source(encoder.at(), std::move(plan));
  std::string json;
  encoder.AppendListHead(source.Head(), json);
  bool first = true;
  while (!source.done()) {
    for (const StoredObjectPtr& stored : source.Next(256)) {
      encoder.AppendListItem(stored, std::exchange(first, false), json);
    }
  }
  encoder.AppendListTail(json);
  return WholeResponse(200, ContentTypeOf(format, false), Render(format, std::move(json)));
}

}  // namespace kinformer::apiserver
