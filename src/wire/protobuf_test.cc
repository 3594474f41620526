// Protobuf fields and envelopes at the limits of their forms: every length of a varint, valid tags
// and lengths, and a comparison of the two ways to read a field.

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <string_view>

#include "wire/envelope.h"
#include "wire/protobuf_reader.h"
#include "wire/protobuf_writer.h"
#include "wire/testing/guarded_text.h"

namespace kinformer::wire {
namespace {

std::string Varint(std::uint64_t value) {
  std::string out;
  ProtobufWriter(out).Varint(value);
  return out;
}

TEST(Varint, EveryLengthIsReadAsItIsWritten) {
  testing::GuardedText guarded(64);
  for (unsigned bits = 0; bits <= 64; ++bits) {
    const std::uint64_t first = bits == 0 ? 0 : std::uint64_t{1} << (bits - 1);
    const std::uint64_t last = bits == 0 ? 0 : first | (first - 1);
    for (const std::uint64_t value : {first, last}) {
      const std::string bytes = Varint(value);
      ASSERT_EQ(bytes.size(), bits <= 7 ? 1 : (bits + 6) / 7);
      ASSERT_EQ(VarintSize(value), bytes.size());
      const std::string_view text = guarded.AtEnd(bytes);
      const char* const end = text.data() + text.size();
      std::uint64_t read = 1;
      ASSERT_EQ(ReadVarint(text.data(), end, read), end) << bits;
      ASSERT_EQ(read, value);
      std::uint64_t narrow = 1;
      ASSERT_EQ(ReadVarint32(text.data(), end, narrow), bits <= 32 ? end : nullptr) << bits;
      if (bits <= 32) {
        ASSERT_EQ(narrow, value);
      }
      for (std::size_t size = 0; size < bytes.size(); ++size) {
        const std::string_view cut = guarded.AtEnd(bytes.substr(0, size));
        ASSERT_EQ(ReadVarint(cut.data(), cut.data() + size, read), nullptr) << bits;
      }
    }
  }
}

TEST(Varint, OverlongVarint_IsReadUpToItsLimit) {
  for (std::size_t more = 1; more < 14; ++more) {
    const std::string bytes = "\x85" + std::string(more - 1, '\x80') + std::string(1, '\0');
    const char* const end = bytes.data() + bytes.size();
    std::uint64_t value = 1;
    EXPECT_EQ(ReadVarint(bytes.data(), end, value), more < 10 ? end : nullptr) << more;
    if (more < 10) {
      EXPECT_EQ(value, 5U);
    }
    EXPECT_EQ(ReadVarint32(bytes.data(), end, value), more < 5 ? end : nullptr) << more;
  }
  // Bits beyond the 64th are dropped.
  const std::string bytes = std::string(9, '\xff') + "\x7f";
  std::uint64_t value = 1;
  EXPECT_EQ(ReadVarint(bytes.data(), bytes.data() + 10, value), bytes.data() + 10);
  EXPECT_EQ(value, ~std::uint64_t{0});
}

TEST(ProtobufField, InvalidFieldNumbersAndTypes_AreRefused) {
  const auto reads = [](const std::string& bytes) {
    WireField field;
    return ReadField(bytes.data(), bytes.data() + bytes.size(), field) != nullptr ? field.number
                                                                                  : 0;
  };
  constexpr std::uint32_t kMost = (1U << 29U) - 1;
  EXPECT_EQ(reads(Varint(1U << 3U | 2U) + Varint(0)), 1U);
  EXPECT_EQ(reads(Varint(std::uint64_t{kMost} << 3U | 2U) + Varint(0)), kMost);
  EXPECT_EQ(reads(Varint((std::uint64_t{kMost} + 1) << 3U | 2U) + Varint(0)), 0U);
  EXPECT_EQ(reads(Varint(0U << 3U | 2U) + Varint(0)), 0U) << "no field has the number 0";
  for (const unsigned type : {3U, 4U, 6U, 7U}) {
    EXPECT_EQ(reads(Varint(5U << 3U | type) + std::string(16, '\0')), 0U) << type;
  }
  EXPECT_EQ(reads(Varint(5U << 3U | 1U) + std::string(8, '\0')), 5U);
  EXPECT_EQ(reads(Varint(5U << 3U | 1U) + std::string(7, '\0')), 0U);
  EXPECT_EQ(reads(Varint(5U << 3U | 5U) + std::string(4, '\0')), 5U);
  EXPECT_EQ(reads(Varint(5U << 3U | 5U) + std::string(3, '\0')), 0U);
}

TEST(ProtobufReader, ValuesOfAnotherTypeAreNothing) {
  std::string message;
  ProtobufWriter writer(message);
  writer.BytesField(1, "text");
  writer.DoubleField(2, 0.5);
  writer.BoolField(3, true);
  writer.BoolField(4, false);
  EXPECT_EQ(message, std::string("\x0a\x04text\x11\0\0\0\0\0\0\xe0\x3f\x18\x01\x20\0", 19));
  ProtobufReader reader(message);
  ASSERT_TRUE(reader.Next());
  EXPECT_EQ(reader.type(), WireType::kBytes);
  EXPECT_EQ(reader.bytes(), "text");
  EXPECT_EQ(reader.varint(), 0U);
  EXPECT_EQ(reader.fixed64_double(), 0.0);
  EXPECT_EQ(reader.whole(), "\x0a\x04text");
  EXPECT_EQ(reader.offset(), 0U);
  ASSERT_TRUE(reader.Next());
  EXPECT_EQ(reader.type(), WireType::kFixed64);
  EXPECT_EQ(reader.bytes(), "");
  EXPECT_EQ(reader.varint(), 0U);
  EXPECT_EQ(reader.fixed64_double(), 0.5);
  EXPECT_EQ(reader.offset(), 6U);
  ASSERT_TRUE(reader.Next());
  EXPECT_EQ(reader.varint(), 1U);
  EXPECT_EQ(reader.fixed64_double(), 0.0);
  ASSERT_TRUE(reader.Next());
  EXPECT_EQ(reader.varint(), 0U);
  EXPECT_EQ(reader.offset(), 17U);
  EXPECT_FALSE(reader.Next());
  EXPECT_TRUE(reader.ok());
}

TEST(ProtobufWriter, LengthsOfMessagesInMessages) {
  for (const std::size_t size : {0U, 1U, 127U, 128U, 16383U, 16384U, 2097152U}) {
    std::string nested = "before";
    ProtobufWriter writer(nested);
    writer.Nested(3, [&](ProtobufWriter& w) { w.BytesField(1, std::string(size, 'x')); });
    std::string content;
    ProtobufWriter(content).BytesField(1, std::string(size, 'x'));
    std::string whole = "before";
    ProtobufWriter(whole).BytesField(3, content);
    EXPECT_TRUE(nested == whole) << size;
  }
}

void ExpectSame(std::string_view text) {
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  WireField field;
  FieldBounds bounds;
  const char* const after = ReadField(begin, end, field);
  ASSERT_EQ(ReadBounds(begin, end, bounds), after != nullptr);
  if (after == nullptr) return;
  ASSERT_EQ(bounds.end, after);
  ASSERT_EQ(bounds.number, field.number);
  ASSERT_EQ(bounds.content, field.data);
  if (IsBytes(*begin)) {
    ASSERT_EQ(bounds.bytes(), field.bytes());
  } else {
    ASSERT_TRUE(bounds.bytes().empty());
  }
}

// One of the two readers has shortcuts for usual fields and reads ahead.
TEST(ProtobufField, BothWaysToReadOneAgree) {
  testing::GuardedText guarded(std::size_t{1} << 16U);
  std::mt19937 random(9);
  int good = 0;
  for (int round = 0; round < 100000; ++round) {
    std::string bytes;
    if (round % 2 == 0) {
      for (auto n = random() % 8; n > 0; --n) bytes += static_cast<char>(random() >> 8U);
    } else {
      // A field with a tag and a length of any size, and content of that length, or slightly longer
      // or shorter.
      const std::uint64_t number = random() >> (random() % 32);
      constexpr unsigned kTypes[] = {0, 1, 2, 2, 2, 5, 3};
      const unsigned type = kTypes[random() % 7];
      bytes = Varint(number << 3U | type);
      const std::uint64_t size = random() % 3 == 0 ? random() >> (random() % 32) : random() % 300;
      if (type == 0 || type == 2) bytes += Varint(size);
      bytes.append((type == 2 ? size % 40000 : 8) + random() % 3, 'c');
      if (random() % 4 == 0) bytes.resize(bytes.size() - std::min<std::size_t>(3, bytes.size()));
    }
    const std::string_view text = guarded.AtEnd(bytes);
    ExpectSame(text);
    ASSERT_FALSE(HasFailure()) << round;
    WireField field;
    if (ReadField(text.data(), text.data() + text.size(), field) != nullptr) ++good;
  }
  EXPECT_GT(good, 20000);
  // Sizes at which a length takes one more byte, complete and truncated.
  for (const std::size_t size : {0U, 1U, 2U, 126U, 127U, 128U, 129U, 16382U, 16383U, 16384U}) {
    for (const std::uint64_t number : {1U, 15U, 16U, 2047U, 2048U}) {
      std::string bytes = Varint(number << 3U | 2U) + Varint(size);
      bytes.append(size, 'c');
      ExpectSame(guarded.AtEnd(bytes));
      ExpectSame(guarded.AtEnd(bytes.substr(0, bytes.size() - 1)));
      ExpectSame(guarded.AtEnd(bytes + "more"));
      ASSERT_FALSE(HasFailure()) << size << ' ' << number;
    }
  }
}

TEST(Envelope, OpenEnvelope_ReadsItsFields) {
  const std::string sealed = SealEnvelope("apps/v1", "Deployment", "message");
  EXPECT_EQ(sealed, std::string("k8s\0\x0a\x15\x0a\x07"
                                "apps/v1\x12\x0a"
                                "Deployment\x12\x07message\x1a\0\x22\0",
                                40));
  const Envelope opened = OpenEnvelope(sealed).OrExit();
  EXPECT_EQ(opened.apiVersion, "apps/v1");
  EXPECT_EQ(opened.kind, "Deployment");
  EXPECT_EQ(opened.message, "message");
  EXPECT_EQ(opened.contentType, "");
  // Fields in another order, an unknown field, and the content's type.
  std::string fields(kEnvelopeMagic);
  ProtobufWriter writer(fields);
  writer.BytesField(4, "application/json");
  writer.VarintField(9, 1);
  writer.BytesField(2, "{}");
  writer.Nested(1, [](ProtobufWriter& meta) { meta.BytesField(2, "Kind"); });
  const Envelope other = OpenEnvelope(fields).OrExit();
  EXPECT_EQ(other.apiVersion, "");
  EXPECT_EQ(other.kind, "Kind");
  EXPECT_EQ(other.message, "{}");
  EXPECT_EQ(other.contentType, "application/json");
  EXPECT_EQ(OpenEnvelope(kEnvelopeMagic).OrExit().message, "");
}

TEST(Envelope, ErrorsSayWhere) {
  const auto error = [](std::string_view bytes) {
    const Result<Envelope> opened = OpenEnvelope(bytes);
    EXPECT_FALSE(opened.ok());
    return opened.ok() ? std::string() : opened.error().message();
  };
  const auto malformed = [](std::size_t byte) {
    return "protobuf object, byte " + std::to_string(byte) +
           ": malformed envelope (runtime.Unknown)";
  };
  const std::string magic(kEnvelopeMagic);
  EXPECT_EQ(error("k8s"),
            "protobuf object, byte 0: the magic \"k8s\\0\" is missing; is this another encoding?");
  EXPECT_EQ(error(magic + "\x12\x05x"), malformed(4));
  EXPECT_EQ(error(magic + "\x12\x01x\x22"), malformed(7));
  EXPECT_EQ(error(magic + "\x12\x01x\x0a\x02\x12\x05"), malformed(7)) << "the TypeMeta";
}

}  // namespace
}  // namespace kinformer::wire
