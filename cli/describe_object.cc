// Descriptions of any object: its head, its events, and fields by their names.

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "cli/description.h"

namespace kinformer::cli {
namespace {

bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
bool IsLower(char c) { return c >= 'a' && c <= 'z'; }

// Returns "Cron Spec" for "cronSpec", "API URL" for "apiURL". A name with other characters than
// letters and "-" stays as it is.
std::string LabelOf(const std::string& name) {
  const auto kind = [](char c) { return IsUpper(c) ? 2 : IsLower(c) ? 1 : 0; };
  std::vector<std::string> words;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (kind(name[i]) == 0 && name[i] != '-') return name;
    // The last of several capital letters belongs to the word that follows.
    const bool begins =
        i == 0 ||
        (kind(name[i]) != kind(name[i - 1]) && !(IsLower(name[i]) && IsUpper(name[i - 1]))) ||
        (IsUpper(name[i]) && IsUpper(name[i - 1]) && i + 1 < name.size() && IsLower(name[i + 1]));
    if (begins) words.emplace_back();
    words.back() += name[i];
  }
  std::string label;
  for (std::string& word : words) {
    std::string upper = word;
    for (char& c : upper) c = IsLower(c) ? static_cast<char>(c - 'a' + 'A') : c;
    const bool short_form =
        upper == "API" || upper == "URL" || upper == "UID" || upper == "OSB" || upper == "GUID";
    if (!short_form) upper = upper.substr(0, 1) + word.substr(1);
    label += (label.empty() ? "" : " ") + upper;
  }
  return label;
}

// `path`: where the object stands, ".metadata". `without`: paths that are left out.
void GenericFields(Description& out, int level, const json::Value& object, const std::string& path,
                   const std::vector<std::string>& without) {
  for (const std::string& name : SortedNames(object)) {
    const std::string inner = path + "." + name;
    if (std::find(without.begin(), without.end(), inner) != without.end()) continue;
    const json::Value& value = object[name];
    const std::string label = LabelOf(name);
    if (value.is_object()) {
      out.Title(level, label);
      GenericFields(out, level + 1, value, inner, without);
    } else if (value.is_array()) {
      out.Title(level, label);
      for (const json::Value& item : value.items()) {
        if (item.is_object()) {
          GenericFields(out, level + 1, item, inner, without);
        } else {
          out.Text(level + 1, ScalarText(item));
        }
      }
    } else {
      out.Field(level, label, ScalarText(value, "<nil>"));
    }
  }
}

void DescribeEvents(Description& out, const std::vector<EventRow>& rows, WallTime now) {
  const std::vector<EventRow> events = Grouped(rows);
  if (events.empty()) {
    out.Field(0, "Events", "<none>");
    return;
  }
  out.Title(0, "Events");
  out.Row(1, {"Type", "Reason", "Age", "From", "Message"});
  out.Row(1, {"----", "------", "----", "----", "-------"});
  for (const EventRow& event : events) {
    out.Row(1, {event.type, event.reason, LastSeen(event, now), event.source, event.message});
  }
}

}  // namespace

void DescribeHead(Description& out, const json::Value& object, bool namespaced) {
  const json::Value& meta = object["metadata"];
  out.Field(0, "Name", meta["name"].StringOrEmpty());
  if (namespaced) out.Field(0, "Namespace", meta["namespace"].StringOrEmpty());
}

void DescribeController(Description& out, const json::Value& object) {
  for (const json::Value& owner : object["metadata"]["ownerReferences"].items()) {
    if (!owner["controller"].AsBool().value_or(false)) continue;
    out.Field(0, "Controlled By",
              owner["kind"].StringOrEmpty() + "/" + owner["name"].StringOrEmpty());
  }
}

void DescribeConditions(Description& out, const json::Value& conditions,
                        const std::vector<std::string>& fields, std::size_t padded) {
  if (conditions.size() == 0) return;
  out.Title(0, "Conditions");
  std::vector<std::string> titles;
  std::vector<std::string> lines;
  for (const std::string& field : fields) {
    titles.push_back(field);
    titles.back().front() = static_cast<char>(field.front() - 'a' + 'A');
    lines.emplace_back(titles.back().size(), '-');
  }
  out.Row(1, titles);
  out.Row(1, lines);
  for (const json::Value& condition : conditions.items()) {
    std::vector<std::string> cells;
    for (const std::string& field : fields) {
      const std::string text = ScalarText(condition[field]);
      cells.push_back(field.ends_with("Time") ? TimeText(text) : text);
      if (cells.size() <= padded) cells.back() += ' ';
    }
    out.Row(1, cells);
  }
}

void DescribeGeneric(Description& out, const json::Value& object) {
  const json::Value& meta = object["metadata"];
  DescribeHead(out, object);
  out.Labels(0, "Labels", meta["labels"]);
  out.Annotations(0, "Annotations", meta["annotations"]);
  GenericFields(out, 0, object, "",
                {".metadata.name", ".metadata.namespace", ".metadata.labels",
                 ".metadata.annotations", ".metadata.managedFields"});
}

std::string Describe(const json::Value& object, const Related& related, WallTime now) {
  Description out;
  const std::string& version = object["apiVersion"].StringOrEmpty();
  const std::string& kind = object["kind"].StringOrEmpty();
  if (version == "v1" && kind == "Pod") {
    DescribePod(out, object);
  } else if (!DescribeWorkload(out, object, related) &&
             !DescribeClusterKind(out, object, related, now) && !DescribePolicy(out, object)) {
    DescribeGeneric(out, object);
  }
  if (related.shows_events) DescribeEvents(out, related.events, now);
  return out.ToText();
}

}  // namespace kinformer::cli
