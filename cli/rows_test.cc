#include "cli/rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "table/columns.h"

namespace kinformer::cli {
namespace {

using testing::ElementsAre;

const json::Value& Map() {
  static const json::Value kMap = json::Parse(R"({"metadata": {"name": "m", "namespace": "shop",
    "labels": {"example.com/tier": "back", "app": "web"}}, "data": {"a": "1"}})")
                                      .OrExit();
  return kMap;
}

Selection Maps() {
  Selection selection;
  selection.mapping = {.resource = {.group = "", .version = "v1", .resource = "configmaps"},
                       .kind = {.group = "", .version = "v1", .kind = "ConfigMap"},
                       .namespaced = true};
  selection.namespace_ = "shop";
  selection.columns = internal::table::ColumnsFor("", "ConfigMap");
  return selection;
}

TEST(Rows, Labels_AreColumnsAtTheEnd) {
  const Selection selection = Maps();
  const Format format =
      ReadFormat({.show_labels = true, .label_columns = {"app,example.com/tier,none"}}).OrExit();
  const Rows rows(format, selection, /*qualified=*/false);
  EXPECT_THAT(rows.Titles(), ElementsAre("NAME", "DATA", "AGE", "APP", "TIER", "NONE", "LABELS"));
  EXPECT_THAT(*rows.Cells(Map(), WallTime()), ElementsAre("m", "1", "<unknown>", "web", "back", "",
                                                          "app=web,example.com/tier=back"));
  EXPECT_EQ(rows.Cells(json::Value::MakeObject(), WallTime())->back(), "<none>");
}

TEST(Rows, Names_HaveTheirKindAndNamespaceWhereAsked) {
  Selection selection = Maps();
  const Format plain = ReadFormat({}).OrExit();
  const Format kinds = ReadFormat({.show_kind = true}).OrExit();
  EXPECT_EQ(Rows(plain, selection, false).Cells(Map(), WallTime())->front(), "m");
  EXPECT_EQ(Rows(plain, selection, true).Cells(Map(), WallTime())->front(), "configmap/m");
  EXPECT_EQ(Rows(kinds, selection, false).Cells(Map(), WallTime())->front(), "configmap/m");
  Selection classes = Maps();
  classes.mapping.resource = {"storage.k8s.io", "v1", "storageclasses"};
  classes.mapping.kind = {"storage.k8s.io", "v1", "StorageClass"};
  classes.columns = internal::table::ColumnsFor("storage.k8s.io", "StorageClass");
  const json::Value fast =
      json::Parse(R"({"metadata":{"name":"fast","annotations":)"
                  R"({"storageclass.kubernetes.io/is-default-class":"true"}}})")
          .OrExit();
  EXPECT_EQ(Rows(plain, classes, true).Cells(fast, WallTime())->front(),
            "storageclass.storage.k8s.io/fast (default)");
  Selection events = Maps();
  events.mapping.resource = {"", "v1", "events"};
  events.mapping.kind = {"", "v1", "Event"};
  events.columns = internal::table::ColumnsFor("", "Event");
  const json::Value event = json::Parse(R"({"metadata":{"name":"e.1"},"involvedObject":)"
                                        R"({"kind":"Pod","name":"e"},"message":"m"})")
                                .OrExit();
  EXPECT_EQ(*Rows(plain, events, true).Cells(event, WallTime()),
            *Rows(plain, events, false).Cells(event, WallTime()))
      << "without -o wide there is no name";
  const Format wide = ReadFormat({.output = "wide"}).OrExit();
  EXPECT_EQ(Rows(wide, events, true).Cells(event, WallTime())->back(), "event/e.1");
  selection.namespace_.clear();
  EXPECT_EQ(Rows(plain, selection, false).Titles().front(), "NAMESPACE");
  EXPECT_EQ(Rows(plain, selection, false).Cells(Map(), WallTime())->front(), "shop");
}

TEST(Rows, CustomColumns_TakeThePlaceOfAllOthers) {
  Selection selection = Maps();
  selection.namespace_.clear();
  const Format format = ReadFormat({.output = "custom-columns=A:.data.a"}).OrExit();
  const Rows rows(format, selection, /*qualified=*/true);
  EXPECT_THAT(rows.Titles(), ElementsAre("A"));
  EXPECT_THAT(*rows.Cells(Map(), WallTime()), ElementsAre("1"));
}

}  // namespace
}  // namespace kinformer::cli
