#include "apiserver/request/object_encoder.h"

#include <utility>

#include "kinformer/internal/registry.h"
#include "kinformer/json/json.h"
#include "kinformer/json/yaml.h"

#include "apiserver/errors/protobuf_envelope.h"
#include "apiserver/errors/status.h"
#include "apiserver/registry/conversion.h"
#include "apiserver/registry/table_convertor.h"
#include "object/transcode/transcode.h"
#include "object/transcode/value_to_protobuf.h"

namespace kinformer::apiserver {
namespace {

constexpr std::string_view kInitialEventsEnd =
    R"("annotations":{"k8s.io/initial-events-end":"true"})";
constexpr std::string_view kMetaGroup = "meta.k8s.io/";

std::string_view TypeName(EventType type) {
  switch (type) {
    case EventType::kAdded:
      return "ADDED";
    case EventType::kModified:
      return "MODIFIED";
    case EventType::kDeleted:
      break;
  }
  return "DELETED";
}

const internal::MessageDescriptor* PartialMetadataMessage() {
  static const KindInfo* const type = [] {
    const KindInfo* found = internal::FindType("meta.k8s.io", "v1", "PartialObjectMetadata");
    return found != nullptr ? found : internal::FindType("meta", "v1", "PartialObjectMetadata");
  }();
  return type == nullptr ? nullptr : type->message;
}

std::string ListMetaJson(const ListHead& head) {
  std::string out = "{\"resourceVersion\":" + JsonString(head.resource_version);
  if (!head.continue_.empty()) out += ",\"continue\":" + JsonString(head.continue_);
  if (head.remaining > 0) out += ",\"remainingItemCount\":" + std::to_string(head.remaining);
  if (!head.shard_info.empty()) {
    out += ",\"shardInfo\":{\"selector\":" + JsonString(head.shard_info) + '}';
  }
  return out + "}";
}

}  // namespace

std::string_view MetadataText(std::string_view body) {
  const std::size_t start = body.find('{');
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = start; i < body.size(); ++i) {
    const char c = body[i];
    if (quoted) {
      if (c == '\\') ++i;
      if (c == '"') quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '{') {
      ++depth;
    } else if (c == '}' && --depth == 0) {
      return body.substr(start, i - start + 1);
    }
  }
  return "{}";
}

std::string Render(const OutputFormat& format, std::string json) {
  if (format.media == MediaType::kJson && !format.pretty) {
    json += '\n';
    return json;
  }
  const Result<json::Value> value = json::Parse(json);
  if (!value) return json;
  return format.media == MediaType::kYaml ? yaml::Dump(*value) : value->DumpPretty();
}

std::string ObjectEncoder::ListApiVersion() const {
  if (format_.form == Form::kObject) return at_.version->api_version;
  return std::string(kMetaGroup) + format_.form_version;
}

std::string ObjectEncoder::ListKind() const {
  return format_.form == Form::kPartialMetadata ? "PartialObjectMetadataList"
                                                : at_.resource->list_kind;
}

const StoredObject& ObjectEncoder::Shown(const StoredObjectPtr& stored,
                                         StoredObjectPtr& holder) const {
  if (at_.version->conversion == nullptr) return *stored;
  holder = StoredIn(at_, stored);
  return *holder;
}

std::string ObjectEncoder::ObjectJson(const StoredObjectPtr& stored, bool first) const {
  std::string out;
  StoredObjectPtr holder;
  switch (format_.form) {
    case Form::kObject: {
      const std::string& body = Shown(stored, holder).body();
      out.reserve(at_.version->head.size() + body.size() + 1);  // leaves room for a line end
      return out.append(at_.version->head).append(body);
    }
    case Form::kPartialMetadata:
      out = R"({"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/)" + format_.form_version +
            R"(","metadata":)";
      out += MetadataText(stored->body());
      return out + "}";
    case Form::kTable:
      break;
  }
  AppendRow(stored, out);
  return TableJson(
      out, R"({"resourceVersion":")" + std::to_string(stored->resource_version()) + "\"}", first);
}

std::string ObjectEncoder::TableJson(std::string_view rows, std::string_view metadata,
                                     bool columns) const {
  std::string out =
      R"({"kind":"Table","apiVersion":"meta.k8s.io/)" + format_.form_version + R"(","metadata":)";
  out += metadata;
  out += ",\"columnDefinitions\":";
  out += columns ? ColumnDefinitionsJson(at_) : "null";
  out += ",\"rows\":[";
  out += rows;
  return out + "]}";
}

void ObjectEncoder::AppendRow(const StoredObjectPtr& stored, std::string& out) const {
  out += "{\"cells\":";
  TableCells(at_, stored->Parse(), now_).AppendTo(out);
  StoredObjectPtr holder;
  if (format_.include == IncludeObject::kObject) {
    out += ",\"object\":" + at_.version->head + Shown(stored, holder).body();
  } else if (format_.include == IncludeObject::kMetadata) {
    out += R"(,"object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/)" +
           format_.form_version + R"(","metadata":)";
    out += MetadataText(stored->body());
    out += '}';
  } else {
    out += ",\"object\":null";
  }
  out += '}';
}

std::string_view ObjectEncoder::Message(const StoredObjectPtr& stored, std::string& scratch,
                                        const json::Value& document) const {
  if (format_.form == Form::kPartialMetadata) {
    const internal::MessageDescriptor* message = PartialMetadataMessage();
    if (message == nullptr) return {};
    std::string json = "{\"metadata\":";
    json += MetadataText(stored->body());
    json += '}';
    scratch = internal::JsonToProtobuf(*message, json).value_or(std::string());
    return scratch;
  }
  if (at_.version->conversion != nullptr) {
    // The cached message is in the stored form, so it cannot be used.
    StoredObjectPtr holder;
    scratch = internal::JsonToProtobuf(*at_.version->message, "{" + Shown(stored, holder).body())
                  .value_or(std::string());
    return scratch;
  }
  if (const std::string* kept = stored->protobuf()) return *kept;
  const internal::MessageDescriptor& message = *at_.version->message;
  scratch = (document.is_object() ? internal::ValueToProtobuf(message, document)
                                  : internal::JsonToProtobuf(message, "{" + stored->body()))
                .value_or(std::string());
  stored->NoteProtobufSize(scratch.size());
  if (stored->copied() || !at_.resource->store->MayKeep(scratch.size())) return scratch;
  stored->KeepProtobuf(scratch);
  return *stored->protobuf();
}

std::size_t ObjectEncoder::ListItemSize(const StoredObjectPtr& stored) const {
  if (format_.form == Form::kObject && at_.version->conversion == nullptr) {
    if (const auto size = stored->protobuf_size()) return *size;
  }
  std::string scratch;
  return Message(stored, scratch).size();
}

std::string ObjectEncoder::Object(const StoredObjectPtr& stored,
                                  const json::Value& document) const {
  if (format_.media != MediaType::kProtobuf) return Render(format_, ObjectJson(stored, true));
  std::string scratch;
  const std::string_view message = Message(stored, scratch, document);
  if (format_.form == Form::kPartialMetadata) {
    return Envelope(ListApiVersion(), "PartialObjectMetadata", message);
  }
  return Envelope(at_.version->api_version, at_.version->kind, message);
}

void ObjectEncoder::AppendListHead(const ListHead& head, std::string& out) const {
  if (format_.form == Form::kTable) {
    const std::string table = TableJson({}, ListMetaJson(head), true);
    out += table.substr(0, table.size() - 2);  // AppendListTail writes its tail
    return;
  }
  out += "{\"kind\":" + JsonString(ListKind()) + ",\"apiVersion\":" + JsonString(ListApiVersion()) +
         ",\"metadata\":" + ListMetaJson(head) + ",\"items\":[";
}

void ObjectEncoder::AppendListItem(const StoredObjectPtr& stored, bool first,
                                   std::string& out) const {
  if (!first) out += ',';
  if (format_.form == Form::kTable) {
    AppendRow(stored, out);
  } else if (format_.form == Form::kObject && !at_.resource->custom) {
    // Items of built-in lists carry neither kind nor apiVersion.
    StoredObjectPtr holder;
    out += '{';
    out += Shown(stored, holder).body();
  } else {
    out += ObjectJson(stored, false);
  }
}

void ObjectEncoder::AppendListTail(std::string& out) { out += "]}"; }

std::string ObjectEncoder::ListMetaField(const ListHead& head) {
  std::string meta;
  AppendBytesField(1, "", meta);
  AppendBytesField(2, head.resource_version, meta);
  AppendBytesField(3, head.continue_, meta);
  if (head.remaining > 0) AppendVarintField(4, static_cast<std::uint64_t>(head.remaining), meta);
  if (!head.shard_info.empty()) {
    std::string info;
    AppendBytesField(1, head.shard_info, info);
    AppendBytesField(5, info, meta);
  }
  std::string out;
  AppendBytesField(1, meta, out);
  return out;
}

std::string_view ObjectEncoder::ListItemMessage(const StoredObjectPtr& stored,
                                                std::string& scratch) const {
  return Message(stored, scratch);
}

std::string ObjectEncoder::WrapFrame(std::string_view type, std::string_view object_json,
                                     std::string_view message, std::string_view api_version,
                                     std::string_view kind) const {
  std::string out;
  if (format_.media != MediaType::kProtobuf) {
    out = "{\"type\":\"";
    out += type;
    out += "\",\"object\":";
    out += object_json;
    return out + "}\n";
  }
  const std::string header = EnvelopeHeader(api_version, kind, message.size());
  std::string extension;
  AppendBytesHeader(1, header.size() + message.size() + kEnvelopeTrailer.size(), extension);
  extension.append(header).append(message).append(kEnvelopeTrailer);
  std::string event;
  AppendBytesField(1, type, event);
  AppendBytesField(2, extension, event);
  const auto size = static_cast<std::uint32_t>(event.size());
  for (const unsigned shift : {24U, 16U, 8U, 0U})
    out.push_back(static_cast<char>((size >> shift) & 0xff));
  return out + event;
}

std::string ObjectEncoder::Frame(EventType type, const StoredObjectPtr& stored, bool first) const {
  if (format_.media != MediaType::kProtobuf) {
    return WrapFrame(TypeName(type), ObjectJson(stored, first), {}, {}, {});
  }
  std::string scratch;
  const std::string_view message = Message(stored, scratch);
  if (format_.form == Form::kPartialMetadata) {
    return WrapFrame(TypeName(type), {}, message, ListApiVersion(), "PartialObjectMetadata");
  }
  return WrapFrame(TypeName(type), {}, message, at_.version->api_version, at_.version->kind);
}

std::string ObjectEncoder::Bookmark(std::int64_t resource_version,
                                    bool end_of_initial_events) const {
  std::string metadata = R"({"resourceVersion":")" + std::to_string(resource_version) + "\"";
  if (end_of_initial_events) metadata.append(",").append(kInitialEventsEnd);
  metadata += '}';
  const bool partial = format_.form == Form::kPartialMetadata;
  const std::string api_version = format_.form == Form::kObject
                                      ? at_.version->api_version
                                      : std::string(kMetaGroup) + format_.form_version;
  const std::string kind = partial ? "PartialObjectMetadata" : at_.version->kind;
  if (format_.media == MediaType::kProtobuf) {
    const internal::MessageDescriptor* message =
        partial ? PartialMetadataMessage() : at_.version->message;
    std::string bytes;
    if (message != nullptr) {
      bytes = internal::JsonToProtobuf(*message, "{\"metadata\":" + metadata + "}")
                  .value_or(std::string());
    }
    return WrapFrame("BOOKMARK", {}, bytes, api_version, kind);
  }
  if (format_.form == Form::kTable) {
    const std::string row =
        R"({"cells":[],"object":{"kind":"PartialObjectMetadata","apiVersion":")" + api_version +
        R"(","metadata":)" + metadata + "}}";
    return WrapFrame(
        "BOOKMARK",
        TableJson(row, R"({"resourceVersion":")" + std::to_string(resource_version) + "\"}", false),
        {}, {}, {});
  }
  return WrapFrame("BOOKMARK",
                   "{\"kind\":" + JsonString(kind) + ",\"apiVersion\":" + JsonString(api_version) +
                       ",\"metadata\":" + metadata + "}",
                   {}, {}, {});
}

std::string ObjectEncoder::ErrorFrame(const Error& error) const {
  return WrapFrame("ERROR", StatusJson(error), StatusProtobuf(error), "v1", "Status");
}

std::string ObjectEncoder::FrameKey(EventType type, bool first) const {
  std::string key = at_.version->api_version;
  key += static_cast<char>('a' + static_cast<int>(type));
  key += static_cast<char>('a' + static_cast<int>(format_.media));
  key += static_cast<char>('a' + static_cast<int>(format_.form));
  key += static_cast<char>('a' + static_cast<int>(format_.include));
  key += first && format_.form == Form::kTable ? '1' : '0';
  return key + format_.form_version;
}

}  // namespace kinformer::apiserver
