#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/client/transport.h"

namespace kinformer {
namespace {

// Only letters have a case: "@" is no small "`", "[" no small "{".
TEST(HttpHeaders, Names_DifferInTheCaseOfLettersOnly) {
  for (int i = 1; i < 128; ++i) {
    const char c = static_cast<char>(i);
    const std::string name = std::string("x-") + c;
    HttpHeaders headers;
    headers.Add(name, "value");
    for (int k = 1; k < 128; ++k) {
      const char other = static_cast<char>(k);
      const bool letters = ((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z')) && (i ^ k) == 32;
      const bool same = i == k || letters;
      const std::string asked = std::string("X-") + other;
      EXPECT_EQ(headers.Has(asked), same) << name << " and " << asked;
      EXPECT_EQ(headers.Get(asked), same ? "value" : "") << name << " and " << asked;
    }
  }
}

TEST(HttpHeaders, Names_OfOtherLengthAreOthers) {
  HttpHeaders headers;
  headers.Add("Accept", "one");
  headers.Add("accept", "two");
  headers.Add("", "empty");
  for (const char* other : {"Accep", "Accept-Encoding", "ccept", "A"}) {
    EXPECT_FALSE(headers.Has(other)) << other;
    EXPECT_EQ(headers.Get(other), "") << other;
  }
  EXPECT_EQ(headers.Get("ACCEPT"), "one");
  EXPECT_EQ(headers.Get(""), "empty");
  EXPECT_EQ(headers.size(), 3U);
  const std::vector<std::pair<std::string, std::string>> all(headers.begin(), headers.end());
  EXPECT_EQ(all, (std::vector<std::pair<std::string, std::string>>{
                     {"Accept", "one"}, {"accept", "two"}, {"", "empty"}}));
}

// A value that is given may be part of what the headers hold already.
TEST(HttpHeaders, FieldsOfTheirOwn_CanBeAddedAgain) {
  HttpHeaders headers;
  headers.Add("X-First", std::string(90, 'a'));
  for (int i = 0; i < 200; ++i) headers.Add((*headers.begin()).first, headers.Get("x-first"));
  ASSERT_EQ(headers.size(), 201U);
  for (const auto& [name, value] : headers) {
    EXPECT_EQ(name, "X-First");
    EXPECT_EQ(value, std::string(90, 'a'));
  }
}

TEST(HttpHeaders, Removal_KeepsTheOrderOfTheOthers) {
  HttpHeaders headers;
  for (const char* name : {"A", "b", "C", "B", "D"}) headers.Add(name, name);
  HttpHeaders expected;
  for (const char* name : {"A", "C", "D"}) expected.Add(name, name);
  headers.Remove("B");
  EXPECT_EQ(headers, expected);
  headers.Remove("absent");
  EXPECT_EQ(headers, expected);
  headers.Remove((*headers.begin()).first);  // which is part of what goes
  EXPECT_EQ(headers.size(), 2U);
  EXPECT_EQ(headers.Get("d"), "D");
}

TEST(BodyChunk, Text_IsOwned) {
  BodyChunk chunk;
  {
    const BodyChunk made = BodyChunk::Of(std::string(100, 'x'));
    chunk = made;
  }
  EXPECT_EQ(chunk.owner.use_count(), 1);
  EXPECT_EQ(chunk.bytes, std::string(100, 'x'));
  EXPECT_EQ(BodyChunk::Of("").bytes, "");
}

}  // namespace
}  // namespace kinformer
