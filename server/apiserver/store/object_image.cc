#include "apiserver/store/object_image.h"

#include <array>
#include <cstddef>
#include <limits>
#include <memory>

namespace kinformer::apiserver {
namespace {

constexpr std::uint64_t kTombstone = 1;
constexpr std::uint64_t kTerminating = 2;
constexpr std::uint64_t kOwned = 4;

}  // namespace

void AppendNumber(std::uint64_t number, std::string& out) {
  std::array<char, sizeof number> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<char>(number >> (8 * i) & 0xff);
  }
  out.append(bytes.data(), bytes.size());
}

void AppendLengthAndText(std::string_view text, std::string& out) {
  AppendNumber(text.size(), out);
  out.append(text);
}

std::uint64_t PartReader::Number() {
  constexpr std::size_t kSize = sizeof(std::uint64_t);
  if (!ok_ || rest_.size() < kSize) {
    ok_ = false;
    return 0;
  }
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < kSize; ++i) {
    number |= std::uint64_t{static_cast<unsigned char>(rest_[i])} << (8 * i);
  }
  rest_.remove_prefix(kSize);
  return number;
}

std::string_view PartReader::Text() {
  const std::uint64_t size = Number();
  if (!ok_ || size > rest_.size()) {
    ok_ = false;
    return {};
  }
  const std::string_view text = rest_.substr(0, static_cast<std::size_t>(size));
  rest_.remove_prefix(text.size());
  return text;
}

void ObjectImage::Append(const StoredObject& stored, std::string& out) {
  AppendNumber((stored.tombstone_ ? kTombstone : 0) | (stored.terminating_ ? kTerminating : 0) |
                   (stored.owned_ ? kOwned : 0),
               out);
  AppendNumber(static_cast<std::uint64_t>(stored.resource_version_), out);
  AppendNumber(stored.form_, out);
  AppendNumber(stored.namespace_size_, out);
  AppendNumber(stored.uid_offset_, out);
  AppendNumber(stored.uid_size_, out);
  AppendLengthAndText(stored.key_, out);
  // Labels and fields are kept as one text each, with lengths in the order of this machine's bytes,
  // which is that of all supported machines.
  AppendLengthAndText(stored.labels_, out);
  AppendLengthAndText(stored.fields_, out);
  AppendLengthAndText(stored.body_, out);
}

StoredObjectPtr ObjectImage::Take(std::string_view& rest) {
  PartReader parts(rest);
  auto stored = std::make_shared<StoredObject>();
  const std::uint64_t flags = parts.Number();
  const std::uint64_t version = parts.Number();
  const std::uint64_t form = parts.Number();
  const std::uint64_t namespace_size = parts.Number();
  const std::uint64_t uid_offset = parts.Number();
  const std::uint64_t uid_size = parts.Number();
  stored->key_ = parts.Text();
  stored->labels_ = parts.Text();
  stored->fields_ = parts.Text();
  stored->body_ = parts.Text();
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  if (!parts.ok() || flags > (kTombstone | kTerminating | kOwned) || form > kMost ||
      stored->key_.empty() || namespace_size >= stored->key_.size() || uid_size > kMost ||
      uid_offset > stored->body_.size() || uid_size > stored->body_.size() - uid_offset ||
      version > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    return nullptr;
  }
  stored->tombstone_ = (flags & kTombstone) != 0;
  stored->terminating_ = (flags & kTerminating) != 0;
  stored->owned_ = (flags & kOwned) != 0;
  stored->resource_version_ = static_cast<std::int64_t>(version);
  stored->form_ = static_cast<std::uint32_t>(form);
  stored->namespace_size_ = static_cast<std::uint32_t>(namespace_size);
  stored->uid_offset_ = static_cast<std::uint32_t>(uid_offset);
  stored->uid_size_ = static_cast<std::uint32_t>(uid_size);
  rest = parts.rest();
  return stored;
}

}  // namespace kinformer::apiserver
