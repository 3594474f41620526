#include "sinks/lines/line_reader.h"

#include <cstddef>
#include <fstream>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/json/json.h"

namespace kinformer::internal::sinks {
namespace {

// A change that no commit has confirmed so far.
struct Pending {
  ObjectName name{};
  std::optional<HeldVersion> version{};  // empty: removed
};

class Reader {
 public:
  // Returns false if the line is none of a sink.
  bool Take(std::string_view line, std::int64_t end) {
    // Strings in front of the object have no unescaped quotes.
    const std::size_t object = line.find(R"(,"object":{)");
    const Result<json::Value> head =
        json::Parse(object == std::string_view::npos ? std::string(line)
                                                     : std::string(line.substr(0, object)) + "}");
    if (!head || (object != std::string_view::npos && line.back() != '}')) return false;
    const auto text = [&](const char* name) {
      return std::string((*head)[name].AsString().value_or(""));
    };
    const std::string resource = text("resource");
    const std::string op = text("op");
    if (resource.empty()) return false;
    if (op == "commit") return Commit(resource, text("from"), *head, end);
    if (op != "upsert" && op != "remove") return false;
    Pending change{.name = {text("namespace"), text("name")}};
    if (op == "upsert") change.version = HeldVersion{text("uid"), text("resourceVersion")};
    pending_[resource].push_back(std::move(change));
    return true;
  }
  LinesOfFile lines{};

 private:
  bool Commit(const std::string& resource, const std::string& from, const json::Value& head,
              std::int64_t end) {
    HeldLines& held = lines.resources[resource];
    if (held.resource_version != from) return false;
    if (head["complete"].AsBool().value_or(false)) held.objects.clear();
    for (Pending& change : pending_[resource]) {
      if (change.version) {
        held.objects[std::move(change.name)] = *std::move(change.version);
      } else {
        held.objects.erase(change.name);
      }
    }
    pending_.clear();
    held.source = head["source"].AsString().value_or("");
    held.resource_version = head["to"].AsString().value_or("");
    lines.valid_bytes = end;
    return true;
  }

  std::map<std::string, std::vector<Pending>> pending_;
};

}  // namespace

Result<LinesOfFile> ReadLines(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return Error(Reason::kConfig, path + ": it cannot be read");
  Reader reader;
  std::int64_t end = 0;
  std::size_t number = 0;
  std::optional<std::size_t> wrong;  // the first such line since the last commit
  for (std::string line; std::getline(file, line); line.clear()) {
    if (file.eof()) break;  // torn: no line break follows
    ++number;
    end += static_cast<std::int64_t>(line.size()) + 1;
    const std::int64_t valid = reader.lines.valid_bytes;
    if (!reader.Take(line, end) && !wrong) wrong = number;
    // A commit behind a wrong line shows that the line was not torn by the end of a program.
    if (wrong && (reader.lines.valid_bytes != valid || valid == 0)) break;
  }
  if (wrong && (reader.lines.valid_bytes == end || reader.lines.valid_bytes == 0)) {
    return Error(Reason::kConfig, path + ": line " + std::to_string(*wrong) +
                                      " is none of an export: give another file");
  }
  return std::move(reader.lines);
}

}  // namespace kinformer::internal::sinks
