// Packed blocks: which fields can be read, that unpacking gives back the same object, and the
// references that keep the dictionary alive.

#include "object/block/packing.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <malloc.h>
#include <random>
#include <string>
#include <vector>

#include "kinformer/internal/block_builder.h"
#include "kinformer/object/object.h"
#include "kinformer/object/unstructured.h"

#include "object/transcode/block_text.h"

namespace kinformer::internal {
namespace {

std::string Json(int i, std::string_view note = "a \"quoted\" note") {
  const std::string n = std::to_string(i);
  std::string escaped;
  for (const char c : note) {
    if (c == '"') escaped += '\\';
    escaped += c;
  }
  return R"({"kind":"Widget","apiVersion":"example.com/v1","metadata":{"name":"widget-)" + n +
         R"(","namespace":"default","uid":"0b8f5d6e-0000-4000-8000-00000000)" +
         std::to_string(1000 + i) + R"(","resourceVersion":")" + std::to_string(5000 + i) +
         R"(","labels":{"app":"web","instance":"w-)" + n + R"("}},"spec":{"note":")" + escaped +
         R"(","replicas":)" + n +
         R"(,"template":{"image":"registry.example.com/widgets/web:1.4.2",)"
         R"("command":["/bin/run","--verbose"]}},)" +
         R"("status":{"conditions":[{"type":"Ready","status":"True","reason":"AllGood"}]}})";
}

const KindInfo& Dynamic() {
  return *DynamicKindInfo("example.com", "v1", "Widget", "widgets", true);
}
// Type whose objects are stored as protobuf.
const KindInfo& Metadata() {
  return *MetadataKindInfo("example.com", "v1", "Widget", "widgets", true);
}

std::vector<ObjectRef> Objects(const KindInfo& type, int count = 200) {
  std::vector<ObjectRef> objects;
  for (int i = 0; i < count; ++i) objects.push_back(BuildFromJson(type, Json(i)).OrExit());
  return objects;
}

DictionaryRef Trained(const std::vector<ObjectRef>& objects) {
  DictionaryTrainer trainer;
  for (const ObjectRef& object : objects) trainer.Add(*object);
  EXPECT_EQ(trainer.size(), objects.size());
  return trainer.Train();
}

TEST(Packing, PackedAndUnpackedAreEqual) {
  for (const KindInfo* type : {&Dynamic(), &Metadata()}) {
    const std::vector<ObjectRef> objects = Objects(*type);
    const DictionaryRef dictionary = Trained(objects);
    ASSERT_TRUE(dictionary);
    EXPECT_GT(dictionary->bytes(), 0U);
    std::size_t before = 0;
    std::size_t after = 0;
    for (const ObjectRef& object : objects) {
      const ObjectRef packed = dictionary->Pack(object);
      before += object->allocated_bytes();
      after += packed->allocated_bytes();
      ASSERT_TRUE(packed->packed());
      EXPECT_EQ(&packed->type(), type);
      EXPECT_EQ(packed->name(), object->name());
      EXPECT_EQ(packed->namespace_(), object->namespace_());
      EXPECT_EQ(packed->uid(), object->uid());
      EXPECT_EQ(packed->resourceVersion(), object->resourceVersion());
      EXPECT_EQ(packed->partial(), object->partial());
      const ObjectRef whole = Unpacked(packed);
      EXPECT_FALSE(whole->packed());
      EXPECT_TRUE(whole->SameAs(*object));
      EXPECT_EQ(BlockToJson(*whole), BlockToJson(*object));
      EXPECT_EQ(Unpacked(whole), whole);
      EXPECT_EQ(dictionary->Pack(packed), packed);
    }
    EXPECT_LT(after, before);
  }
}

TEST(Packing, ComparesPackedOrNot) {
  const std::vector<ObjectRef> objects = Objects(Dynamic());
  const DictionaryRef one = Trained(objects);
  const DictionaryRef two = Trained(objects);
  const ObjectRef a = objects[1];
  const ObjectRef again = BuildFromJson(Dynamic(), Json(1)).OrExit();
  const ObjectRef other = BuildFromJson(Dynamic(), Json(1, "another note")).OrExit();
  const ObjectRef packed = one->Pack(a);
  EXPECT_TRUE(packed->SameAs(*packed));
  EXPECT_TRUE(packed->SameAs(*a));
  EXPECT_TRUE(a->SameAs(*packed));
  EXPECT_TRUE(packed->SameAs(*one->Pack(again)));
  EXPECT_TRUE(packed->SameAs(*two->Pack(again)));
  EXPECT_FALSE(packed->SameAs(*other));
  EXPECT_FALSE(other->SameAs(*packed));
  EXPECT_FALSE(packed->SameAs(*one->Pack(other)));
  EXPECT_FALSE(packed->SameAs(*two->Pack(other)));
  EXPECT_FALSE(packed->SameAs(*objects[2]));
}

TEST(Packing, BlocksKeepTheirDictionary) {
  const std::vector<ObjectRef> objects = Objects(Dynamic());
  ObjectRef packed;
  {
    const DictionaryRef dictionary = Trained(objects);
    packed = dictionary->Pack(objects[3]);
  }
  const ObjectRef clone = CloneBlock(*packed);
  packed = {};
  EXPECT_TRUE(clone->packed());
  EXPECT_TRUE(Unpacked(clone)->SameAs(*objects[3]));
}

TEST(Packing, PartialMark_SurvivesPacking) {
  const std::vector<ObjectRef> objects = Objects(Dynamic());
  const DictionaryRef dictionary = Trained(objects);
  const Projection projection = Projection::Keep({"spec"}).OrExit();
  const ObjectRef part =
      BuildFromJson(Dynamic(), Json(7), {.projection = projection.tree()}).OrExit();
  const ObjectRef packed = dictionary->Pack(part);
  ASSERT_TRUE(packed->packed());
  EXPECT_TRUE(packed->partial());
  EXPECT_TRUE(Unpacked(packed)->partial());
  EXPECT_TRUE(Unpacked(packed)->SameAs(*part));
}

TEST(Packing, PackedBlock_ReadWithoutUnpacking_IsEmpty) {
  const std::vector<ObjectRef> objects = Objects(Metadata());
  const ObjectRef packed = Trained(objects)->Pack(objects[0]);
  ASSERT_TRUE(packed->packed());
  EXPECT_TRUE(Object(packed.get()).metadata().labels().empty());
}

// The four texts outside are not compressed as well: a longer text costs exactly its own bytes.
TEST(Packing, KeysAreStoredOnce) {
  const DictionaryRef dictionary = Trained(Objects(Dynamic()));
  // A text that does not compress.
  std::mt19937 random(5);
  std::string text;
  for (int i = 0; i < 240; ++i) text += static_cast<char>('a' + random() % 26);
  for (const char* key : {"name", "namespace", "uid", "resourceVersion"}) {
    const auto packed_size = [&](std::size_t size) {
      std::string json = Json(1);
      const std::size_t at = json.find(':', json.find('"' + std::string(key) + '"')) + 2;
      json.replace(at, json.find('"', at) - at, text.substr(0, size));
      return dictionary->Pack(BuildFromJson(Dynamic(), json).OrExit())->allocated_bytes();
    };
    EXPECT_LE(packed_size(220), packed_size(20) + 200 + 32) << key;
  }
}

TEST(Packing, Training_WithoutSamples_GivesNoDictionary) {
  DictionaryTrainer trainer;
  EXPECT_FALSE(trainer.Train());
  const std::vector<ObjectRef> objects = Objects(Dynamic());
  trainer.Add(*Trained(objects)->Pack(objects[0]));
  EXPECT_EQ(trainer.size(), 0U) << "what is packed is no sample";
  EXPECT_FALSE(trainer.Train());
}

// Accounted bytes equal the bytes from malloc, except for 16 bytes when malloc cannot split off so
// small a remainder.
TEST(Accounting, AllocatedBytes_MatchMalloc) {
  const std::vector<ObjectRef> objects = Objects(Dynamic());
  const DictionaryRef dictionary = Trained(objects);
  for (std::size_t padding = 0; padding < 64; ++padding) {
    // Large enough that malloc bypasses its per-thread caches, which mallinfo2 does not count.
    const ObjectRef object =
        BuildFromJson(Dynamic(), Json(1, std::string(2000 + padding, 'x'))).OrExit();
    const auto before = mallinfo2().uordblks;
    const ObjectRef clone = CloneBlock(*object);
    const auto taken = mallinfo2().uordblks - before;
    if (taken == 0) GTEST_SKIP() << "this malloc does not say what it gave";
    EXPECT_LE(clone->allocated_bytes(), taken) << padding;
    EXPECT_GE(clone->allocated_bytes() + 16, taken) << padding;
    const ObjectRef packed = dictionary->Pack(object);
    const std::size_t given =
        malloc_usable_size(const_cast<Block*>(packed.get())) + sizeof(std::size_t);
    EXPECT_LE(packed->allocated_bytes(), given) << padding;
    EXPECT_GE(packed->allocated_bytes() + 16, given) << padding;
  }
}

// Counts the header, unescaped texts and their positions, metadata and JSON.
TEST(Accounting, CountsAllPartsOfABlock) {
  for (const std::size_t size : {10U, 100U, 1000U}) {
    const std::string plain(size, 'x');
    const auto object = [](const std::string& note) {
      return BuildFromJson(Dynamic(), Json(1, note)).OrExit();
    };
    const ObjectRef escaped = object("\"" + plain);
    const std::size_t parts = sizeof(Block) + 12 + escaped->metadata_bytes().size() +
                              escaped->payload().size() + plain.size() + 1;
    EXPECT_EQ(escaped->allocated_bytes(), (parts + sizeof(std::size_t) + 15) / 16 * 16);
    EXPECT_EQ(CloneBlock(*escaped)->allocated_bytes(), escaped->allocated_bytes());
  }
}

// Equal objects count the same, so limits in bytes do not depend on the state of the heap.
TEST(Accounting, EqualObjectsCountTheSame) {
  // Frees chunks that are 16 bytes larger than the object needs.
  const std::string json = Json(1, std::string(2000, 'x'));
  const ObjectRef object = BuildFromJson(Dynamic(), json).OrExit();
  const std::size_t bytes = object->allocated_bytes();
  std::vector<void*> pieces;
  std::vector<void*> between;
  for (int i = 0; i < 100; ++i) {
    pieces.push_back(std::malloc(bytes - sizeof(std::size_t) + 16));
    between.push_back(std::malloc(64));
  }
  for (void* const piece : pieces) std::free(piece);
  std::vector<ObjectRef> clones;
  for (int i = 0; i < 100; ++i) {
    clones.push_back(CloneBlock(*object));
    EXPECT_EQ(clones.back()->allocated_bytes(), bytes);
  }
  for (void* const piece : between) std::free(piece);
}

}  // namespace
}  // namespace kinformer::internal
