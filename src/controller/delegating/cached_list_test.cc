// Lists of a DelegatingClient in a cache: by fields, namespaces and labels, and with a limit.

#include "controller/delegating/cached_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "kinformer/base/simulation.h"
#include "kinformer/internal/indexer_core.h"
#include "kinformer/object/field_selector.h"

#include "base/core/testing/fields_log.h"
#include "cache/store/testing/test_objects.h"

namespace kinformer::internal::delegating {
namespace {

using cache::LabelOf;
using cache::MakeObject;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string NamesOf(const Result<std::vector<ObjectRef>>& listed) {
  if (!listed) return listed.error().message();
  std::string names;
  for (const ObjectRef& object : *listed) {
    names += (names.empty() ? "" : " ") + std::string(object->namespace_()) + "/" +
             std::string(object->name());
  }
  return names;
}

IndexFunction ByLabel(const std::string& key) {
  return {[key](const Block& object, IndexValues& values) { values.Add(LabelOf(object, key)); }};
}

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

TEST(CachedList, SelectsByFieldsNamespaceAndLabels_UpToTheLimit) {
  Simulation sim;
  IndexerCore cache(sim.env());
  ASSERT_TRUE(cache
                  .AddIndexes({{IndexOfField("color"), ByLabel("color")},
                               {IndexOfField("size"), ByLabel("size")},
                               {IndexOfField("app"), ByLabel("app")}})
                  .ok());
  ASSERT_TRUE(
      cache
          .Replace({MakeObject("blue", "a", "1", {{"app", "web"}, {"color", "r"}, {"size", "1"}}),
                    MakeObject("blue", "b", "2", {{"app", "db"}, {"color", "r"}, {"size", "2"}}),
                    MakeObject("blue", "c", "3", {{"app", "web"}, {"color", "g"}, {"size", "1"}}),
                    MakeObject("green", "a", "4", {{"app", "web"}, {"color", "r"}, {"size", "1"}}),
                    MakeObject("green", "d", "5", {{"app", "db"}, {"color", "g"}, {"size", "2"}})},
                   "5")
          .ok());
  struct {
    const char* namespace_;
    const char* labels;
    const char* fields;
    std::size_t limit;
    const char* found;
  } const rows[] = {
      {"", "", "", 0, "blue/a blue/b blue/c green/a green/d"},
      {"", "", "", 1, "blue/a"},
      {"", "", "", 4, "blue/a blue/b blue/c green/a"},
      {"", "", "", 5, "blue/a blue/b blue/c green/a green/d"},
      {"", "", "", 6, "blue/a blue/b blue/c green/a green/d"},
      {"blue", "", "", 0, "blue/a blue/b blue/c"},
      {"blue", "", "", 1, "blue/a"},
      {"blue", "", "", 2, "blue/a blue/b"},
      {"green", "", "", 0, "green/a green/d"},
      {"gray", "", "", 0, ""},
      {"", "app=db", "", 0, "blue/b green/d"},
      {"", "app=db", "", 1, "blue/b"},
      {"green", "app=db", "", 0, "green/d"},
      {"green", "app=db", "", 1, "green/d"},
      {"", "", "color=r", 0, "blue/a blue/b green/a"},
      {"", "", "color=r", 2, "blue/a blue/b"},
      {"green", "", "color=r", 0, "green/a"},
      {"green", "", "color=r", 1, "green/a"},
      {"", "app=db", "color=r", 0, "blue/b"},
      {"", "", "color=r,size=1", 0, "blue/a green/a"},
      {"", "", "size=1,color=r", 0, "blue/a green/a"},
      {"", "", "color=r,size=2", 0, "blue/b"},
      {"", "", "color=r,size=1,app=web", 0, "blue/a green/a"},
      {"", "", "color=g,size=1,app=db", 0, ""},
      {"blue", "", "color=r,size=1,app=web", 0, "blue/a"},
      {"", "", "color=x", 0, ""},
      {"", "", "shape=o", 0,
       "listing things by the field shape: it has no index; call IndexField for it, or filter the "
       "objects"},
      {"", "", "color=r,shape=o", 0,
       "listing things by the field shape: it has no index; call IndexField for it, or filter the "
       "objects"},
      {"", "", "size=1,color!=r", 0,
       "listing things by size=1,color!=r: an index knows field=value only; filter the objects, or "
       "ask the server, by APIReader"},
  };
  for (const auto& row : rows) {
    const ReadOptions options{.namespace_ = row.namespace_,
                              .label_selector = LabelSelector::Parse(row.labels).OrExit(),
                              .field_selector = FieldSelector::Parse(row.fields).OrExit(),
                              .limit = row.limit};
    EXPECT_EQ(NamesOf(ListCached(cache, "things", options)), row.found)
        << row.namespace_ << " " << row.labels << " " << row.fields << " " << row.limit;
  }
}

TEST(CachedList, ThrowingIndexOfALaterField_IsTheResult) {
  Simulation sim;
  IndexerCore cache(sim.env());
  bool throws = false;
  const IndexFunction second{[&throws](const Block&, IndexValues& values) {
    if (throws) throw std::runtime_error("no size");
    values.Add("1");
  }};
  ASSERT_TRUE(
      cache.AddIndexes({{IndexOfField("color"), ByLabel("color")}, {IndexOfField("size"), second}})
          .ok());
  ASSERT_TRUE(cache.Replace({MakeObject("blue", "a", "1", {{"color", "r"}})}, "1").ok());
  ReadOptions options;
  options.field_selector = FieldSelector::Parse("color=r,size=1").OrExit();
  EXPECT_EQ(NamesOf(ListCached(cache, "things", options)), "blue/a");
  throws = true;
  const auto listed = ListCached(cache, "things", options);
  ASSERT_FALSE(listed.ok());
  EXPECT_THAT(listed.error().message(), HasSubstr("no size"));
}

}  // namespace
}  // namespace kinformer::internal::delegating
