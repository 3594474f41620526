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

// Returns "Cron Spec" for "cronSpec", "API URL" for "apiURL".
std::string LabelOf(const std::string& name) {
  std::string label;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool word = i > 0 && IsUpper(name[i]) &&
                      (IsLower(name[i - 1]) || (i + 1 < name.size() && IsLower(name[i + 1])));
    if (word) label += ' ';
    label += name[i];
  }
  if (!label.empty() && IsLower(label.front())) {
    label.front() = static_cast<char>(label.front() - 'a' + 'A');
  }
  for (const auto& [short_form, word] : std::vector<std::pair<std::string, std::string>>{
           {"Api ", "API "}, {"Uid", "UID"}, {"Url", "URL"}, {"Ip", "IP"}}) {
    if (label == short_form || (short_form.back() == ' ' && label.starts_with(short_form))) {
      label.replace(0, short_form.size(), word);
    }
  }
  return label;
}

void GenericFields(Description& out, int level, const json::Value& object,
                   const std::vector<std::string>& without);

void GenericValue(Description& out, int level, const std::string& label, const json::Value& value) {
  if (value.is_object()) {
    out.Title(level, label);
    GenericFields(out, level + 1, value, {});
  } else if (value.is_array()) {
    out.Title(level, label);
    for (const json::Value& item : value.items()) {
      if (item.is_object()) {
        GenericFields(out, level + 1, item, {});
      } else {
        out.Text(level + 1, ScalarText(item));
      }
    }
  } else {
    out.Field(level, label, ScalarText(value, "<nil>"));
  }
}

void GenericFields(Description& out, int level, const json::Value& object,
                   const std::vector<std::string>& without) {
  for (const std::string& name : SortedNames(object)) {
    if (std::find(without.begin(), without.end(), name) != without.end()) continue;
    GenericValue(out, level, LabelOf(name), object[name]);
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
                        const std::vector<std::string>& fields) {
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
    }
    out.Row(1, cells);
  }
}

void DescribeGeneric(Description& out, const json::Value& object) {
  const json::Value& meta = object["metadata"];
  DescribeHead(out, object);
  out.Labels(0, "Labels", meta["labels"]);
  out.Annotations(0, "Annotations", meta["annotations"]);
  out.Field(0, "API Version", object["apiVersion"].StringOrEmpty());
  out.Field(0, "Kind", object["kind"].StringOrEmpty());
  out.Title(0, "Metadata");
  GenericFields(out, 1, meta, {"name", "namespace", "labels", "annotations", "managedFields"});
  GenericFields(out, 0, object, {"apiVersion", "kind", "metadata"});
}

std::string Describe(const json::Value& object, const Related& related, WallTime now) {
  Description out;
  const std::string& version = object["apiVersion"].StringOrEmpty();
  const std::string& kind = object["kind"].StringOrEmpty();
  if (version == "v1" && kind == "Pod") {
    DescribePod(out, object);
  } else if (!DescribeWorkload(out, object, related) &&
             !DescribeClusterKind(out, object, related, now)) {
    DescribeGeneric(out, object);
  }
  if (related.shows_events) DescribeEvents(out, related.events, now);
  return out.ToText();
}

}  // namespace kinformer::cli
