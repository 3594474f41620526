// Protobuf on the wire: the reader, and the envelope around objects.

#include <string>
#include <vector>

#include "fuzz/target.h"
#include "fuzz/targets.h"
#include "object/transcode/canonical.h"
#include "wire/envelope.h"
#include "wire/protobuf_reader.h"
#include "wire/protobuf_writer.h"

namespace kinformer::fuzz {

namespace {

struct Field {
  std::uint32_t number;
  wire::WireType type;
  std::uint64_t scalar;
  std::string bytes;
  bool operator==(const Field&) const = default;
};

// Returns the fields before the first malformed one. Their bytes must be consecutive, from the
// first field to the last.
std::vector<Field> Fields(std::string_view message, bool& ok) {
  std::vector<Field> fields;
  wire::ProtobufReader reader(message);
  std::size_t end = 0;
  while (reader.Next()) {
    Require(reader.offset() == end, "fields lie behind each other");
    end += reader.whole().size();
    Require(reader.field() >= 1 && reader.field() < 1U << 29U, "a field number is in range");
    fields.push_back({reader.field(), reader.type(), reader.value().scalar,
                      std::string(reader.value().bytes())});
  }
  ok = reader.ok();
  Require(!ok || end == message.size(), "a walk that ends well ends at the end");
  return fields;
}

void Write(const Field& field, std::string& out) {
  wire::ProtobufWriter writer(out);
  switch (field.type) {
    case wire::WireType::kVarint:
      writer.VarintField(field.number, field.scalar);
      return;
    case wire::WireType::kBytes:
      writer.BytesField(field.number, field.bytes);
      return;
    case wire::WireType::kFixed64:
    case wire::WireType::kFixed32: {
      writer.Tag(field.number, field.type);
      const int size = field.type == wire::WireType::kFixed64 ? 8 : 4;
      for (int i = 0; i < size; ++i) out += static_cast<char>((field.scalar >> (8 * i)) & 0xffU);
      return;
    }
  }
}

}  // namespace

void FuzzProtobufReader(std::string_view input) {
  bool ok = false;
  const std::vector<Field> fields = Fields(input, ok);

  std::vector<internal::FieldSpan> spans;
  Require(internal::ScanFields(input, spans).ok() == ok, "the scan finds the same faults");
  Require(!ok || spans.size() == fields.size(), "the scan finds the same fields");

  std::string written;
  for (const Field& field : fields) Write(field, written);
  bool again_ok = false;
  Require(Fields(written, again_ok) == fields && again_ok, "what is written reads back");
}

void FuzzEnvelope(std::string_view input) {
  const Result<wire::Envelope> opened = wire::OpenEnvelope(input);
  if (!opened) return;
  const std::string sealed = wire::SealEnvelope(opened->apiVersion, opened->kind, opened->message);
  const Result<wire::Envelope> again = wire::OpenEnvelope(sealed);
  Require(again.ok(), "what is sealed opens");
  RequireEqual(again->apiVersion, opened->apiVersion, "apiVersion");
  RequireEqual(again->kind, opened->kind, "kind");
  RequireEqual(again->message, opened->message, "message");
}

}  // namespace kinformer::fuzz
