#include "kinformer/object/shard_selector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

namespace kinformer {
namespace {

using ::testing::HasSubstr;

// Values of Go's hash/fnv, New64a.
TEST(ShardSelector, HashesAsServersDo) {
  EXPECT_EQ(ShardSelector::HashField(""), 0xcbf29ce484222325U);
  EXPECT_EQ(ShardSelector::HashField("a"), 0xaf63dc4c8601ec8cU);
  EXPECT_EQ(ShardSelector::HashField("foobar"), 0x85944171f73967e8U);
}

TEST(ShardSelector, PartsHaveTheTextsOfTheApi) {
  EXPECT_EQ(ShardSelector::Part(0, 1).ToString(), "");
  EXPECT_EQ(ShardSelector::Part(0, 2).ToString(),
            "shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')");
  EXPECT_EQ(ShardSelector::Part(3, 4, ShardSelector::Field::kNamespace).ToString(),
            "shardRange(object.metadata.namespace, '0xc000000000000000', '0x10000000000000000')");
}

TEST(ShardSelector, EveryObjectIsInExactlyOnePart) {
  for (const std::size_t count : {2U, 3U, 7U, 64U}) {
    std::vector<int> sizes(count);
    for (int i = 0; i < 1000; ++i) {
      const std::string uid = "7d3f6b1e-0000-4000-8000-" + std::to_string(100000000000 + i * 77);
      int in = 0;
      for (std::size_t part = 0; part < count; ++part) {
        if (!ShardSelector::Part(part, count).Matches(uid, "default")) continue;
        ++in;
        ++sizes[part];
      }
      EXPECT_EQ(in, 1) << uid << " of " << count;
    }
    for (const int size : sizes) EXPECT_GT(size, 0) << count;
  }
}

TEST(ShardSelector, ReadsItsOwnText) {
  for (const std::size_t count : {1U, 2U, 3U, 5U, 64U}) {
    for (std::size_t part = 0; part < count; ++part) {
      const ShardSelector selector = ShardSelector::Part(part, count);
      EXPECT_EQ(ShardSelector::Parse(selector.ToString()).OrExit(), selector);
    }
  }
  const std::string both =
      " shardRange( object.metadata.namespace ,\"0x0000000000000001\",'0x0000000000000002' )||\n"
      "shardRange(object.metadata.namespace, '0x0000000000000005', '0x10000000000000000')";
  const ShardSelector selector = ShardSelector::Parse(both).OrExit();
  EXPECT_EQ(selector.field(), ShardSelector::Field::kNamespace);
  EXPECT_EQ(selector.ranges(), (std::vector<ShardSelector::Range>{{1, 1}, {5, ~std::uint64_t{0}}}));
  EXPECT_EQ(ShardSelector::Parse(selector.ToString()).OrExit(), selector);
  EXPECT_TRUE(ShardSelector::Parse(" ").OrExit().MatchesEverything());
}

TEST(ShardSelector, NamespacesAreHashedInsteadOfUids) {
  const ShardSelector first = ShardSelector::Part(0, 2, ShardSelector::Field::kNamespace);
  const bool in = first.Matches("one", "default");
  EXPECT_EQ(first.Matches("another", "default"), in);
  EXPECT_EQ(ShardSelector::Part(1, 2, ShardSelector::Field::kNamespace).Matches("one", "default"),
            !in);
}

TEST(ShardSelector, ErrorsNameThePlace) {
  const std::string start = "shardRange(object.metadata.uid, '0x0000000000000000', ";
  const std::pair<std::string, std::string> cases[] = {
      {"x", "expected shardRange( at position 1 of \"x\""},
      {"shardRange", "expected '(' behind shardRange at position 11"},
      {"shardRange(metadata.uid)", "expected object.metadata.uid or object.metadata.namespace"},
      {"shardRange(object.metadata.uid '", "expected ','"},
      {start + "'0x8')", "expected 0x and 16 digits"},
      {start + "'0x800000000000000G')", "expected 0x and 16 digits"},
      {start + "'0x8000000000000000", "expected 0x and 16 digits"},
      {start + "0x8000000000000000)", "at position 55"},
      {start + "'0x0000000000000000')", "expected an end that is greater than the start"},
      {start + "'0x8000000000000000'", "expected ')'"},
      {start + "'0x8000000000000000') && x", "expected || or the end"},
      {start + "'0x8000000000000000') ||", "expected shardRange("},
      {start + "'0x8000000000000000') || shardRange(object.metadata.namespace, "
               "'0x0000000000000000', '0x8000000000000000')",
       "expected ranges of one field only"},
      {"shardRange(object.metadata.uid, '0x10000000000000000', '0x10000000000000000')",
       "expected an end that is greater than the start"},
  };
  for (const auto& [text, message] : cases) {
    const Result<ShardSelector> selector = ShardSelector::Parse(text);
    ASSERT_FALSE(selector.ok()) << text;
    EXPECT_EQ(selector.error().reason(), Reason::kInvalidArgument);
    EXPECT_THAT(selector.error().message(), HasSubstr(message)) << text;
  }
}

}  // namespace
}  // namespace kinformer
