// Estimates by rehearsals, whose process is a function here.

#include "cli/size_estimate.h"

#include <cstddef>
#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/client/client.h"
#include "kinformer/client/config.h"
#include "kinformer/internal/resource_core.h"
#include "kinformer/object/object.h"
#include "kinformer/object/object_from_json.h"

namespace kinformer::cli {
namespace {

internal::ObjectRef ObjectOf(const KindInfo& type, const std::string& json) {
  const AnyRef object = ObjectFromJson(type, json).OrExit();
  return internal::ObjectRef::Share(object->block());
}

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Le;

Selection Maps() {
  Selection selection;
  selection.mapping = {{"", "v1", "configmaps"}, {"", "v1", "ConfigMap"}, true};
  selection.type = &corev1::ConfigMap::kind_info();
  return selection;
}

SizeSample SampleOf(std::uint64_t objects, std::size_t bytes) {
  SizeSample sample;
  sample.objects = sample.names = objects;
  sample.watch_list = true;
  sample.error = 0.01;
  sample.namespaces["default"] = objects;
  for (const char* name : {"settings-1", "settings-2"}) {
    const std::string json = std::string(R"({"metadata":{"namespace":"default","name":")") + name +
                             R"("},"data":{"text":")" + std::string(bytes, 't') + R"("}})";
    sample.sampled.push_back(
        {ObjectOf(corev1::ConfigMap::kind_info(), json), static_cast<double>(objects) / 2});
  }
  return sample;
}

// Lists what the rehearsal serves, and makes up what that takes: 1 MB, and by object 1000 B, with
// options less.
struct Processes {
  std::vector<std::uint64_t> objects{};
  std::vector<MeasuredProcess> seen{};

  Result<ProcessFigures> Run(const MeasuredProcess& process) {
    seen.push_back(process);
    const Client client =
        Client::NewForConfig(Config::FromKubeconfig(process.kubeconfig).OrExit()).OrExit();
    const internal::ResourceCore maps(client.core(), corev1::ConfigMap::kind_info(), "");
    const auto listed = maps.List({}, {});
    if (!listed) return listed.error();
    const auto count = static_cast<double>(listed->items.size());
    objects.push_back(listed->items.size());
    const bool less = process.informers.front().metadata;
    return ProcessFigures{.base_bytes = 0.9e6,
                          .peak_bytes = 1e6 + count * (less ? 200 : 1200),
                          .settled_bytes = 1e6 + count * (less ? 100 : 1000),
                          .cpu_seconds = 0.001 + count * 1e-6,
                          .wire_bytes = count * 500,
                          .objects = listed->items.size()};
  }
};

TEST(SizeEstimatorTest, CollectionThatFits_IsRehearsedWhole) {
  Processes processes;
  SizeEstimator estimator({.try_options = false},
                          [&](const MeasuredProcess& one) { return processes.Run(one); });
  const SizedResource sized = estimator.Estimate(Maps(), SampleOf(3000, 100)).OrExit();
  EXPECT_THAT(processes.objects, ElementsAre(1, 1, 1, 3000, 3000, 3000));
  EXPECT_EQ(sized.name, "configmaps");
  EXPECT_EQ(sized.objects, 3000U);
  EXPECT_EQ(sized.encoding, "protobuf");
  EXPECT_EQ(sized.initial_list, "watch-list");
  EXPECT_NEAR(sized.figures.settled_bytes, 2999 * 1000, 1);
  EXPECT_NEAR(sized.figures.start_bytes, 2999 * 1200, 1);
  EXPECT_NEAR(sized.figures.cpu_seconds, 0.002999, 1e-9);
  EXPECT_NEAR(estimator.process().settled_bytes, 1'001'000, 1);
  EXPECT_THAT(sized.options, IsEmpty());
}

TEST(SizeEstimatorTest, LargeCollection_IsRehearsedInPartAndEnlarged) {
  Processes processes;
  SizeEstimator estimator({.try_options = false},
                          [&](const MeasuredProcess& one) { return processes.Run(one); });
  const SizedResource sized = estimator.Estimate(Maps(), SampleOf(4000, 100'000)).OrExit();
  EXPECT_THAT(processes.objects, ElementsAre(1, 1, 1, 1000, 1000, 1000));
  EXPECT_NEAR(sized.figures.settled_bytes, 3999 * 1000, 1);
  EXPECT_NEAR(sized.figures.wire_bytes, 3999 * 500, 1);
}

TEST(SizeEstimatorTest, Options_AreTriedAndNamedIfTheySave) {
  Processes processes;
  SizeEstimator estimator({}, [&](const MeasuredProcess& one) { return processes.Run(one); });
  const SizedResource sized = estimator.Estimate(Maps(), SampleOf(500, 100)).OrExit();
  ASSERT_EQ(sized.options.size(), 1U);
  EXPECT_EQ(sized.options[0].name, "MetadataInformerFor");
  EXPECT_NEAR(sized.options[0].figures.settled_bytes, 1e6 + 500 * 100 - 1'001'000, 1);
  EXPECT_EQ(processes.seen.size(), 3U + 3U + 5U);
  EXPECT_THAT(processes.objects, Each(Le(500U)));
}

TEST(SizeEstimatorTest, GivenOptions_AreThoseOfAllRuns) {
  Processes processes;
  SizeEstimator estimator({.prefer_json = true,
                           .drop_managed_fields = true,
                           .compress = true,
                           .accept_gzip = true,
                           .dropped_fields = {"data"}},
                          [&](const MeasuredProcess& one) { return processes.Run(one); });
  const SizedResource sized = estimator.Estimate(Maps(), SampleOf(500, 100)).OrExit();
  EXPECT_EQ(sized.encoding, "JSON");
  for (const MeasuredProcess& process : processes.seen) {
    EXPECT_TRUE(process.prefer_json && process.accept_gzip);
    EXPECT_TRUE(process.informers.front().compress);
    EXPECT_TRUE(process.informers.front().drop_managed_fields);
    EXPECT_THAT(process.informers.front().dropped_fields, ElementsAre("data"));
  }
  EXPECT_EQ(processes.seen.size(), 3U + 3U + 1U);  // metadata is left to try
}

TEST(SizeEstimatorTest, EmptyCollection_TakesNothing) {
  Processes processes;
  SizeEstimator estimator({}, [&](const MeasuredProcess& one) { return processes.Run(one); });
  const SizedResource sized = estimator.Estimate(Maps(), SizeSample()).OrExit();
  EXPECT_EQ(sized.figures.settled_bytes, 0);
  EXPECT_THAT(processes.seen, IsEmpty());
}

TEST(SizeEstimatorTest, ProcessThatFails_EndsTheEstimate) {
  SizeEstimator estimator({}, [](const MeasuredProcess&) -> Result<ProcessFigures> {
    return Error(Reason::kUnknown, "no process");
  });
  EXPECT_EQ(estimator.Estimate(Maps(), SampleOf(5, 1)).error().message(), "no process");
}

}  // namespace
}  // namespace kinformer::cli
