#include "cli/size_estimate.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "kinformer/apiserver/http_server.h"
#include "kinformer/object/projection.h"

#include "cli/size_fields.h"
#include "cli/size_replay.h"

namespace kinformer::cli {
namespace {

// Bytes that a rehearsal sends at most; larger collections are halved until they fit, so that the
// tables of the store are as full as they will be.
constexpr double kMostBytes = 128.0 * 1024 * 1024;
constexpr std::size_t kRuns = 3;
constexpr double kSaving = 0.05;  // of memory or of bytes, to be named
constexpr std::size_t kNamespaces = 5;

SizeFigures FiguresOf(const ProcessFigures& process) {
  return {.wire_bytes = process.wire_bytes,
          .cpu_seconds = process.cpu_seconds,
          .start_bytes = process.peak_bytes,
          .settled_bytes = process.settled_bytes};
}

// Returns what `all` takes above `one`, enlarged.
SizeFigures Enlarged(const SizeFigures& all, const SizeFigures& one, double factor) {
  const auto grown = [factor](double a, double b) { return std::max(0.0, (a - b) * factor); };
  return {.wire_bytes = grown(all.wire_bytes, one.wire_bytes),
          .cpu_seconds = grown(all.cpu_seconds, one.cpu_seconds),
          .start_bytes = grown(all.start_bytes, one.start_bytes),
          .settled_bytes = grown(all.settled_bytes, one.settled_bytes)};
}

// Returns the number of objects of a rehearsal.
std::uint64_t Rehearsed(std::uint64_t objects, double mean_bytes) {
  double parts = 1;
  while (static_cast<double>(objects) * mean_bytes / parts > kMostBytes) parts *= 2;
  return static_cast<std::uint64_t>(std::ceil(static_cast<double>(objects) / parts));
}

bool Saves(const SizeFigures& figures, const SizeFigures& plain) {
  const auto saves = [](double a, double b) { return a < b * (1 - kSaving); };
  return saves(figures.settled_bytes, plain.settled_bytes) ||
         saves(figures.start_bytes, plain.start_bytes) ||
         saves(figures.wire_bytes, plain.wire_bytes);
}

// One option that could help.
struct Trial {
  std::string name;
  std::function<void(MeasuredProcess& process)> set;
};

std::vector<Trial> TrialsOf(const SizeOptions& options, const Selection& selection,
                            const SizeSample& sample) {
  std::vector<Trial> trials;
  const auto add = [&trials](bool wanted, std::string name, const auto& set) {
    if (!wanted) return;
    trials.push_back({std::move(name), [set](MeasuredProcess& process) {
                        for (MeasuredInformer& informer : process.informers) set(informer);
                      }});
  };
  add(!options.drop_managed_fields && !options.metadata, "drop_managed_fields",
      [](MeasuredInformer& informer) { informer.drop_managed_fields = true; });
  const std::string field = options.metadata ? "" : LargestField(*selection.type, sample);
  add(!field.empty() && options.dropped_fields.empty(), "projection, without " + field,
      [field](MeasuredInformer& informer) { informer.dropped_fields = {field}; });
  add(!options.metadata, "MetadataInformerFor",
      [](MeasuredInformer& informer) { informer.metadata = true; });
  add(!options.compress, "compression = kZstd",
      [](MeasuredInformer& informer) { informer.compress = true; });
  if (!options.accept_gzip) {
    trials.push_back({"accept_gzip", [](MeasuredProcess& process) { process.accept_gzip = true; }});
  }
  return trials;
}

MeasuredInformer InformerOf(const Selection& selection, const SizeOptions& options) {
  MeasuredInformer informer{.mapping = selection.mapping,
                            .namespace_ = selection.namespace_,
                            .label_selector = selection.label_selector,
                            .field_selector = selection.field_selector,
                            .metadata = options.metadata,
                            .drop_managed_fields = options.drop_managed_fields,
                            .compress = options.compress};
  if (options.dropped_fields.empty() || options.metadata) return informer;
  const Result<Projection> projection = Projection::Drop(options.dropped_fields);
  if (projection && projection->CheckFor(*selection.type)) {
    informer.dropped_fields = options.dropped_fields;
  }
  return informer;
}

}  // namespace

SizeFigures& SizeFigures::operator+=(const SizeFigures& other) {
  wire_bytes += other.wire_bytes;
  cpu_seconds += other.cpu_seconds;
  start_bytes += other.start_bytes;
  settled_bytes += other.settled_bytes;
  return *this;
}

MeasuredProcess ProcessFor(const std::vector<Selection>& selections, const SizeOptions& options) {
  MeasuredProcess process{.prefer_json = options.prefer_json, .accept_gzip = options.accept_gzip};
  for (const Selection& selection : selections) {
    process.informers.push_back(InformerOf(selection, options));
  }
  return process;
}

// A server of copies of a sample.
class SizeEstimator::Rehearsal {
 public:
  Rehearsal(const KindInfo& type, const SizeSample& sample, const Measure& measure)
      : measure_(measure), replay_(type, sample) {}

  Result<void> Listen(Env& env) {
    auto server = apiserver::HttpServer::Listen(env, replay_, {.tls = true});
    if (!server) return server.error();
    server_ = *std::move(server);
    return {};
  }
  [[nodiscard]] double MeanBytes() const { return replay_.MeanBytes(); }

  // Returns the middle one of several runs, by memory, with the least CPU time of them.
  Result<SizeFigures> Run(MeasuredProcess process, std::uint64_t objects, std::size_t runs) {
    replay_.SetObjects(objects);
    process.kubeconfig = server_->Kubeconfig();
    std::vector<SizeFigures> all;
    for (std::size_t i = 0; i < runs; ++i) {
      const Result<ProcessFigures> figures = measure_(process);
      if (!figures) return figures.error();
      if (figures->objects != objects) {
        return Error(Reason::kUnknown, "an informer of " + std::to_string(objects) +
                                           " copies of sampled objects has " +
                                           std::to_string(figures->objects));
      }
      all.push_back(FiguresOf(*figures));
    }
    const auto by = [](double SizeFigures::* member) {
      return [member](const SizeFigures& a, const SizeFigures& b) { return a.*member < b.*member; };
    };
    const double cpu =
        std::min_element(all.begin(), all.end(), by(&SizeFigures::cpu_seconds))->cpu_seconds;
    std::sort(all.begin(), all.end(), by(&SizeFigures::settled_bytes));
    SizeFigures middle = all[all.size() / 2];
    middle.cpu_seconds = cpu;
    return middle;
  }

 private:
  const Measure& measure_;
  SizeReplay replay_;
  std::unique_ptr<apiserver::HttpServer> server_{};
};

SizeEstimator::SizeEstimator(SizeOptions options, Measure measure)
    : options_(std::move(options)), measure_(std::move(measure)), runtime_({.name = "size"}) {}
SizeEstimator::~SizeEstimator() = default;

Result<SizedResource> SizeEstimator::Estimate(const Selection& selection,
                                              const SizeSample& sample) {
  const bool json = options_.prefer_json || selection.type->encoding() == internal::Encoding::kJson;
  SizedResource sized{.name = selection.Description(),
                      .objects = sample.objects,
                      .sampled = sample.sampled.size(),
                      .names = sample.names,
                      .error = sample.error,
                      .encoding = json ? "JSON" : "protobuf",
                      .initial_list = sample.watch_list ? "watch-list" : "list"};
  sized.namespaces.assign(sample.namespaces.begin(), sample.namespaces.end());
  std::stable_sort(sized.namespaces.begin(), sized.namespaces.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  if (sized.namespaces.size() > kNamespaces) sized.namespaces.resize(kNamespaces);
  if (sample.sampled.empty()) return sized;

  Rehearsal rehearsal(*selection.type, sample, measure_);
  if (Result<void> listens = rehearsal.Listen(runtime_.env()); !listens) return listens.error();
  MeasuredProcess plain = ProcessFor({selection}, options_);
  plain.list = !sample.watch_list;
  const Result<SizeFigures> one = rehearsal.Run(plain, 1, kRuns);
  if (!one) return one.error();
  if (process_.settled_bytes == 0) process_ = *one;
  const std::uint64_t rehearsed = Rehearsed(sample.objects, rehearsal.MeanBytes());
  if (rehearsed < 2) return sized;
  const double factor =
      static_cast<double>(sample.objects - 1) / static_cast<double>(rehearsed - 1);
  const Result<SizeFigures> figures = rehearsal.Run(plain, rehearsed, kRuns);
  if (!figures) return figures.error();
  sized.figures = Enlarged(*figures, *one, factor);
  if (!options_.try_options) return sized;
  for (const Trial& trial : TrialsOf(options_, selection, sample)) {
    MeasuredProcess process = plain;
    trial.set(process);
    const Result<SizeFigures> with = rehearsal.Run(process, rehearsed, 1);
    if (!with) return with.error();
    const SizeFigures enlarged = Enlarged(*with, *one, factor);
    if (Saves(enlarged, sized.figures)) sized.options.push_back({trial.name, enlarged});
  }
  return sized;
}

}  // namespace kinformer::cli
