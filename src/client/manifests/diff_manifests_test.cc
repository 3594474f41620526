#include "kinformer/client/diff_manifests.h"

#include <gtest/gtest.h>
#include <string>

#include "kinformer/client/apply_manifests.h"

#include "client/manifests/object_requests.h"

namespace kinformer {
namespace {

// Returns "1\n2\n...", with the lines of `changed` marked.
std::string Numbers(int last, const std::string& changed = "") {
  std::string out;
  for (int i = 1; i <= last; ++i) {
    const std::string number = std::to_string(i);
    out += number + (changed.find(" " + number + " ") != std::string::npos ? "x" : "") + "\n";
  }
  return out;
}

TEST(UnifiedDiff, EqualTextsHaveNone) {
  EXPECT_EQ(UnifiedDiff("a\n", "a\n", "A", "B"), "");
  EXPECT_EQ(UnifiedDiff("", "", "A", "B"), "");
}

TEST(UnifiedDiff, ANewTextIsAddedAfterLineZero) {
  EXPECT_EQ(UnifiedDiff("", "a\nb\n", "A", "B"), "--- A\n+++ B\n@@ -0,0 +1,2 @@\n+a\n+b\n");
  EXPECT_EQ(UnifiedDiff("a\n", "", "A", "B"), "--- A\n+++ B\n@@ -1 +0,0 @@\n-a\n");
}

TEST(UnifiedDiff, AChangeHasThreeLinesAround) {
  EXPECT_EQ(UnifiedDiff(Numbers(9), Numbers(9, " 5 "), "A", "B"),
            "--- A\n+++ B\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+5x\n 6\n 7\n 8\n");
}

TEST(UnifiedDiff, ChangesWithSixLinesBetweenShareAPart) {
  EXPECT_EQ(UnifiedDiff(Numbers(8), Numbers(8, " 1 8 "), "A", "B"),
            "--- A\n+++ B\n@@ -1,8 +1,8 @@\n-1\n+1x\n 2\n 3\n 4\n 5\n 6\n 7\n-8\n+8x\n");
  EXPECT_EQ(UnifiedDiff(Numbers(9), Numbers(9, " 1 9 "), "A", "B"),
            "--- A\n+++ B\n@@ -1,4 +1,4 @@\n-1\n+1x\n 2\n 3\n 4\n"
            "@@ -6,4 +6,4 @@\n 6\n 7\n 8\n-9\n+9x\n");
}

TEST(UnifiedDiff, LaterPartsCountTheLinesThatWereAdded) {
  EXPECT_EQ(UnifiedDiff(Numbers(20), "new\n" + Numbers(20, " 20 "), "A", "B"),
            "--- A\n+++ B\n@@ -1,3 +1,4 @@\n+new\n 1\n 2\n 3\n"
            "@@ -17,4 +18,4 @@\n 17\n 18\n 19\n-20\n+20x\n");
}

TEST(ApplySetIds, AreThoseOfKubectl) {
  EXPECT_EQ(ApplySetId({.name = "set1", .namespace_ = "default", .kind = {"", "v1", "ConfigMap"}}),
            "applyset-LmGRwX1kJXrUZVwT4DKoKCvG70slj3E2VUZBgksncLo-v1");
}

TEST(FieldConflicts, FieldsOfOneManagerStandTogether) {
  Error error(Reason::kConflict, "Apply failed with 3 conflicts");
  StatusDetails details;
  details.causes = {
      {"FieldManagerConflict", R"(conflict with "a \"b\"" using v1)", ".data.x"},
      {"FieldManagerConflict", R"(conflict with "c" with subresource "status")", ".status.y"},
      {"FieldManagerConflict", R"(conflict with "a \"b\"" using v1)", ".data.z"},
      {"FieldValueInvalid", R"(conflict with "d")", ".data.w"}};
  error.WithDetails(details);
  const auto conflicts = internal::manifests::ConflictsOf(error);
  ASSERT_EQ(conflicts.size(), 2U);
  EXPECT_EQ(conflicts[0].manager, R"(a "b")");
  EXPECT_EQ(conflicts[0].fields, (std::vector<std::string>{".data.x", ".data.z"}));
  EXPECT_EQ(conflicts[1].manager, "c");
  EXPECT_TRUE(internal::manifests::ConflictsOf(Error(Reason::kNotFound, "x")).empty());
}

}  // namespace
}  // namespace kinformer
