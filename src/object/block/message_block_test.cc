// Blocks of messages of all shapes: the index finds the right fields, it is no larger than needed,
// and messages out of canonical order are detected.

#include "object/block/message_block.h"

#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/internal/block.h"
#include "kinformer/internal/descriptor.h"
#include "kinformer/internal/view.h"
#include "kinformer/object/kind_info.h"

#include "object/block/metav1_descriptors.h"
#include "wire/protobuf_writer.h"

namespace kinformer::internal {
namespace {

using wire::ProtobufWriter;

constexpr std::uint32_t kMetadata = 2;
constexpr std::uint32_t kList = 23;
constexpr std::uint32_t kMap = 24;
// More children than an index can hold; some have numbers larger than the index can hold.
constexpr std::uint32_t kChildren[] = {3,  4,  5,  6,  7,  8,  9,  10,    11,   12,  13,  14, 15,
                                       16, 17, 18, 19, 20, 21, 22, kList, kMap, 127, 128, 200};

// A message with text fields 1 to 70; fields 2 and 40 are lists.
const MessageDescriptor& Child() {
  static const auto* const fields = [] {
    auto* const made = new std::vector<FieldDescriptor>;
    for (std::uint32_t number = 1; number <= 70; ++number) {
      made->push_back(
          {.json_name = "text", .number = number, .repeated = number == 2 || number == 40});
    }
    return made;
  }();
  static const MessageDescriptor message{
      .name = "Child", .fields = *fields, .by_name = {}, .json_order = {}};
  return message;
}

const KindInfo& Type() {
  static const auto* const fields = [] {
    auto* const made = new std::vector<FieldDescriptor>;
    made->push_back({.json_name = "text", .number = 1});
    made->push_back({.json_name = "metadata",
                     .number = kMetadata,
                     .kind = FieldKind::kMessage,
                     .message = &descriptors::metav1::kObjectMeta});
    for (const std::uint32_t number : kChildren) {
      made->push_back({.json_name = "child",
                       .number = number,
                       .kind = FieldKind::kMessage,
                       .repeated = number == kList,
                       .map = number == kMap,
                       .message = &Child()});
    }
    return made;
  }();
  static const MessageDescriptor message{
      .name = "Root", .fields = *fields, .by_name = {}, .json_order = {}};
  static const KindInfo type{.group = "example.com",
                             .version = "v1",
                             .kind = "Shape",
                             .resource = "shapes",
                             .singular = {},
                             .namespaced = true,
                             .message = &message};
  return type;
}

// Texts by field number, in the order of the message.
using Texts = std::map<std::uint32_t, std::vector<std::string>>;

std::string Bytes(const Texts& texts) {
  std::string bytes;
  ProtobufWriter writer(bytes);
  for (const auto& [number, all] : texts) {
    for (const std::string& text : all) writer.BytesField(number, text);
  }
  return bytes;
}

struct Shape {
  Texts root;  // for a child: its bytes
  std::map<std::uint32_t, Texts> children;
};

class RandomShape {
 public:
  explicit RandomShape(unsigned seed) : random_(seed) {}

  Shape Make() {
    Shape shape;
    Texts metadata{{1, {Text()}}, {3, {Text()}}, {6, {Text()}}, {14, {Text(), Text()}}};
    if (Maybe(3)) metadata[12] = {std::string(70000, 'a')};
    if (Maybe(2)) metadata[17] = {Text(), std::string(200, 'm')};
    if (Maybe(2)) shape.root[1] = {Text()};
    shape.root[kMetadata] = {Bytes(metadata)};
    const std::uint32_t most = Maybe(2) ? 32 : 72;
    const bool many = Maybe(2);
    for (const std::uint32_t number : kChildren) {
      if (number == kList || number == kMap) continue;
      if (!many && !Maybe(4)) continue;
      shape.children[number] = MakeChild(most);
      shape.root[number] = {Bytes(shape.children[number])};
    }
    if (Maybe(2)) shape.root[kList] = {Text(), "", Text()};
    if (Maybe(2)) shape.root[kMap] = {"", Text()};
    if (Maybe(2)) shape.root[100] = {Text(), Text()};  // an unknown field
    return shape;
  }

 private:
  Texts MakeChild(std::uint32_t most) {
    Texts texts;
    for (auto i = random_() % 9; i-- > 0;)
      texts[1 + static_cast<std::uint32_t>(random_() % most)] = {Text()};
    for (const std::uint32_t number : {1U, 32U, 33U, 64U, 65U}) {
      if (number <= most && Maybe(3)) texts[number] = {Text()};
    }
    for (const std::uint32_t list : {2U, 40U}) {
      if (list <= most && Maybe(3)) texts[list] = {Text(), "", Text()};
    }
    return texts;
  }
  bool Maybe(unsigned one_in) { return random_() % one_in == 0; }
  std::string Text() { return "t" + std::to_string(random_() % 100000); }

  std::mt19937 random_;
};

std::vector<std::string> All(const MessageView& message, std::uint32_t number) {
  std::vector<std::string> all;
  for (const std::string_view text : Repeated<std::string_view>(message, number)) {
    all.emplace_back(text);
  }
  return all;
}

void ExpectTexts(const MessageView& message, const Texts& texts) {
  for (std::uint32_t number = 1; number <= 75; ++number) {
    const auto found = texts.find(number);
    if (found == texts.end()) {
      EXPECT_FALSE(Has(message, number)) << number;
      EXPECT_EQ(GetString(message, number), "") << number;
      continue;
    }
    EXPECT_EQ(All(message, number), found->second) << number;
    if (found->second.size() == 1) {
      EXPECT_EQ(GetString(message, number), found->second[0]);
    }
  }
}

// Returns the size that malloc gives for the header, the index and the payload.
std::size_t BytesOf(const Shape& shape, std::size_t payload) {
  std::size_t roots = 0;
  std::size_t children = 0;
  std::size_t fields = 0;
  bool narrow = true;
  for (const auto& [number, texts] : shape.root) {
    if (number > 127) continue;
    ++roots;
    const auto child = shape.children.find(number);
    if (child == shape.children.end() || child->second.empty() || children == 16) continue;
    ++children;
    for (const auto& [field, all] : child->second) {
      if (field <= 64) ++fields;
      if (field > 32 && field <= 64) narrow = false;
    }
  }
  const std::size_t offsets = (payload > 0xffff ? 4 : 2) * (roots - 1 + fields);
  const std::size_t size = 64 + children * (narrow ? 4 : 8) + roots + offsets + payload;
  return (size + 8 + 15) / 16 * 16;
}

TEST(MessageBlock, Index_FindsEveryField) {
  RandomShape random(3);
  for (int round = 0; round < 200; ++round) {
    const Shape shape = random.Make();
    const std::string message = Bytes(shape.root);
    const ObjectRef object = BlockOfMessage(Type(), message, false).OrExit();
    ASSERT_TRUE(object);
    ASSERT_EQ(object->payload(), message);
    EXPECT_FALSE(object->partial());
    EXPECT_EQ(object->allocated_bytes(), BytesOf(shape, message.size()));
    EXPECT_EQ(object->metadata_bytes(), shape.root.at(kMetadata)[0]);
    const ObjectRef clone = CloneBlock(*object);
    const std::uint64_t malformed = MalformedReads();
    const MessageView root = RootView(object.get()).message();
    EXPECT_NE(root.table(), MessageView::kNoTable);
    std::uint8_t table = 0;
    for (const std::uint32_t number : {1U, kMetadata, kList, kMap, 25U, 100U, 129U}) {
      const auto found = shape.root.find(number);
      EXPECT_EQ(All(root, number),
                found == shape.root.end() ? std::vector<std::string>() : found->second);
    }
    for (const FieldDescriptor& field : Type().message->fields) {
      if (field.message != &Child() || field.repeated || field.map) continue;
      const auto found = shape.children.find(field.number);
      const Texts texts = found == shape.children.end() ? Texts() : found->second;
      for (const ObjectRef& block : {object, clone}) {
        MessageView child;
        ReadChild(block.get(), field.number, child);
        ExpectTexts(child, texts);
      }
      // A child with an index is expected to be counted, however it is reached.
      const bool indexed = !texts.empty() && field.number <= 127 && table < 16;
      MessageView child;
      ReadChild(object.get(), field.number, child);
      EXPECT_EQ(child.table(), indexed ? table : MessageView::kNoTable) << field.number;
      MessageView again;
      ReadMessage(root, field.number, again);
      EXPECT_EQ(again.table(), child.table()) << field.number;
      if (!texts.contains(63)) {
        EXPECT_FALSE(StringMap(child, 63).contains("x"));
      }
      if (indexed) ++table;
    }
    EXPECT_EQ(MalformedReads(), malformed);
    ASSERT_FALSE(HasFailure()) << round;
  }
}

TEST(MessageBlock, DroppedManagedFields_LaterFieldsMoveUp) {
  RandomShape random(4);
  for (int round = 0; round < 100; ++round) {
    const Shape shape = random.Make();
    Shape without = shape;
    std::string& metadata = without.root[kMetadata][0];
    // managedFields is the last field of the metadata.
    if (const std::size_t at = metadata.find("\x8a\x01"); at != std::string::npos) {
      metadata.resize(at);
    }
    const ObjectRef object = BlockOfMessage(Type(), Bytes(shape.root), true).OrExit();
    ASSERT_TRUE(object);
    EXPECT_EQ(object->payload(), Bytes(without.root));
    EXPECT_EQ(object->metadata_bytes(), metadata);
    EXPECT_TRUE(object->SameAs(*BlockOfMessage(Type(), Bytes(without.root), false).OrExit()));
    ASSERT_FALSE(HasFailure()) << round;
  }
}

std::string Field(std::uint32_t number, std::string_view content) {
  std::string out;
  ProtobufWriter(out).BytesField(number, content);
  return out;
}

TEST(MessageBlock, FieldsOutOfOrder_GiveNoBlock) {
  const std::string metadata = Field(kMetadata, Field(1, "n"));
  const auto ordered = [&](const std::string& before, const std::string& behind) {
    return bool(BlockOfMessage(Type(), before + metadata + behind, false).OrExit());
  };
  EXPECT_TRUE(ordered("", ""));
  EXPECT_TRUE(ordered(Field(1, "a"), Field(3, "") + Field(kList, "") + Field(kList, "")));
  EXPECT_FALSE(ordered(Field(3, ""), ""));
  EXPECT_FALSE(ordered("", Field(1, "a")));
  EXPECT_FALSE(ordered(Field(1, "a") + Field(1, "a"), ""));
  EXPECT_FALSE(ordered("", metadata));
  EXPECT_FALSE(ordered("", Field(kMap, "") + Field(kList, "")));
  // Checks a child with an index, one beyond the index's limit, and one with a large number.
  std::string others;
  for (std::uint32_t number = 3; number < 21; ++number) others += Field(number, Field(1, "o"));
  for (const std::string& before : {std::string(), others}) {
    for (const std::uint32_t number : {21U, 22U, 128U, 200U}) {
      const auto child = [&](const std::string& content) {
        return ordered("", before + Field(number, content));
      };
      const std::string list = Field(2, "l") + Field(2, "l");
      EXPECT_TRUE(child(Field(1, "a") + list + Field(3, "b") + Field(70, "c"))) << number;
      EXPECT_TRUE(child(Field(100, "u") + Field(100, "v"))) << number << "nobody knows it";
      EXPECT_FALSE(child(Field(3, "b") + Field(1, "a"))) << number;
      EXPECT_FALSE(child(Field(70, "b") + Field(69, "a"))) << number;
      EXPECT_FALSE(child(Field(1, "a") + Field(1, "a"))) << number;
      EXPECT_FALSE(child(list + Field(3, "b") + Field(3, "b"))) << number;
      EXPECT_FALSE(child(Field(3, "b") + list)) << number;
    }
  }
  EXPECT_FALSE(
      BlockOfMessage(Type(), Field(kMetadata, Field(3, "s") + Field(1, "n")), false).OrExit());
  EXPECT_FALSE(
      BlockOfMessage(Type(), Field(kMetadata, Field(1, "n") + Field(1, "n")), false).OrExit());
}

TEST(MessageBlock, MalformedField_ErrorNamesItsPlace) {
  const std::string metadata = Field(kMetadata, Field(1, "n"));
  const auto error = [](const std::string& message) {
    const Result<ObjectRef> built = BlockOfMessage(Type(), message, false);
    return built ? std::string("none") : built.error().message();
  };
  EXPECT_EQ(error(metadata + "\x0a\x05"), "malformed protobuf field at byte 5 of 7");
  const std::string malformed = "malformed protobuf field at byte 3 of 5";
  for (const std::uint32_t number : {3U, 128U}) {
    EXPECT_EQ(error(metadata + Field(number, Field(1, "a") + "\x0a\x05")), "child: " + malformed);
  }
  EXPECT_EQ(error(Field(kMetadata, Field(1, "a") + "\x0a\x05")), "metadata: " + malformed);
  EXPECT_EQ(error(Field(1, "a")), "metadata: missing");
  std::string number;
  ProtobufWriter(number).VarintField(kMetadata, 7);
  EXPECT_EQ(error(number), "metadata: a number where a message is expected");
  std::string key;
  ProtobufWriter(key).VarintField(5, 7);
  EXPECT_EQ(error(Field(kMetadata, key)), "metadata: field 5 is no text of at most 255 bytes");
}

// A number where a text is expected reads as empty and is counted, with an index or without.
TEST(MessageBlock, NumberReadAsText_IsEmptyAndCounted) {
  std::string child = Field(4, "before");
  ProtobufWriter(child).VarintField(5, 7);
  child += Field(6, "behind");
  for (const std::uint32_t number : {3U, 128U}) {
    const ObjectRef object =
        BlockOfMessage(Type(), Field(kMetadata, Field(1, "n")) + Field(number, child), false)
            .OrExit();
    MessageView view;
    ReadChild(object.get(), number, view);
    const std::uint64_t before = MalformedReads();
    EXPECT_EQ(GetString(view, 5), "");
    EXPECT_EQ(MalformedReads(), before + 1);
    EXPECT_EQ(GetInt64(view, 5), 7);
    EXPECT_EQ(GetString(view, 6), "behind");
    EXPECT_EQ(MalformedReads(), before + 1);
  }
}

// Reads of message fields find nothing in JSON, whatever its bytes look like.
TEST(MessageBlock, JsonHasNoFields) {
  const std::string bytes = Field(1, "a") + Field(2, Field(1, "k") + Field(2, "v"));
  const MessageView json(bytes.data(), static_cast<std::uint32_t>(bytes.size()), nullptr,
                         Encoding::kJson);
  EXPECT_TRUE(Has(MessageView(bytes), 1));
  EXPECT_FALSE(Has(json, 1));
  EXPECT_EQ(All(MessageView(bytes), 1).size(), 1U);
  EXPECT_TRUE(All(json, 1).empty());
  EXPECT_TRUE(StringMap(MessageView(bytes), 2).contains("k"));
  EXPECT_FALSE(StringMap(json, 2).contains("k"));
}

TEST(Descriptor, FieldsAreFoundWithinTheMessage) {
  const MessageDescriptor three{
      .name = "Three", .fields = Child().fields.first(3), .by_name = {}, .json_order = {}};
  for (std::uint32_t number = 0; number < 6; ++number) {
    const FieldDescriptor* const found = FindByNumber(three, number);
    EXPECT_EQ(found, number >= 1 && number <= 3 ? &Child().fields[number - 1] : nullptr) << number;
  }
  EXPECT_EQ(FindByNumber(*Type().message, 127)->number, 127U);
  EXPECT_EQ(FindByNumber(*Type().message, 126), nullptr);
  EXPECT_EQ(FindByNumber(*Type().message, 201), nullptr);
}

// Lengths may be encoded with more bytes than necessary.
TEST(MessageBlock, KeepsTheHeadOfTheMetadataAsItIs) {
  const std::string name = Field(1, "n");
  const std::string managed = Field(17, "m");
  const auto message = [](const std::string& metadata) {
    return std::string{'\x12', static_cast<char>(0x80 | metadata.size()), '\0'} + metadata +
           Field(3, Field(1, "c"));
  };
  for (const bool drop : {false, true}) {
    const ObjectRef plain = BlockOfMessage(Type(), message(name), drop).OrExit();
    EXPECT_EQ(plain->payload(), message(name));
    EXPECT_EQ(plain->name(), "n");
    const ObjectRef object = BlockOfMessage(Type(), message(name + managed), drop).OrExit();
    EXPECT_EQ(object->payload(),
              drop ? Field(kMetadata, name) + Field(3, Field(1, "c")) : message(name + managed));
    EXPECT_EQ(object->name(), "n");
    MessageView child;
    ReadChild(object.get(), 3, child);
    EXPECT_EQ(GetString(child, 1), "c");
  }
}

}  // namespace
}  // namespace kinformer::internal
