// Errors for authors of manifests: what to change in the file.

#include "apiserver/server/manifest_errors.h"

#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/testing.h"

namespace kinformer::apiserver::testing {
namespace {

TEST(ManifestErrors, DocumentName_SaysKindNameAndPlace) {
  struct Row {
    std::string_view document;
    std::size_t number;
    std::size_t count;
    std::string_view name;
  };
  const std::vector<Row> rows = {
      {R"({"kind":"Pod","metadata":{"name":"web"}})", 1, 1, "Pod web"},
      {R"({"kind":"Pod","metadata":{"name":"web"}})", 2, 3, "document 2 (Pod web)"},
      {R"({"kind":"Pod","metadata":{"name":"web","generateName":"g-"}})", 1, 1, "Pod web"},
      {R"({"kind":"Pod","metadata":{"generateName":"g-"}})", 1, 1, "Pod g-"},
      {R"({"kind":"Pod"})", 1, 1, "Pod"},
      {R"({"metadata":{"name":"web"}})", 1, 1, "object without a kind web"},
      {R"({})", 1, 2, "document 1 (object without a kind)"},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(DocumentName(Json(row.document), row.number, row.count), row.name) << row.document;
  }
}

TEST(ManifestErrors, UnknownKind_SaysWhatWouldBeKnown) {
  struct Row {
    std::string_view document;
    std::string_view message;
  };
  const ResourceTable resources{HistoryLimits{}};
  const std::vector<Row> rows = {
      {R"({})",
       "it has no apiVersion and kind; each document begins like \"apiVersion: v1\" and \"kind: "
       "Pod\""},
      {R"({"kind":"Pod"})",
       "it has no apiVersion; each document begins like \"apiVersion: v1\" and \"kind: Pod\""},
      {R"({"apiVersion":"v1"})",
       "it has no kind; each document begins like \"apiVersion: v1\" and \"kind: Pod\""},
      {R"({"apiVersion":"v2","kind":"Pod"})",
       "no resource serves kind \"Pod\" in version \"v2\"; write kind: Pod and apiVersion: v1"},
      {R"({"apiVersion":"v1","kind":"pod"})",
       "no resource serves kind \"pod\" in version \"v1\"; write kind: Pod and apiVersion: v1"},
      {R"({"apiVersion":"v1","kind":"Event2"})",
       "no resource serves kind \"Event2\" in version \"v1\"; did you mean \"Event\"?"},
      {R"({"apiVersion":"v1","kind":"EVENT"})",
       "no resource serves kind \"EVENT\" in version \"v1\"; write kind: Event and apiVersion: "
       "events.k8s.io/v1 or v1"},
      {R"({"apiVersion":"apps/v1","kind":"Deploiment"})",
       "no resource serves kind \"Deploiment\" in version \"apps/v1\"; did you mean "
       "\"Deployment\"?"},
      {R"({"apiVersion":"v1","kind":"Deploiment"})",
       "no resource serves kind \"Deploiment\" in version \"v1\"; the group is built in, and has "
       "no such kind; is the apiVersion right?"},
      {R"({"apiVersion":"v1","kind":"Nodes"})",
       "no resource serves kind \"Nodes\" in version \"v1\"; did you mean \"Node\"?"},
      // As near as to Pod, which comes later.
      {R"({"apiVersion":"v1","kind":"Pode"})",
       "no resource serves kind \"Pode\" in version \"v1\"; did you mean \"Node\"?"},
      {R"({"apiVersion":"v1","kind":"Nod"})",
       "no resource serves kind \"Nod\" in version \"v1\"; did you mean \"Node\"?"},
      {R"({"apiVersion":"v1","kind":"PersistentVolumeClaims"})",
       "no resource serves kind \"PersistentVolumeClaims\" in version \"v1\"; did you mean "
       "\"PersistentVolumeClaim\"?"},
      {R"({"apiVersion":"v1","kind":"PersistentVolumeCl"})",
       "no resource serves kind \"PersistentVolumeCl\" in version \"v1\"; did you mean "
       "\"PersistentVolume\"?"},
      {R"({"apiVersion":"x.io/v1","kind":"Deploiment"})",
       "no resource serves kind \"Deploiment\" in version \"x.io/v1\"; load the "
       "CustomResourceDefinition of a custom kind before its objects"},
      {R"({"apiVersion":"x.io/v1","kind":"Widget"})",
       "no resource serves kind \"Widget\" in version \"x.io/v1\"; load the "
       "CustomResourceDefinition of a custom kind before its objects"},
  };
  for (const Row& row : rows) {
    const Error error = UnknownKind(resources, Json(row.document));
    EXPECT_EQ(error.reason(), Reason::kNotFound) << row.document;
    EXPECT_EQ(error.message(), row.message) << row.document;
  }
}

TEST(ManifestErrors, CustomKinds_CountWhereTheyAreServed) {
  TestServer server;
  const auto load = [&](std::string_view text) {
    const auto loaded = server.server().Load(text);
    return loaded ? std::string() : loaded.error().message();
  };
  ASSERT_EQ(load(R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.x.io}
spec:
  group: x.io
  scope: Namespaced
  names: {kind: Widget, plural: widgets}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object}}
  - name: v2
    served: false
    storage: false
    schema: {openAPIV3Schema: {type: object}}
)"),
            "");
  EXPECT_EQ(load("apiVersion: x.io/v3\nkind: Widget"),
            "Widget: no resource serves kind \"Widget\" in version \"x.io/v3\"; write kind: Widget "
            "and apiVersion: x.io/v1");
  EXPECT_EQ(load("apiVersion: x.io/v1\nkind: Widgets"),
            "Widgets: no resource serves kind \"Widgets\" in version \"x.io/v1\"; did you mean "
            "\"Widget\"?");
  EXPECT_EQ(load("apiVersion: x.io/v1\nkind: Other"),
            "Other: no resource serves kind \"Other\" in version \"x.io/v1\"; load the "
            "CustomResourceDefinition of a custom kind before its objects");
}

TEST(ManifestErrors, WriteError_GetsItsRemedy) {
  struct Row {
    std::string_view message;
    std::string_view remedy;
  };
  constexpr std::string_view kUnquoted = "; write it without quotes";
  const std::vector<Row> rows = {
      {"x: expected a string, got a number",
       "; in YAML a text that looks like a number or a boolean stands in quotes"},
      {"x: expected a string, got an object", ""},
      {"x: expected an integer, got a string", kUnquoted},
      {"x: expected a boolean, got a string", kUnquoted},
      {"x: expected an integer, got a boolean", ""},
      {"x: expected an array, got an object", "; in YAML each item begins with \"- \""},
      {"x: expected an array, got a string", ""},
      {"x", ""},
  };
  for (const Row& row : rows) {
    Error error(Reason::kInvalid, std::string(row.message));
    error.WithHttpStatus(422).WithDetails({.name = "n", .kind = "namespaces"});
    const Error shown = OfManifest(error);
    EXPECT_EQ(shown.message(), std::string(row.message) + std::string(row.remedy));
    EXPECT_EQ(shown.reason(), Reason::kInvalid);
    EXPECT_EQ(shown.http_status(), 422);
    EXPECT_EQ(shown.details().name, "n");
  }
  Error missing(Reason::kNotFound, "namespaces \"a\" not found");
  missing.WithHttpStatus(404).WithDetails({.name = "a", .kind = "namespaces"});
  EXPECT_EQ(OfManifest(missing).message(),
            "namespaces \"a\" not found; load a document of kind Namespace with that name, too, or "
            "use another namespace");
  missing.WithDetails({.name = "a", .kind = "pods"});
  EXPECT_EQ(OfManifest(missing).message(), "namespaces \"a\" not found");
}

}  // namespace
}  // namespace kinformer::apiserver::testing
