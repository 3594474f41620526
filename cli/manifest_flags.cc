#include "cli/manifest_flags.h"

#include <cstddef>
#include <iostream>
#include <utility>

#include "kinformer/object/label_selector.h"

#include "base/text/number_in.h"
#include "cli/printable.h"

namespace kinformer::cli {
namespace {

// Labels of a manifest, for a selector.
class Labels {
 public:
  explicit Labels(const Manifest& manifest) : labels_(manifest.object["metadata"]["labels"]) {}
  [[nodiscard]] std::optional<std::string_view> Find(std::string_view key) const {
    const json::Value* const value = labels_.Find(key);
    return value == nullptr ? std::nullopt : value->AsString();
  }

 private:
  const json::Value& labels_;
};

Error Invalid(std::string message) { return {Reason::kInvalidArgument, std::move(message)}; }

}  // namespace

void AddManifestFlags(Command& command, ManifestFlags& flags) {
  command.Options("-f,--filename", flags.files, "FILE",
                  "files or folders of YAML or JSON; - is standard input");
  command.Flag("-R,--recursive", flags.recursive, "read folders inside folders, too");
  command.Option("-n,--namespace", flags.namespace_, "NS",
                 "namespace; the context's where it is not given");
  command.Option("-l,--selector", flags.label_selector, "SELECTOR",
                 "only objects with these labels: app=web,tier in (front,back)");
}

NamespaceChoice ChooseNamespace(const Connection& connection, const std::string& flag) {
  if (!flag.empty()) return {.name = flag, .enforced = true};
  const std::string& own = connection.config.namespace_;
  return {.name = own.empty() ? "default" : own, .enforced = false};
}

Result<ManifestList> ReadFlagged(const ManifestFlags& flags) {
  const Result<LabelSelector> selector = LabelSelector::Parse(flags.label_selector);
  if (!selector) return Invalid("-l: " + selector.error().message());
  ManifestList list =
      ReadManifests(flags.files, {.recursive = flags.recursive, .input = &std::cin});
  for (const std::string& warning : list.warnings) {
    std::cerr << "warning: " << Printable(warning) << '\n';
  }
  std::erase_if(list.manifests,
                [&](const Manifest& manifest) { return !selector->Matches(Labels(manifest)); });
  return list;
}

std::string QualifiedName(const RestMapping& mapping, const std::string& name) {
  std::string text;
  for (const char c : mapping.kind.kind) {
    text += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  if (!mapping.resource.group.empty()) text += "." + mapping.resource.group;
  return Printable(text + "/" + name);
}

std::string DryRunHabit(std::string_view value) {
  if (value != "client") return {};
  return "a dry run here asks the server, which knows defaults, limits and webhooks: write "
         "--dry-run=server";
}

Result<GroupVersionKind> ParseAllowed(const std::string& text) {
  const std::size_t first = text.find('/');
  const std::size_t second = first == std::string::npos ? first : text.find('/', first + 1);
  if (second == std::string::npos || text.find('/', second + 1) != std::string::npos) {
    return Invalid("\"" + text +
                   "\" is not GROUP/VERSION/KIND, such as apps/v1/Deployment or core/v1/Pod");
  }
  GroupVersionKind kind{.group = text.substr(0, first),
                        .version = text.substr(first + 1, second - first - 1),
                        .kind = text.substr(second + 1)};
  if (kind.group == "core") kind.group.clear();
  if (kind.version.empty() || kind.kind.empty()) {
    return Invalid("\"" + text + "\" lacks its version or kind");
  }
  return kind;
}

Result<NamedParent> ParseParent(const std::string& text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos && !text.empty()) return NamedParent{.resource = "", .name = text};
  NamedParent parent{.resource = text.substr(0, slash),
                     .name = slash == std::string::npos ? "" : text.substr(slash + 1)};
  if (parent.resource.empty() || parent.name.empty() ||
      parent.name.find('/') != std::string::npos) {
    return Invalid("\"" + text + "\" is not [RESOURCE/]NAME, such as configmaps/web");
  }
  return parent;
}

Result<std::int64_t> ParseGracePeriod(const std::string& text) {
  const std::optional<std::int64_t> seconds = internal::base::NumberIn(text);
  if (!seconds) return Invalid("\"" + text + "\" is no number of seconds");
  return *seconds;
}

}  // namespace kinformer::cli
