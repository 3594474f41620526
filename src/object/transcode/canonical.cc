#include "object/transcode/canonical.h"

#include <algorithm>

#include "wire/protobuf_writer.h"

namespace kinformer::internal {
namespace {

constexpr int kDeepestMerge = 100;

bool MayRepeat(const FieldDescriptor* field) {
  return field == nullptr || field->repeated || field->map;
}

}  // namespace

wire::WireType WireTypeOf(FieldKind kind) {
  switch (kind) {
    case FieldKind::kBool:
    case FieldKind::kInt32:
    case FieldKind::kInt64:
      return wire::WireType::kVarint;
    case FieldKind::kDouble:
      return wire::WireType::kFixed64;
    default:
      return wire::WireType::kBytes;
  }
}

Result<void> ScanFields(std::string_view message, std::vector<FieldSpan>& fields) {
  fields.clear();
  const char* const begin = message.data();
  const char* const end = begin + message.size();
  for (const char* at = begin; at < end;) {
    FieldSpan span;
    span.begin = static_cast<std::uint32_t>(at - begin);
    const char* next = wire::ReadField(at, end, span.field);
    if (next == nullptr) {
      return Error(Reason::kDecode, "malformed protobuf field at byte " +
                                        std::to_string(at - begin) + " of " +
                                        std::to_string(message.size()));
    }
    span.end = static_cast<std::uint32_t>(next - begin);
    fields.push_back(span);
    at = next;
  }
  return {};
}

bool IsCanonical(const MessageDescriptor& message, const std::vector<FieldSpan>& fields) {
  std::uint32_t previous = 0;
  for (const FieldSpan& span : fields) {
    if (span.field.number < previous) return false;
    if (span.field.number == previous && !MayRepeat(FindByNumber(message, previous))) return false;
    previous = span.field.number;
  }
  return true;
}

namespace {

// `merged_parts`: the bytes were joined from several parts of a message, so deeper messages may be
// in parts too.
Result<std::string> Order(const MessageDescriptor& message, std::string_view bytes, int levels,
                          bool merged_parts) {
  std::vector<FieldSpan> fields;
  if (Result<void> scanned = ScanFields(bytes, fields); !scanned) return std::move(scanned).error();
  // Sorts by number; fields with the same number keep their order.
  std::sort(fields.begin(), fields.end(), [](const FieldSpan& a, const FieldSpan& b) {
    if (a.field.number != b.field.number) return a.field.number < b.field.number;
    return a.begin < b.begin;
  });
  std::string out;
  out.reserve(bytes.size());
  for (std::size_t i = 0; i < fields.size();) {
    const std::uint32_t number = fields[i].field.number;
    std::size_t next = i + 1;
    while (next < fields.size() && fields[next].field.number == number) ++next;
    const FieldDescriptor* descriptor = FindByNumber(message, number);
    // Parts of a message that have another wire type are dropped.
    const bool nested =
        descriptor != nullptr && descriptor->message != nullptr && !MayRepeat(descriptor) &&
        std::any_of(fields.begin() + static_cast<std::ptrdiff_t>(i),
                    fields.begin() + static_cast<std::ptrdiff_t>(next), [](const FieldSpan& span) {
                      return span.field.type == wire::WireType::kBytes;
                    });
    if (nested) {
      std::string merged;
      const bool several = next - i > 1;
      const int below = several && !merged_parts ? kDeepestMerge : levels - 1;
      for (; i < next; ++i) {
        if (fields[i].field.type == wire::WireType::kBytes)
          merged.append(fields[i].field.data, fields[i].field.size);
      }
      if (below > 0) {
        Result<std::string> child =
            Order(*descriptor->message, merged, below, merged_parts || several);
        if (!child) return std::move(child).error().WithContext(descriptor->json_name);
        merged = std::move(*child);
      }
      wire::ProtobufWriter(out).BytesField(number, merged);
      continue;
    }
    if (!MayRepeat(descriptor)) i = next - 1;
    for (; i < next; ++i)
      out.append(bytes.substr(fields[i].begin, fields[i].end - fields[i].begin));
  }
  return out;
}

}  // namespace

Result<std::string> Canonicalize(const MessageDescriptor& message, std::string_view bytes,
                                 int levels) {
  return Order(message, bytes, levels, false);
}

}  // namespace kinformer::internal
