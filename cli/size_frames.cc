#include "cli/size_frames.h"

#include <functional>
#include <utility>
#include <vector>

#include "wire/envelope.h"
#include "wire/protobuf_writer.h"

namespace kinformer::cli {
namespace {

// Later than any object's.
constexpr std::string_view kVersion = "900000000000000";
constexpr std::string_view kEndAnnotation = "k8s.io/initial-events-end";
constexpr std::uint32_t kMetadataField = 1;
constexpr std::uint32_t kItemsField = 2;
// Fields of ObjectMeta and ListMeta.
constexpr std::uint32_t kResourceVersionField = 6;
constexpr std::uint32_t kAnnotationsField = 12;
constexpr std::uint32_t kListVersionField = 2;

class Quiet final : public ResponseStream {
 public:
  explicit Quiet(std::string_view type) { headers_.Add("Content-Type", type); }
  [[nodiscard]] int status() const override { return 200; }
  [[nodiscard]] const HttpHeaders& headers() const override { return headers_; }
  State Read(std::size_t /*max_bytes*/, std::vector<BodyChunk>& /*out*/) override {
    return State::kWait;
  }
  void SetWake(std::function<void()> /*wake*/) override {}

 private:
  HttpHeaders headers_;
};

}  // namespace

std::string MetadataMessage(std::string_view metadata) {
  std::string message;
  wire::ProtobufWriter(message).BytesField(kMetadataField, metadata);
  return message;
}

SizeFrames::SizeFrames(const KindInfo& type, ObjectForm form)
    : form_(form), api_version_(type.apiVersion()), kind_(type.kind) {
  if (form != ObjectForm::kMetadata) return;
  api_version_ = "meta.k8s.io/v1";
  kind_ = "PartialObjectMetadata";
}

std::string_view SizeFrames::ContentType(bool watch) const {
  if (json()) return "application/json";
  return watch ? "application/vnd.kubernetes.protobuf;stream=watch"
               : "application/vnd.kubernetes.protobuf";
}

std::string SizeFrames::Event(std::string_view type, std::string_view object) const {
  std::string event;
  if (json()) {
    event.append(R"({"type":")").append(type).append(R"(","object":)").append(object);
    return event + "}\n";
  }
  wire::ProtobufWriter writer(event);
  writer.BytesField(1, type);
  writer.Nested(2, [&](wire::ProtobufWriter& extension) {
    extension.BytesField(1, wire::SealEnvelope(api_version_, kind_, object));
  });
  std::string frame;
  for (const unsigned shift : {24U, 16U, 8U, 0U}) {
    frame.push_back(static_cast<char>((event.size() >> shift) & 0xffU));
  }
  return frame + event;
}

void SizeFrames::Append(std::string_view object, bool watch, bool first, std::string& body) const {
  if (watch) {
    body += Event("ADDED", object);
  } else if (json()) {
    if (!first) body += ',';
    body += object;
  } else {
    wire::ProtobufWriter(body).BytesField(kItemsField, object);
  }
}

std::string SizeFrames::End() const {
  std::string object;
  if (json()) {
    object.append(R"({"kind":")").append(kind_).append(R"(","apiVersion":")").append(api_version_);
    object.append(R"(","metadata":{"resourceVersion":")").append(kVersion);
    object.append(R"(","annotations":{")").append(kEndAnnotation).append(R"(":"true"}}})");
    return Event("BOOKMARK", object);
  }
  wire::ProtobufWriter(object).Nested(kMetadataField, [](wire::ProtobufWriter& metadata) {
    metadata.BytesField(kResourceVersionField, kVersion);
    metadata.Nested(kAnnotationsField, [](wire::ProtobufWriter& entry) {
      entry.BytesField(1, kEndAnnotation);
      entry.BytesField(2, "true");
    });
  });
  return Event("BOOKMARK", object);
}

std::size_t SizeFrames::ItemBytes(std::size_t object) const {
  return json() ? object + 1 : object + 1 + wire::VarintSize(object);
}

std::string SizeFrames::ListHead(std::size_t item_bytes) const {
  if (json()) {
    return R"({"kind":")" + kind_ + R"(List","apiVersion":")" + api_version_ +
           R"(","metadata":{"resourceVersion":")" + std::string(kVersion) + R"("},"items":[)";
  }
  std::string metadata;
  wire::ProtobufWriter(metadata).Nested(kMetadataField, [](wire::ProtobufWriter& list) {
    list.BytesField(kListVersionField, kVersion);
  });
  std::string head(wire::kEnvelopeMagic);
  wire::ProtobufWriter writer(head);
  writer.Nested(1, [this](wire::ProtobufWriter& type) {
    type.BytesField(1, api_version_);
    type.BytesField(2, kind_ + "List");
  });
  writer.Tag(2, wire::WireType::kBytes);
  writer.Varint(metadata.size() + item_bytes);
  return head + metadata;
}

std::string SizeFrames::ListTail() const {
  if (json()) return "]}\n";
  std::string tail;
  wire::ProtobufWriter writer(tail);
  writer.BytesField(3, "");
  writer.BytesField(4, "");
  return tail;
}

std::unique_ptr<ResponseStream> SizeFrames::QuietWatch() const {
  return std::make_unique<Quiet>(ContentType(true));
}

}  // namespace kinformer::cli
