#include "apiserver/request/negotiation.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "apiserver/errors/status.h"

namespace kinformer::apiserver {
namespace {

std::string_view Trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// Removes and returns the text before `separator`, and removes the separator.
std::string_view Take(std::string_view& text, char separator) {
  const std::string_view part = text.substr(0, text.find(separator));
  text.remove_prefix(std::min(text.size(), part.size() + 1));
  return Trim(part);
}

// Parses a quality such as "0.9", independent of the locale.
double ParseQuality(std::string_view text) {
  double value = 0;
  double scale = 1;
  bool fraction = false;
  for (const char c : text) {
    if (c == '.') {
      fraction = true;
    } else if (c >= '0' && c <= '9') {
      if (fraction) scale /= 10;
      value = fraction ? value + scale * (c - '0') : value * 10 + (c - '0');
    } else {
      return 1;
    }
  }
  return value;
}

std::optional<MediaType> MediaTypeOf(std::string_view type) {
  if (type == "*/*" || type == "application/*" || type == "application/json")
    return MediaType::kJson;
  if (type == "application/yaml") return MediaType::kYaml;
  if (type == "application/vnd.kubernetes.protobuf") return MediaType::kProtobuf;
  return std::nullopt;
}

std::optional<OutputFormat> Satisfy(const AcceptClause& clause, const Offer& offer) {
  const auto media = MediaTypeOf(clause.type);
  if (!media || (*media == MediaType::kYaml && offer.watch)) return std::nullopt;
  OutputFormat format{.media = *media, .pretty = clause.pretty};
  if (clause.as.empty()) {
    if (*media == MediaType::kProtobuf && !offer.protobuf) return std::nullopt;
    return format;
  }
  if (!offer.transforms || clause.group != "meta.k8s.io" ||
      (clause.version != "v1" && clause.version != "v1beta1")) {
    return std::nullopt;
  }
  format.form_version = clause.version;
  if (clause.as == "Table") {
    if (!offer.table || *media == MediaType::kProtobuf) return std::nullopt;
    format.form = Form::kTable;
    return format;
  }
  // A watch sends single objects, and clients request them under either name.
  const bool one = clause.as == "PartialObjectMetadata";
  const bool many = clause.as == "PartialObjectMetadataList";
  const bool fits = offer.watch ? one || many : offer.list ? many : one;
  if (!fits || (*media == MediaType::kProtobuf && !offer.protobuf_metadata)) return std::nullopt;
  format.form = Form::kPartialMetadata;
  return format;
}

}  // namespace

std::vector<AcceptClause> ParseAccept(std::string_view accept) {
  std::vector<AcceptClause> clauses;
  while (!accept.empty()) {
    std::string_view text = Take(accept, ',');
    if (text.empty()) continue;
    AcceptClause clause;
    clause.type = Take(text, ';');
    while (!text.empty()) {
      std::string_view value = Take(text, ';');
      const std::string_view name = Take(value, '=');
      value = Trim(value);
      if (name == "as") clause.as = value;
      if (name == "g") clause.group = value;
      if (name == "v") clause.version = value;
      if (name == "pretty") clause.pretty = value != "0" && value != "false";
      if (name == "q") clause.q = ParseQuality(value);
    }
    if (clause.q > 0) clauses.push_back(std::move(clause));
  }
  std::stable_sort(clauses.begin(), clauses.end(),
                   [](const AcceptClause& a, const AcceptClause& b) { return a.q > b.q; });
  return clauses;
}

Result<OutputFormat> Negotiate(std::string_view accept, const Offer& offer) {
  if (Trim(accept).empty()) return OutputFormat{};
  for (const AcceptClause& clause : ParseAccept(accept)) {
    if (auto format = Satisfy(clause, offer)) return *std::move(format);
  }
  return NotAcceptableError(offer.protobuf);
}

std::string_view ContentTypeOf(const OutputFormat& format, bool watch) {
  switch (format.media) {
    case MediaType::kYaml:
      return "application/yaml";
    case MediaType::kProtobuf:
      return watch ? "application/vnd.kubernetes.protobuf;stream=watch"
                   : "application/vnd.kubernetes.protobuf";
    case MediaType::kJson:
      break;
  }
  return "application/json";
}

bool IsMediaType(std::string_view header, std::string_view type) {
  return Trim(header.substr(0, header.find(';'))) == type;
}

}  // namespace kinformer::apiserver
