#include "cli/size_text.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string_view>
#include <utility>

#include "cli/table.h"

namespace kinformer::cli {
namespace {

constexpr double kStep = 1024;

std::string Formatted(const char* format, double value) {
  std::array<char, 64> text{};
  (void)std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

std::string SecondsText(double seconds) {
  return seconds < 1 ? Formatted("%.0fms", seconds * 1000) : Formatted("%.2fs", seconds);
}

std::vector<std::string> Row(std::string name, std::string objects, const SizeFigures& figures,
                             std::string sample) {
  return {std::move(name),
          std::move(objects),
          BytesText(figures.wire_bytes),
          SecondsText(figures.cpu_seconds),
          BytesText(figures.start_bytes),
          BytesText(figures.settled_bytes),
          std::move(sample)};
}

std::string SampleText(const SizedResource& resource) {
  if (resource.sampled == resource.objects) return "all";
  return std::to_string(resource.sampled) + Formatted(" ±%.0f%%", std::ceil(resource.error * 100));
}

// Returns how far a prediction is off; empty if nothing was measured.
std::string Difference(double predicted, double measured) {
  return measured == 0 ? "" : Formatted("%+.1f%%", (predicted / measured - 1) * 100);
}

void AddFigures(const SizeFigures& figures, json::Value& to) {
  const auto whole = [](double value) { return static_cast<std::int64_t>(std::llround(value)); };
  to.Ensure("wireBytes") = whole(figures.wire_bytes);
  to.Ensure("cpuSeconds") = figures.cpu_seconds;
  to.Ensure("startBytes") = whole(figures.start_bytes);
  to.Ensure("settledBytes") = whole(figures.settled_bytes);
}

json::Value ResourceJson(const SizedResource& resource) {
  json::Value value = json::Value::MakeObject({{"resource", resource.name},
                                               {"objects", resource.objects},
                                               {"names", resource.names},
                                               {"sampled", resource.sampled},
                                               {"error", resource.error},
                                               {"encoding", resource.encoding},
                                               {"initialList", resource.initial_list}});
  AddFigures(resource.figures, value);
  json::Value options = json::Value::MakeArray();
  for (const SizedOption& option : resource.options) {
    json::Value one = json::Value::MakeObject({{"option", option.name}});
    AddFigures(option.figures, one);
    options.Append(std::move(one));
  }
  value.Ensure("options") = std::move(options);
  json::Value namespaces = json::Value::MakeArray();
  for (const auto& [name, objects] : resource.namespaces) {
    if (name.empty()) continue;
    namespaces.Append(json::Value::MakeObject({{"namespace", name}, {"objects", objects}}));
  }
  value.Ensure("namespaces") = std::move(namespaces);
  return value;
}

json::Value FiguresJson(const SizeFigures& figures) {
  json::Value value = json::Value::MakeObject();
  AddFigures(figures, value);
  return value;
}

}  // namespace

SizeFigures ClusterSize::Total() const {
  SizeFigures total = process;
  for (const SizedResource& resource : resources) total += resource.figures;
  return total;
}

std::string BytesText(double bytes) {
  if (bytes < kStep) return Formatted("%.0f", bytes);
  static constexpr std::array<const char*, 4> kUnits{"Ki", "Mi", "Gi", "Ti"};
  std::size_t unit = 0;
  for (bytes /= kStep; bytes >= kStep && unit + 1 < kUnits.size(); bytes /= kStep) ++unit;
  const char* format = "%.2f";
  if (bytes >= 10) format = "%.1f";
  if (bytes >= 100) format = "%.0f";
  return Formatted(format, bytes) + kUnits[unit];
}

std::vector<std::string> SizeTable(const ClusterSize& size) {
  std::vector<std::vector<std::string>> rows;
  rows.push_back({"RESOURCE", "OBJECTS", "WIRE", "CPU", "START", "SETTLED", "SAMPLE"});
  std::uint64_t objects = 0;
  for (const SizedResource& resource : size.resources) {
    objects += resource.objects;
    rows.push_back(Row(resource.name, std::to_string(resource.objects), resource.figures,
                       SampleText(resource)));
    for (const SizedOption& option : resource.options) {
      rows.push_back(Row("  " + option.name, "", option.figures, ""));
    }
  }
  const SizeFigures total = size.Total();
  rows.push_back(Row("process", "", size.process, ""));
  rows.push_back(Row("total", std::to_string(objects), total, ""));
  if (size.measured) {
    const SizeFigures& measured = *size.measured;
    rows.push_back(Row("measured", std::to_string(size.measured_objects), measured, ""));
    rows.push_back({"difference", "", Difference(total.wire_bytes, measured.wire_bytes),
                    Difference(total.cpu_seconds, measured.cpu_seconds),
                    Difference(total.start_bytes, measured.start_bytes),
                    Difference(total.settled_bytes, measured.settled_bytes), ""});
  }
  Table table;
  for (const std::vector<std::string>& row : rows) table.Measure(row);
  std::vector<std::string> lines;
  for (const std::vector<std::string>& row : rows) {
    std::string line = table.Line(row);
    line.erase(line.find_last_not_of(' ') + 1);
    lines.push_back(std::move(line));
  }
  return lines;
}

json::Value SizeJson(const ClusterSize& size) {
  json::Value resources = json::Value::MakeArray();
  for (const SizedResource& resource : size.resources) resources.Append(ResourceJson(resource));
  json::Value value = json::Value::MakeObject({{"resources", std::move(resources)},
                                               {"process", FiguresJson(size.process)},
                                               {"total", FiguresJson(size.Total())}});
  if (size.measured) {
    json::Value measured = FiguresJson(*size.measured);
    measured.Ensure("objects") = size.measured_objects;
    value.Ensure("measured") = std::move(measured);
  }
  return value;
}

}  // namespace kinformer::cli
