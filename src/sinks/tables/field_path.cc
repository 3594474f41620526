#include "sinks/tables/field_path.h"

#include <charconv>
#include <utility>

namespace kinformer::internal::sinks {
namespace {

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Result<FieldPath> Read() {
    FieldPath path;
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c == '.') {
        std::string name = Name();
        if (name.empty()) return Wrong("a name is missing behind the dot");
        path.emplace_back(std::move(name));
      } else if (c == '[' && at_ < text_.size()) {
        Result<void> step = Bracket(path);
        if (!step) return std::move(step).error();
      } else {
        return Wrong("a path is written like .spec.nodeName or .status.podIPs[0].ip");
      }
    }
    if (path.empty()) return Wrong("the path is empty");
    return path;
  }

 private:
  std::string Name() {
    std::string name;
    for (; at_ < text_.size() && text_[at_] != '.' && text_[at_] != '['; ++at_) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
      name += text_[at_];
    }
    return name;
  }

  Result<void> Bracket(FieldPath& path) {
    const char quote = text_[at_];
    if (quote == '\'' || quote == '"') {
      const std::size_t end = text_.find(quote, at_ + 1);
      if (end == std::string_view::npos || text_.substr(end + 1, 1) != "]" || end == at_ + 1) {
        return Wrong("a name in brackets is written ['name']");
      }
      path.emplace_back(std::string(text_.substr(at_ + 1, end - at_ - 1)));
      at_ = end + 2;
      return {};
    }
    std::size_t position = 0;
    const char* const end = text_.data() + text_.size();
    const auto [after, error] = std::from_chars(text_.data() + at_, end, position);
    if (error != std::errc() || after == end || *after != ']') {
      return Wrong("brackets hold a position, [0], or a name in quotes, ['name']");
    }
    path.emplace_back(position);
    at_ = static_cast<std::size_t>(after - text_.data()) + 1;
    return {};
  }

  [[nodiscard]] Error Wrong(const std::string& why) const {
    return {Reason::kInvalidArgument,
            "\"" + std::string(text_) + "\" at " + std::to_string(at_) + ": " + why};
  }

  const std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

Result<FieldPath> ParseFieldPath(std::string_view text) { return Reader(text).Read(); }

}  // namespace kinformer::internal::sinks
