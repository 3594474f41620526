#include "object/entry/metadata_template.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <functional>
#include <optional>
#include <system_error>

#include "wire/protobuf_writer.h"

namespace kinformer::internal {
namespace {

// Bytes compared and copied at once.
constexpr std::size_t kChunk = 32;
// Most of the differing texts are not longer.
constexpr std::size_t kMostAtOnce = 64;
static_assert(kChunk <= kMostAtOnce && kMostAtOnce <= MetadataMessage::kBehind);

constexpr std::size_t kMostKept = std::size_t{1} << 20;

// Size of seconds as a varint, for all usual years.
constexpr std::size_t kSecondsSize = 5;

using Vector [[gnu::vector_size(16)]] = unsigned char;

Vector Load(const void* from) noexcept {
  Vector bytes;
  std::memcpy(&bytes, from, sizeof(bytes));
  return bytes;
}

// REQUIRES: kChunk bytes behind both may be read.
bool Same(const char* a, const char* b, std::size_t size) noexcept {
  static constexpr auto kMasks = [] {
    std::array<unsigned char, 2 * kChunk> masks{};
    for (std::size_t i = 0; i < kChunk; ++i) masks[i] = 0xff;
    return masks;
  }();
  constexpr std::size_t kHalf = kChunk / 2;
  Vector low{};
  Vector high{};
  for (; size >= kChunk; size -= kChunk, a += kChunk, b += kChunk) {
    low |= Load(a) ^ Load(b);
    high |= Load(a + kHalf) ^ Load(b + kHalf);
  }
  const unsigned char* const mask = &kMasks[kChunk - size];
  low |= (Load(a) ^ Load(b)) & Load(mask);
  high |= (Load(a + kHalf) ^ Load(b + kHalf)) & Load(mask + kHalf);
  const Vector all = low | high;
  std::uint64_t words[2];
  std::memcpy(words, &all, sizeof(words));
  return (words[0] | words[1]) == 0;
}

// REQUIRES: kChunk bytes behind both are there.
char* CopyInChunks(char* to, const char* from, std::size_t size) noexcept {
  for (std::size_t done = 0; done < size; done += kChunk) {
    std::memcpy(to + done, from + done, kChunk);
  }
  return to + size;
}

std::size_t LengthSize(std::size_t length) { return length < 0x80 ? 1 : wire::VarintSize(length); }

char* PutLength(char* to, std::size_t length) {
  if (length < 0x80) [[likely]] {
    *to = static_cast<char>(length);
    return to + 1;
  }
  return wire::WriteVarint(to, length);
}

}  // namespace

void MetadataTemplate::Learn(const JsonMetadata& metadata, const MessageLayout& layout,
                             std::string_view message) {
  json_.assign(metadata.json).append(kChunk, '\0');
  json_size_ = metadata.json.size();
  message_.assign(message).append(kChunk, '\0');
  message_size_ = message.size();
  nested_ = layout.nested;
  slots_.clear();
  by_json_.clear();
  const char* const begin = metadata.json.data();
  const std::less_equal<const char*> before;
  for (const MessageSlot& slot : layout.slots) {
    std::string_view text = slot.json;
    for (const auto& [raw, unescaped] : metadata.escaped) {
      if (unescaped.data() == text.data()) text = raw;
    }
    const bool there = text.data() != nullptr && before(begin, text.data()) &&
                       before(text.data() + text.size(), begin + json_size_);
    const bool of_any_size = slot.kind != MessageSlot::Kind::kTime || slot.size == kSecondsSize;
    if (there && of_any_size) {
      by_json_.push_back(slots_.size());
      const auto at = static_cast<std::size_t>(text.data() - begin);
      const bool is_key = slot.key < 4;
      slots_.push_back({slot.kind, slot.key, is_key || slot.kind == MessageSlot::Kind::kDropped, at,
                        text.size(), slot.at, slot.size});
    } else if (slot.key < 4) {
      Slot& empty = slots_.emplace_back();
      empty.kind = MessageSlot::Kind::kKey;
      empty.key = slot.key;
      empty.differs = true;
      empty.at = slot.at;
      empty.size = slot.size;
    }
  }
  std::sort(by_json_.begin(), by_json_.end(),
            [this](std::size_t a, std::size_t b) { return slots_[a].json_at < slots_[b].json_at; });
  Compile();
}

void MetadataTemplate::Compile() {
  std::vector<std::size_t> places(slots_.size(), kNone);
  std::size_t count = 0;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i].differs && slots_[i].kind != MessageSlot::Kind::kKey) places[i] = count++;
  }
  found_.assign(count, {nullptr, 0, 1, 0});
  steps_.clear();
  std::size_t at = 0;
  for (const std::size_t i : by_json_) {
    const Slot& slot = slots_[i];
    if (!slot.differs) continue;
    steps_.push_back({at, slot.json_at - at, places[i], slot.kind});
    at = slot.json_at + slot.json_size;
  }
  steps_.push_back({at, json_size_ - at, kNone, MessageSlot::Kind::kKey});
  CompileParts();
}

void MetadataTemplate::CompileParts() {
  parts_.clear();
  std::size_t at = 0;
  std::size_t place = 0;
  const auto add = [&](Part::Kind kind, std::size_t up_to) -> Part& {
    Part& part = parts_.emplace_back();
    part = {at, up_to - at, kind, 4, MessageSlot::Kind::kText, place, place, 0};
    at = up_to;
    return part;
  };
  auto nested = nested_.begin();
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const Slot& slot = slots_[i];
    if (!slot.differs) continue;
    while (nested != nested_.end() && nested->body_at + nested->size <= slot.at) ++nested;
    if (nested != nested_.end() && nested->body_at <= slot.at) {
      Part& part = add(Part::Kind::kLength, nested->length_at);
      at = nested->body_at;
      part.fixed = nested->size;
      const std::size_t end = nested->body_at + nested->size;
      for (std::size_t k = i; k < slots_.size() && slots_[k].at < end; ++k) {
        if (!slots_[k].differs) continue;
        part.fixed -= slots_[k].size;
        ++part.behind;
      }
      ++nested;
    }
    if (slot.kind == MessageSlot::Kind::kKey) {
      // Empty: the length is everything.
      Part& part = add(Part::Kind::kKey, slot.at + slot.size);
      part.key = slot.key;
      continue;
    }
    Part& part = add(Part::Kind::kSlot, slot.at);
    part.slot = slot.kind;
    part.key = slot.key;
    at = slot.at + slot.size;
    ++place;
  }
  add(Part::Kind::kEnd, message_size_);
}

bool MetadataTemplate::Differs(std::size_t json_at) {
  for (const std::size_t i : by_json_) {
    Slot& slot = slots_[i];
    if (slot.json_at > json_at || json_at > slot.json_at + slot.json_size) continue;
    if (slot.differs) return false;
    slot.differs = true;
    Compile();
    return true;
  }
  return false;
}

// Assumes that a string ends where it ended in the object before, so that the CPU can read on
// without waiting. `found` is the string in that object.
inline const char* MetadataTemplate::FindText(const char* at, const char* end,
                                              const wire::JsonBitmap& bitmap, Found& found) {
  bool plain = true;
  const char* const quote = at == end ? nullptr : bitmap.NextQuote(at, plain);
  if (quote == nullptr || quote >= end) return nullptr;
  found.data = at;
  const auto size = static_cast<std::size_t>(quote - at);
  if (plain && size == found.size) [[likely]] {
    std::size_t guess = found.size;
    // Prevents the compiler from using the computed size instead of the guess.
    asm("" : "+r"(guess));
    found.written = LengthSize(guess) + guess;
    return at + guess;
  }
  found.size = size;
  if (!plain) {
    // A text is never longer than its escaped form, so the buffer is not reallocated.
    if (unescaped_.empty()) unescaped_.reserve(static_cast<std::size_t>(end - at));
    const std::size_t from = unescaped_.size();
    if (!AppendUnescaped({at, found.size}, unescaped_)) return nullptr;
    found.data = unescaped_.data() + from;
    found.size = unescaped_.size() - from;
  }
  found.written = LengthSize(found.size) + found.size;
  return quote;
}

const char* MetadataTemplate::FindOther(MessageSlot::Kind kind, const char* at, const char* end,
                                        const wire::JsonBitmap& bitmap, TimePrediction& time,
                                        Found& found) {
  if (kind == MessageSlot::Kind::kTime) {
    const char* const quote = FindText(at, end, bitmap, found);
    if (quote == nullptr) return nullptr;
    const std::optional<TimeStamp> value = time({found.data, found.size});
    if (!value) return nullptr;
    found.value = static_cast<std::uint64_t>(value->seconds);
    found.written = wire::VarintSize(found.value);
    return found.written == kSecondsSize ? quote : nullptr;
  }
  found.data = at;
  if (kind == MessageSlot::Kind::kNumber) {
    std::int64_t value = 0;
    const auto [after, error] = std::from_chars(at, end, value);
    if (error != std::errc()) return nullptr;
    if (!IsPlainInteger({at, static_cast<std::size_t>(after - at)})) return nullptr;
    found.value = static_cast<std::uint64_t>(value);
    found.written = wire::VarintSize(found.value);
    return after;
  }
  const char open = kind == MessageSlot::Kind::kFields ? '{' : '[';
  if (at == end || *at != open) return nullptr;
  const char* const after = bitmap.SkipValue(at, end);
  if (after == nullptr) return nullptr;
  found.size = static_cast<std::size_t>(after - at);
  const std::size_t field = 1 + LengthSize(found.size) + found.size;
  found.value = field;
  found.written = kind == MessageSlot::Kind::kFields ? LengthSize(field) + field : 0;
  return after;
}

const char* MetadataTemplate::Match(const char* at, const char* end, const wire::JsonBitmap& bitmap,
                                    TimePrediction& time, std::size_t& wrong) {
  wrong = kNone;
  const char* const readable = bitmap.text().data() + bitmap.text().size();
  unescaped_.clear();
  // Frees the memory after an unusually large object.
  if (unescaped_.capacity() > kMostKept) unescaped_.shrink_to_fit();
  for (const Step& step : steps_) {
    if (static_cast<std::size_t>(end - at) < step.size) return nullptr;
    const char* const expected = json_.data() + step.at;
    const bool roomy = static_cast<std::size_t>(readable - at) >= step.size + kChunk;
    if (roomy ? !Same(at, expected, step.size) : std::memcmp(at, expected, step.size) != 0) {
      wrong = step.at + static_cast<std::size_t>(
                            std::mismatch(expected, expected + step.size, at).first - expected);
      return nullptr;
    }
    at += step.size;
    if (step.place == kNone) return at;
    Found& found = found_[step.place];
    at = step.kind == MessageSlot::Kind::kText ? FindText(at, end, bitmap, found)
                                               : FindOther(step.kind, at, end, bitmap, time, found);
    if (at == nullptr) return nullptr;
  }
  return nullptr;
}

const char* MetadataTemplate::Read(const char* at, const char* end, const wire::JsonBitmap& bitmap,
                                   TimePrediction& time, MetadataMessage& message,
                                   MetadataKeys& keys) {
  for (;;) {
    std::size_t wrong = kNone;
    const char* const after = Match(at, end, bitmap, time, wrong);
    if (after != nullptr) return Write(bitmap.text(), message, keys) ? after : nullptr;
    if (wrong == kNone || !Differs(wrong)) return nullptr;
  }
}

bool MetadataTemplate::Write(std::string_view around, MetadataMessage& message,
                             MetadataKeys& keys) const {
  // A length has at most ten bytes, and each length is a part.
  std::size_t most = message_size_ + 10 * parts_.size();
  for (const Found& found : found_) most += found.written;
  char* const begin = message.Room(most);
  char* to = begin;
  bool short_enough = true;
  const auto note = [&](std::uint8_t key, std::size_t size) {
    const auto at = static_cast<std::size_t>(to - begin);
    short_enough = short_enough && size <= kLongestKey && at <= std::size_t{kLastKeyStart};
    keys.at[key] = static_cast<std::uint16_t>(at);
    keys.size[key] = static_cast<std::uint8_t>(size);
  };
  const auto put = [&](const Found& found) {
    const auto place = reinterpret_cast<std::uintptr_t>(found.data) -
                       reinterpret_cast<std::uintptr_t>(around.data());
    // Copies a short text as a whole chunk; the next write overwrites the excess bytes.
    if (found.size <= kMostAtOnce && place + kMostAtOnce <= around.size()) [[likely]] {
      std::memcpy(to, found.data, kMostAtOnce);
    } else if (found.size > 0) {
      std::memcpy(to, found.data, found.size);
    }
    to += found.size;
  };
  for (const Part& part : parts_) {
    to = CopyInChunks(to, message_.data() + part.at, part.size);
    switch (part.kind) {
      case Part::Kind::kLength: {
        std::size_t size = part.fixed;
        for (std::size_t i = part.place; i < part.behind; ++i) size += found_[i].written;
        to = PutLength(to, size);
        break;
      }
      case Part::Kind::kKey:
        note(part.key, 0);
        break;
      case Part::Kind::kEnd:
        break;
      case Part::Kind::kSlot: {
        const Found& found = found_[part.place];
        switch (part.slot) {
          case MessageSlot::Kind::kText:
            to = PutLength(to, found.size);
            if (part.key < 4) note(part.key, found.size);
            put(found);
            break;
          case MessageSlot::Kind::kFields:
            to = PutLength(to, static_cast<std::size_t>(found.value));
            *to++ = 1 << 3 | static_cast<char>(wire::WireType::kBytes);
            to = PutLength(to, found.size);
            put(found);
            break;
          case MessageSlot::Kind::kDropped:
          case MessageSlot::Kind::kKey:
            break;
          default:
            to = wire::WriteVarint(to, found.value);
        }
        break;
      }
    }
  }
  message.SetSize(static_cast<std::size_t>(to - begin));
  return short_enough;
}

const char* MetadataTemplates::Read(const char* at, const char* end, const wire::JsonBitmap& bitmap,
                                    bool drop_managed_fields, TimePrediction& time,
                                    MetadataMessage& message, MetadataKeys& keys) {
  credit_ = std::min(credit_ + 1, kMostCredit);
  if (misses_ >= kGiveUp) {
    ++misses_;
    if (misses_ % kTryAgain != 0) return nullptr;
  }
  for (std::size_t i = 0; i < count_; ++i) {
    const std::size_t which = (latest_ + i) % count_;
    if (known_[which].drop_managed_fields != drop_managed_fields) continue;
    if (const char* const after = known_[which].read.Read(at, end, bitmap, time, message, keys)) {
      latest_ = which;
      misses_ = 0;
      return after;
    }
  }
  ++misses_;
  return nullptr;
}

void MetadataTemplates::Learn(const JsonMetadata& metadata, const MessageLayout& layout,
                              std::string_view message, bool drop_managed_fields) {
  credit_ -= kLearning;
  if (count_ < kTemplates) {
    latest_ = count_++;
  } else {
    latest_ = oldest_;
    oldest_ = (oldest_ + 1) % kTemplates;
  }
  known_[latest_].read.Learn(metadata, layout, message);
  known_[latest_].drop_managed_fields = drop_managed_fields;
}

}  // namespace kinformer::internal
