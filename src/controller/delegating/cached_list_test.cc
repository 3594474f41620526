// Lists of a DelegatingClient by fields.

#include "controller/delegating/cached_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>

#include "kinformer/field_selector.h"
#include "kinformer/internal/indexer_core.h"
#include "kinformer/simulation.h"

#include "base/core/testing/fields_log.h"

namespace kinformer::internal::delegating {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// The error must not advise AddIndexers, the store's own remedy.
TEST(CachedList, FieldWithoutIndex_ErrorNamesIndexField) {
  const auto log = std::make_shared<base::FieldsLog>(LogLevel::kWarning);
  Simulation sim({.log = log});
  const IndexerCore cache(sim.env());
  ReadOptions options;
  options.field_selector = FieldSelector::Parse("spec.nodeName=n1").OrExit();
  const auto listed = ListCached(cache, "pods", options);
  EXPECT_EQ(listed.error().reason(), Reason::kInvalidArgument);
  EXPECT_THAT(
      listed.error().message(),
      HasSubstr("listing pods by the field spec.nodeName: it has no index; call IndexField"));
  EXPECT_THAT(log->lines, IsEmpty());
}

}  // namespace
}  // namespace kinformer::internal::delegating
