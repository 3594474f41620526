// The memory of a client of its writes.

#include "controller/matching/known_matches.h"

#include <cstddef>
#include <gtest/gtest.h>
#include <string>

#include "kinformer/api/corev1.h"

namespace kinformer::internal::matching {
namespace {

TEST(KnownMatches, Learned_IsKnown) {
  KnownMatches known(7);
  const auto print = known.Of({"pods", "a"});
  EXPECT_FALSE(known.Knows(print));
  known.Learn(print);
  EXPECT_TRUE(known.Knows(print));
  EXPECT_FALSE(known.Knows(known.Of({"pods", "b"})));
  EXPECT_FALSE(known.Knows(known.Of({"pod", "sa"}))) << "parts do not run together";
}

TEST(KnownMatches, HundredThousand_AreKnown) {
  KnownMatches known(7);
  const auto print = [&](int i) { return known.Of({"pods", std::to_string(i)}); };
  for (int i = 0; i < 100'000; ++i) known.Learn(print(i));
  std::size_t lost = 0;
  for (int i = 0; i < 100'000; ++i) lost += known.Knows(print(i)) ? 0 : 1;
  EXPECT_LT(lost, 3000U) << "few buckets overflow";
}

TEST(KnownMatches, AtomicPlaces_AreThoseOfTheKind) {
  KnownMatches known(7);
  EXPECT_TRUE(known.AreAtomic(corev1::Pod::kind_info(), {}));
  EXPECT_FALSE(known.AreAtomic(corev1::Pod::kind_info(), {"spec.args"}));
  known.LearnAtomic(corev1::Pod::kind_info(), {"spec.args"});
  EXPECT_TRUE(known.AreAtomic(corev1::Pod::kind_info(), {"spec.args"}));
  EXPECT_FALSE(known.AreAtomic(corev1::Pod::kind_info(), {"spec.args", "spec.list"}));
  EXPECT_FALSE(known.AreAtomic(corev1::Service::kind_info(), {"spec.args"}));
}

}  // namespace
}  // namespace kinformer::internal::matching
