// Merges and owners of fields, by the cases of merge_cases.tsv: those of the library that
// kube-apiserver uses, structured-merge-diff, in our own form.

#include <cstddef>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/base/error.h"
#include "kinformer/json/json.h"

#include "apiserver/ownership/field_manager.h"
#include "apiserver/ownership/managed_fields.h"
#include "apiserver/ownership/value_fields.h"
#include "apiserver/schema/schema_apply.h"

namespace kinformer::apiserver {
namespace {

using Line = std::vector<std::string>;

json::Value Parsed(const std::string& text) {
  Result<json::Value> value = json::Parse(text);
  EXPECT_TRUE(value.ok()) << text;
  return value ? *std::move(value) : json::Value();
}

FieldSet Fields(const std::string& text) { return FieldSet::FromJson(Parsed(text)); }

Line Split(const std::string& line) {
  Line out;
  std::size_t from = 0;
  for (std::size_t tab = 0; (tab = line.find('\t', from)) != std::string::npos; from = tab + 1) {
    out.push_back(line.substr(from, tab - from));
  }
  out.push_back(line.substr(from));
  return out;
}

// An empty object or list is the same as none where a real server makes null of it.
bool IsSame(const json::Value& a, const json::Value& b) {
  if (a.size() == 0 && b.size() == 0 && (a.is_null() || b.is_null())) {
    return (a.is_null() || a.is_object() || a.is_array()) &&
           (b.is_null() || b.is_object() || b.is_array());
  }
  if (a.is_object() && b.is_object()) {
    for (const auto& [name, value] : a.members()) {
      if (!b.contains(name) || !IsSame(value, b[name])) return false;
    }
    return a.size() == b.size();
  }
  if (!a.is_array() || !b.is_array()) return a == b;
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
    if (!IsSame(a[i], b[i])) return false;
  }
  return a.size() == b.size();
}

// An object that several managers write. Its owners are in its metadata.
class SharedObject {
 public:
  void Use(const std::string& schema) {
    version_.schema = std::make_shared<const StructuralSchema>(Parsed(schema));
  }

  void Reset(FieldSet fields) { reset_ = std::move(fields); }

  void Update(const std::string& manager, const std::string& version, json::Value object) {
    TrackUpdate(Shape(), Writer(manager, version, /*applies=*/false), object_, {}, object);
    object_ = std::move(object);
  }

  // Returns the error, after which the object is as it was.
  Result<void> Apply(const std::string& manager, const std::string& version,
                     const json::Value& declared, bool force) {
    json::Value merged = object_.is_null() ? json::Value::MakeObject() : object_;
    const std::string problem = ApplyDeclared(version_.schema->root(), declared, merged);
    if (!problem.empty()) return Error(Reason::kInvalid, problem);
    const Result<void> owned = TrackApply(Shape(), Writer(manager, version, /*applies=*/true),
                                          object_, declared, force, merged);
    if (owned) object_ = std::move(merged);
    return owned;
  }

  [[nodiscard]] json::Value Content() const {
    json::Value out = object_;
    out.Erase("metadata");
    return out;
  }

  // Returns the fields of each `manager version`.
  [[nodiscard]] std::map<std::string, FieldSet> Owners() const {
    std::map<std::string, FieldSet> out;
    for (ManagedEntry& entry : ManagedFieldsOf(object_)) {
      out[entry.manager + " " + entry.api_version].Add(entry.fields);
    }
    return out;
  }

  [[nodiscard]] ValueShape Shape() const { return ValueShape::Of(version_); }
  [[nodiscard]] const SchemaNode& Root() const { return version_.schema->root(); }

 private:
  [[nodiscard]] FieldManager Writer(const std::string& manager, const std::string& version,
                                    bool applies) const {
    return {.tracks = true,
            .applies = applies,
            .name = manager,
            .api_version = version,
            .reset = reset_};
  }

  ServedVersion version_{};
  FieldSet reset_{};
  json::Value object_{};
};

// Returns `manager field` for each conflict that the error names.
std::set<std::string> ConflictsIn(const Error& error) {
  std::set<std::string> out;
  for (const StatusCause& cause : error.details().causes) {
    const std::size_t from = cause.message.find('"') + 1;
    const std::size_t to = cause.message.find('"', from);
    out.insert(cause.message.substr(from, to - from) + " " + cause.field);
  }
  return out;
}

// Reads the cases line by line.
class Cases {
 public:
  explicit Cases(const std::string& path) : file_(path) { Advance(); }

  // Runs all, and returns how many there are.
  std::size_t Run() {
    std::size_t count = 0;
    while (line_) {
      const Line line = *line_;
      Advance();
      SCOPED_TRACE(where_ + ", line " + std::to_string(number_ - 1) + ": " + line[0]);
      if (line[0] == "schema") {
        schemas_[line.at(1)] = line.at(2);
      } else if (line[0] == "case") {
        ++count;
        where_ = "case " + line.at(1);
        object_ = {};
        object_.Use(schemas_.at(line.at(2)));
        owners_.clear();
      } else if (line[0] == "table") {
        where_ = "table " + line.at(1);
        object_ = {};
        object_.Use(schemas_.at(line.at(1)));
      } else if (IsRow(line)) {
        ++count;
      } else {
        Step(line);
      }
    }
    return count;
  }

 private:
  void Advance() {
    std::string text;
    while (std::getline(file_, text)) {
      ++number_;
      if (text.empty() || text.starts_with('#')) continue;
      line_ = Split(text);
      return;
    }
    line_.reset();
    ++number_;
  }

  [[nodiscard]] bool Is(std::string_view word) const { return line_ && line_->at(0) == word; }

  // Checks a row of a table.
  [[nodiscard]] bool IsRow(const Line& line) const {
    if (line[0] == "merge") {
      json::Value merged = Parsed(line.at(1));
      EXPECT_EQ(ApplyDeclared(object_.Root(), Parsed(line.at(2)), merged), "");
      EXPECT_TRUE(IsSame(merged, Parsed(line.at(3)))) << line[3] << "\n" << merged;
    } else if (line[0] == "fields") {
      const FieldSet found = FieldsOf(object_.Shape(), Parsed(line.at(1)));
      EXPECT_EQ(found.ToJson(), Fields(line.at(2)).ToJson()) << line[1];
    } else if (line[0] == "compare") {
      const FieldChanges found = Compare(object_.Shape(), Parsed(line.at(1)), Parsed(line.at(2)));
      EXPECT_EQ(found.removed.ToJson(), Fields(line.at(3)).ToJson()) << line[1] << line[2];
      EXPECT_EQ(found.modified.ToJson(), Fields(line.at(4)).ToJson()) << line[1] << line[2];
      EXPECT_EQ(found.added.ToJson(), Fields(line.at(5)).ToJson()) << line[1] << line[2];
    } else if (line[0] == "fit") {
      FieldSet fields = Fields(line.at(1));
      FitTo(object_.Shape(), fields);
      EXPECT_EQ(fields.ToJson(), Fields(line.at(2)).ToJson()) << line[1];
    } else {
      return false;
    }
    return true;
  }

  void Step(const Line& line) {
    if (line[0] == "use") {
      object_.Use(schemas_.at(line.at(1)));
    } else if (line[0] == "reset") {
      object_.Reset(Fields(line.at(1)));
    } else if (line[0] == "update") {
      object_.Update(line.at(1), line.at(2), Parsed(line.at(3)));
    } else if (line[0] == "apply" || line[0] == "force") {
      const Result<void> done =
          object_.Apply(line.at(1), line.at(2), Parsed(line.at(3)), line[0] == "force");
      CheckResult(done);
    } else if (line[0] == "object") {
      EXPECT_TRUE(IsSame(object_.Content(), Parsed(line.at(1)))) << line[1] << "\n"
                                                                 << object_.Content();
    } else if (line[0] == "owner") {
      owners_[line.at(1) + " " + line.at(2)] = Fields(line.at(3));
      if (!Is("owner")) CheckOwners();
    } else {
      EXPECT_EQ(line[0], "nobody") << "unknown line";
      CheckOwners();
    }
  }

  void CheckResult(const Result<void>& done) {
    if (Is("refused")) {
      EXPECT_FALSE(done.ok());
      Advance();
      return;
    }
    std::set<std::string> wanted;
    for (; Is("conflict"); Advance()) wanted.insert(line_->at(1) + " " + line_->at(2));
    EXPECT_EQ(done.ok() ? std::set<std::string>() : ConflictsIn(done.error()), wanted);
    EXPECT_EQ(done.ok(), wanted.empty());
  }

  void CheckOwners() const {
    std::map<std::string, FieldSet> found = object_.Owners();
    for (const auto& [who, fields] : owners_) {
      EXPECT_EQ(found[who].ToJson(), fields.ToJson()) << who;
    }
    EXPECT_EQ(found.size(), owners_.size());
  }

  std::ifstream file_;
  std::optional<Line> line_{};
  std::size_t number_ = 0;  // of the line
  std::string where_{};
  std::map<std::string, std::string> schemas_{};
  SharedObject object_{};
  std::map<std::string, FieldSet> owners_{};
};

// How many there are in the file: so that none is lost.
constexpr std::size_t kCases = 391;

TEST(MergeCases, AreThoseOfTheLibraryOfTheRealServer) {
  Cases cases(KINFORMER_MERGE_CASES);
  EXPECT_EQ(cases.Run(), kCases);
}

}  // namespace
}  // namespace kinformer::apiserver
