// Whether a cache selects the object that a write returned.

#include "controller/delegating/selection.h"

#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "kinformer/internal/block_builder.h"
#include "kinformer/internal/kind_info.h"

namespace kinformer::internal::delegating {
namespace {

ObjectRef Thing() {
  return BuildFromJson(*DynamicKindInfo("test.example", "v1", "Thing", "things", true),
                       R"({"metadata":{"name":"a","namespace":"default","labels":{"app":"web"}},
                           "spec":{"nodeName":"n1","size":3,"on":true,"parts":{"x":1}}})")
      .OrExit();
}

bool SelectedBy(const cache::Scope& scope) {
  cache::Coverage coverage;
  coverage.scope = scope;
  return Selects(&coverage, *Thing());
}

TEST(Selection, ByPlace) {
  EXPECT_TRUE(Selects(nullptr, *Thing()));
  EXPECT_TRUE(SelectedBy({}));
  EXPECT_TRUE(SelectedBy({.namespace_ = "default", .name = "a"}));
  EXPECT_FALSE(SelectedBy({.namespace_ = "other"}));
  EXPECT_FALSE(SelectedBy({.name = "b"}));
  cache::Coverage several;
  several.namespaces = std::make_shared<cache::NamespaceSet>(
      cache::NamespaceSet{.places = {{"blue", {.complete = true}}, {"default", {}}}});
  EXPECT_TRUE(Selects(&several, *Thing()));
  several.namespaces =
      std::make_shared<cache::NamespaceSet>(cache::NamespaceSet{.places = {{"blue", {}}}});
  EXPECT_FALSE(Selects(&several, *Thing()));
}

TEST(Selection, ByThePlacesOwnSelectors) {
  const auto scope = [](const std::string& labels) {
    return std::make_shared<const cache::Scope>(cache::Scope{.label_selector = labels});
  };
  const auto selects = [](const cache::NamespaceSet& namespaces) {
    cache::Coverage coverage;
    coverage.namespaces = std::make_shared<cache::NamespaceSet>(namespaces);
    return Selects(&coverage, *Thing());
  };
  EXPECT_TRUE(selects(
      {.places = {{"default", {.scope = scope("app=web")}}, {"*", {.scope = scope("app=db")}}}}));
  EXPECT_FALSE(selects({.places = {{"default", {.scope = scope("app=db")}}, {"*", {}}}}));
  EXPECT_TRUE(selects({.places = {{"other", {.scope = scope("app=db")}}, {"*", {}}}}));
  EXPECT_FALSE(selects({.places = {{"other", {}}, {"*", {.scope = scope("app=db")}}}}));
}

TEST(Selection, ByLabelsAndFields) {
  const std::map<std::string_view, bool> labels = {
      {"app=web", true}, {"app!=web", false}, {"!tier", true}, {"app in (db,web)", true}};
  for (const auto& [text, selected] : labels) {
    EXPECT_EQ(SelectedBy({.label_selector = std::string(text)}), selected) << text;
  }
  const std::map<std::string_view, bool> fields = {
      {"spec.nodeName=n1", true},
      {"spec.nodeName!=n1", false},
      {"spec.nodeName=n2", false},
      {"spec.size=3", true},
      {"spec.on=true", true},
      {"spec.on=false", false},
      {"metadata.name=a,metadata.namespace=default", true},
      {"metadata.name!=a", false},
      // An absent field has the value that the server writes for it by default.
      {"spec.unschedulable=false", true},
      {"spec.unschedulable=true", false},
      {"status.successful=0", true},
      {"status.phase=", true},
      {"status.phase!=Running", true},
      {"status.phase=Running", false},
  };
  for (const auto& [text, selected] : fields) {
    EXPECT_EQ(SelectedBy({.field_selector = std::string(text)}), selected) << text;
  }
  EXPECT_FALSE(SelectedBy({.label_selector = "app=web", .field_selector = "spec.size=4"}));
  EXPECT_FALSE(SelectedBy({.label_selector = "nothing,!nothing"}));
  EXPECT_FALSE(SelectedBy({.label_selector = "((("}));
  EXPECT_FALSE(SelectedBy({.field_selector = "spec.nodeName"})) << "no field selector";
}

TEST(Selection, FieldsOfBuiltInResources_AreReadWhereTheServerHasThem) {
  struct {
    const char* group;
    const char* resource;
    const char* object;
    const char* field;
    bool selected;
  } const rows[] = {
      {"batch", "jobs", R"("status":{"succeeded":2})", "status.successful=2", true},
      {"batch", "jobs", R"("status":{"succeeded":2})", "status.successful=0", false},
      {"batch", "jobs", R"("status":{"succeeded":2})", "status.successful!=2", false},
      {"batch", "jobs", R"("status":{})", "status.successful=0", true},
      {"batch", "jobs", R"("status":{"successful":2})", "status.successful=2", false},
      {"batch", "tasks", R"("status":{"successful":2})", "status.successful=2", true},
      {"", "jobs", R"("status":{"successful":2})", "status.successful=2", true},
      {"", "pods", R"("spec":{"nodeName":"n1"})", "spec.host=n1", true},
      {"", "pods", R"("spec":{"nodeName":"n1"})", "spec.host=n2", false},
      {"", "pods", R"("spec":{"nodeName":"n1"})", "spec.nodeName=n1", true},
      {"", "pods", R"("spec":{"host":"n1"})", "spec.host=n1", false},
      {"test.example", "pods", R"("spec":{"host":"n1"})", "spec.host=n1", true},
      {"", "pods", R"("status":{"podIPs":[{"ip":"10.0.0.1"},{"ip":"fd::1"}]})",
       "status.podIPs=10.0.0.1", true},
      {"", "pods", R"("status":{"podIPs":[{"ip":"10.0.0.1"},{"ip":"fd::1"}]})",
       "status.podIPs=fd::1", false},
      {"", "events", R"("source":{"component":"kubelet","host":"n1"})", "source=kubelet", true},
      {"", "events", R"("source":{"component":"kubelet","host":"n1"})", "source!=kubelet", false},
      {"events.k8s.io", "events", R"("source":"kubelet")", "source=kubelet", true},
      {"", "events", R"("involvedObject":{"name":"a","kind":"Pod"},"reason":"Failed")",
       "involvedObject.name=a,involvedObject.kind=Pod,reason=Failed", true},
      {"", "events", R"("involvedObject":{"name":"a"},"reason":"Failed")", "reason=Killing", false},
      {"", "secrets", R"("type":"Opaque")", "type=Opaque", true},
      {"", "secrets", R"("type":"Opaque")", "type!=Opaque", false},
  };
  for (const auto& row : rows) {
    const KindInfo& type = *DynamicKindInfo(row.group, "v1", "Any", row.resource, true);
    const ObjectRef object = BuildFromJson(type, R"({"metadata":{"name":"a","namespace":"x"},)" +
                                                     std::string(row.object) + "}")
                                 .OrExit();
    cache::Coverage coverage;
    coverage.scope.field_selector = row.field;
    EXPECT_EQ(Selects(&coverage, *object), row.selected)
        << row.group << " " << row.resource << " " << row.object << " " << row.field;
  }
}

}  // namespace
}  // namespace kinformer::internal::delegating
