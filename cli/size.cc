// kinformer size: what a set of informers will take on a cluster.

#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/base/stop.h"
#include "kinformer/client/client.h"
#include "kinformer/object/projection.h"

#include "base/text/number_in.h"
#include "cli/collections.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/printable.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/selection.h"
#include "cli/size_estimate.h"
#include "cli/size_process.h"
#include "cli/size_sample.h"
#include "cli/size_text.h"

namespace kinformer::cli {
namespace {

struct SizeFlags {
  CollectionFlags collections{};
  std::string output{};
  std::string sample{};
  std::string seed{};
  std::vector<std::string> with{};
  std::vector<std::string> dropped_fields{};
  bool no_options = false;
  bool measure = false;
};

constexpr std::size_t kLeastSample = 50;

// `text` empty: `otherwise`.
Result<std::uint64_t> ReadNumber(const char* option, const std::string& text, std::uint64_t least,
                                 std::uint64_t otherwise) {
  if (text.empty()) return otherwise;
  const auto number = internal::base::NumberIn<std::uint64_t>(text);
  if (number && *number >= least) return *number;
  return Error(
      Reason::kInvalidArgument,
      std::string(option) + ": \"" + text + "\" is no number of at least " + std::to_string(least));
}

// Splits values at their commas.
std::vector<std::string> Parts(const std::vector<std::string>& values) {
  std::vector<std::string> parts;
  for (std::string_view rest : values) {
    while (!rest.empty()) {
      const std::size_t comma = std::min(rest.find(','), rest.size());
      if (comma > 0) parts.emplace_back(rest.substr(0, comma));
      rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
  }
  return parts;
}

Result<SizeOptions> ReadOptions(const SizeFlags& flags) {
  SizeOptions options;
  options.try_options = !flags.no_options;
  for (const std::string& name : Parts(flags.with)) {
    if (name == "drop_managed_fields") {
      options.drop_managed_fields = true;
    } else if (name == "compression") {
      options.compress = true;
    } else if (name == "metadata") {
      options.metadata = true;
    } else if (name == "accept_gzip") {
      options.accept_gzip = true;
    } else if (name == "prefer_json") {
      options.prefer_json = true;
    } else {
      return Error(Reason::kInvalidArgument, "--with: \"" + name +
                                                 "\" is none of drop_managed_fields, compression, "
                                                 "metadata, accept_gzip, prefer_json");
    }
  }
  options.dropped_fields = Parts(flags.dropped_fields);
  if (options.dropped_fields.empty()) return options;
  const Result<Projection> projection = Projection::Drop(options.dropped_fields);
  if (!projection) {
    return Error(Reason::kInvalidArgument, "--drop: " + projection.error().message());
  }
  return options;
}

Result<ClusterSize> SizeOf(const Connection& connection, const std::vector<Selection>& selections,
                           const SizeOptions& options, const SampleOptions& sampling,
                           const CallOptions& call) {
  // Its requests follow each other, so that the server has no more than one at a time.
  const Result<Client> client =
      Client::NewForConfig(connection.client.env(), connection.config, {.qps = -1});
  if (!client) return client.error();
  SizeEstimator estimator(options, MeasureInProcess);
  ClusterSize size;
  for (const Selection& selection : selections) {
    const std::string name = selection.Description();
    Progress reading(connection, name);
    const Result<SizeSample> sample = TakeSample(*client, selection, sampling, call);
    reading.Done();
    if (!sample) return sample.error();
    if (sample->names < sample->objects) {
      std::cerr << LineStart() << "warning: the metadata of " << sample->names << " of "
                << sample->objects << ' ' << Printable(name)
                << " was read; the others are taken to be like these\n";
    }
    Progress rehearsing(connection, name + ": informers of copies");
    Result<SizedResource> sized = estimator.Estimate(selection, *sample);
    rehearsing.Done();
    if (call.stop.stop_requested()) return Error(Reason::kCanceled, "stopped");
    if (!sized) return sized.error();
    size.resources.push_back(*std::move(sized));
  }
  size.process = estimator.process();
  return size;
}

Result<void> AddMeasured(const SizeFlags& flags, const std::vector<Selection>& selections,
                         const SizeOptions& options, ClusterSize& size) {
  MeasuredProcess process = ProcessFor(selections, options);
  process.connection = flags.collections.connection;
  const Result<ProcessFigures> figures = MeasureInProcess(process);
  if (!figures) return figures.error();
  size.measured = SizeFigures{.wire_bytes = figures->wire_bytes,
                              .cpu_seconds = figures->cpu_seconds,
                              .start_bytes = figures->peak_bytes,
                              .settled_bytes = figures->settled_bytes};
  size.measured_objects = figures->objects;
  return {};
}

void Print(const SizeFlags& flags, const ClusterSize& size) {
  Output output;
  if (flags.output == "json") return output.Text(KubectlJson(SizeJson(size)));
  if (flags.output == "yaml") return output.Text(KubectlYaml(SizeJson(size)));
  for (const std::string& line : SizeTable(size)) output.Line(line);
}

int RunSize(const SizeFlags& flags) {
  const Result<SizeOptions> options = ReadOptions(flags);
  if (!options) return UsageError(options.error().message());
  const Result<std::uint64_t> most = ReadNumber("--sample", flags.sample, kLeastSample, 1000);
  if (!most) return UsageError(most.error().message());
  const Result<std::uint64_t> seed = ReadNumber("--seed", flags.seed, 0, 1);
  if (!seed) return UsageError(seed.error().message());
  if (Result<void> checked =
          CheckCollections(flags.collections, "informers have whole collections");
      !checked) {
    return UsageError(checked.error().message());
  }
  const StopSource stop = StopOnSignals();
  const Result<Connection> connection = Connect(flags.collections.connection);
  if (!connection) return Fail(connection.error());
  const std::string& origin = connection->config.origin;
  const CallOptions call{.stop = stop.token()};
  const Result<std::vector<Selection>> selections =
      SelectCollections(*connection, flags.collections, call);
  if (!selections) {
    return stop.stop_requested() ? kFailure : UsageOrFailure(selections.error(), origin);
  }
  Result<ClusterSize> size =
      SizeOf(*connection, *selections, *options, {.most = *most, .seed = *seed}, call);
  if (stop.stop_requested()) return kFailure;
  if (!size) return FailToRead(size.error(), *selections, origin);
  if (flags.measure) {
    if (Result<void> measured = AddMeasured(flags, *selections, *options, *size); !measured) {
      return FailToRead(measured.error(), *selections, origin);
    }
  }
  Print(flags, *size);
  return 0;
}

}  // namespace

void RegisterSize(CommandLine& line) {
  auto flags = std::make_shared<SizeFlags>();
  Command& command =
      line.Add("size", "Tell what informers will take: memory, CPU time, bytes, by resource");
  command.Choice("-o,--output", flags->output, {"json", "yaml"},
                 "json or yaml; a table where it is not given", nullptr);
  command.Each("--with", flags->with, "OPTION,...",
               "options that all informers have: drop_managed_fields, compression, metadata, "
               "accept_gzip, prefer_json");
  command.Each("--drop", flags->dropped_fields, "PATH,...",
               "fields that no informer keeps (Projection::Drop): status.images,spec.template");
  command.Flag("--no-options", flags->no_options,
               "do not try options that would help, which takes most of the time");
  command.Option("--sample", flags->sample, "N",
                 "read at most N objects of a resource (1000); its metadata is read beside that");
  command.Option("--seed", flags->seed, "N", "draw other objects (1)");
  command.Flag("--measure", flags->measure,
               "also run the informers on the cluster, once, in a process of their own, and print "
               "what they took");
  AddCollectionFlags(command, flags->collections);
  command.Elsewhere("-A,--all-namespaces", "all namespaces are looked at unless -n is given");
  command.Status(kFailure, "the server refused, or was not reached");
  command.Run([flags] { return RunSize(*flags); });
}

}  // namespace kinformer::cli
