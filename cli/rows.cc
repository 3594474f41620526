#include "cli/rows.h"

#include <map>
#include <string_view>
#include <utility>

#include "table/columns.h"

namespace kinformer::cli {
namespace {

// Returns "APP" for example.com/app.
std::string LabelTitle(const std::string& label) {
  std::string title = label.substr(label.rfind('/') + 1);  // npos + 1 is 0
  for (char& c : title) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return title;
}

// Returns "a=b,c=d", sorted, or "<none>".
std::string AllLabels(const json::Value& labels) {
  std::map<std::string_view, std::string_view> sorted;
  for (const auto& [name, value] : labels.members()) sorted.emplace(name, value.StringOrEmpty());
  std::string text;
  for (const auto& [name, value] : sorted) {
    text += (text.empty() ? "" : ",") + std::string(name) + "=" + std::string(value);
  }
  return text.empty() ? "<none>" : text;
}

// Puts the kind in front of the name, which an event has at the end, if at all. What stands behind
// the name stays: "storageclass.storage.k8s.io/fast (default)".
void Qualify(const Selection& selection, const std::string& name, std::vector<std::string>& cells) {
  for (std::string& cell : cells) {
    if (cell != name && !cell.starts_with(name + " ")) continue;
    cell.replace(0, name.size(), selection.QualifiedName(name));
    return;
  }
}

}  // namespace

std::vector<std::string> Rows::Titles() const {
  if (format_.columns) return format_.columns->titles();
  std::vector<std::string> titles =
      internal::table::TitlesOf(selection_.columns, format_.form == Format::Form::kWide);
  if (selection_.shows_namespaces()) titles.insert(titles.begin(), "NAMESPACE");
  for (const std::string& label : format_.label_columns) titles.push_back(LabelTitle(label));
  if (format_.show_labels) titles.emplace_back("LABELS");
  return titles;
}

Result<std::vector<std::string>> Rows::Cells(const json::Value& object, WallTime now) const {
  if (format_.columns) return format_.columns->Cells(object);
  std::vector<std::string> cells = internal::table::CellsOf(
      selection_.columns, object, format_.form == Format::Form::kWide, now);
  const json::Value& metadata = object["metadata"];
  if (qualified_) Qualify(selection_, metadata["name"].StringOrEmpty(), cells);
  if (selection_.shows_namespaces()) {
    cells.insert(cells.begin(), metadata["namespace"].StringOrEmpty());
  }
  for (const std::string& label : format_.label_columns) {
    cells.push_back(metadata["labels"][label].StringOrEmpty());
  }
  if (format_.show_labels) cells.push_back(AllLabels(metadata["labels"]));
  return cells;
}

}  // namespace kinformer::cli
