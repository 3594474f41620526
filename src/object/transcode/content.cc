// Operations on a whole object of any kind: compare, hash, name and print it.

#include <functional>
#include <ostream>
#include <string_view>

#include "kinformer/internal/block.h"
#include "kinformer/internal/view.h"
#include "kinformer/json/json_view.h"

#include "object/transcode/block_text.h"
#include "object/transcode/transcode.h"
#include "object/values/object_key.h"

namespace kinformer::internal {
namespace {

std::size_t Mix(std::size_t a, std::size_t b) {
  return (a ^ (b + 0x9e3779b97f4a7c15ULL + (a << 6) + (a >> 2))) * 0xff51afd7ed558ccdULL;
}

std::size_t HashText(std::string_view text) { return std::hash<std::string_view>()(text); }

json::View RootOf(const Block& block) { return {block.payload().data(), &block}; }

// The hash ignores the order of members and takes numbers by value, as json::Value compares.
std::size_t HashJson(const json::View& value) {
  auto hash = static_cast<std::size_t>(value.type());
  switch (value.type()) {
    case json::Type::kNull:
      return hash;
    case json::Type::kBool:
      return Mix(hash, *value.AsBool() ? 1 : 0);
    case json::Type::kNumber:
      return Mix(hash, std::hash<double>()(value.AsDouble().value_or(0)));
    case json::Type::kString:
      return Mix(hash, HashText(value.StringOrEmpty()));
    case json::Type::kArray:
      for (const json::View item : value.items()) hash = Mix(hash, HashJson(item));
      return hash;
    case json::Type::kObject:
      for (const auto& [name, member] : value.members()) {
        hash += Mix(HashText(name), HashJson(member));
      }
      return hash;
  }
  return hash;
}

}  // namespace

bool SameContent(const Block* a, const Block* b) {
  if (a == b) return true;
  if (a == nullptr || b == nullptr || &a->type() != &b->type()) return false;
  if (a->metadata_bytes() != b->metadata_bytes()) return false;
  if (a->payload() == b->payload()) return true;
  return a->encoding() == Encoding::kJson && RootOf(*a).ToValue() == RootOf(*b).ToValue();
}

std::size_t HashContent(const Block* block) {
  if (block == nullptr) return 0;
  const std::size_t hash = Mix(HashText(block->metadata_bytes()), HashText(block->type().kind));
  return Mix(hash, block->encoding() == Encoding::kJson ? HashJson(RootOf(*block))
                                                        : HashText(block->payload()));
}

std::ostream& PrintName(std::ostream& out, const Block* block) {
  if (block == nullptr) return out << "(none)";
  return out << block->type().kind << ' ' << ObjectKey(block->namespace_(), block->name());
}

std::string MessageToJson(const MessageView& message, const MessageDescriptor& descriptor) {
  std::string out;
  if (!ProtobufToJson(descriptor, message.bytes(), out)) CountMalformedRead();
  return out;
}

std::ostream& PrintMessage(std::ostream& out, const MessageView& message,
                           const MessageDescriptor& descriptor) {
  return out << MessageToJson(message, descriptor);
}

std::string RootView::ToJson() const {
  return block_ != nullptr ? BlockToJson(*block_) : std::string();
}

std::string RootView::ToYaml() const { return ContentToYaml(block_); }

}  // namespace kinformer::internal
