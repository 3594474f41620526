#include "apiserver/node/pod_options.h"

#include <array>
#include <optional>
#include <utility>

#include "apiserver/errors/status.h"
#include "base/text/number_in.h"
#include "object/values/text_forms.h"

namespace kinformer::apiserver {
namespace {

constexpr auto kContainerLists =
    std::to_array<std::string_view>({"containers", "initContainers", "ephemeralContainers"});

void AddFlags(const Query& query, std::initializer_list<const char*> names, json::Value& out) {
  for (const char* name : names) {
    if (query.GetBool(name).value_or(false)) out.Set(name, true);
  }
}

Result<void> AddNumbers(const Query& query, std::initializer_list<const char*> names,
                        json::Value& out) {
  for (const char* name : names) {
    const Result<std::optional<std::int64_t>> number = query.GetInt(name);
    if (!number) return number.error();
    if (*number) out.Set(name, **number);
  }
  return {};
}

Result<void> AddLogOptions(const Query& query, json::Value& out) {
  AddFlags(query, {"follow", "previous", "timestamps"}, out);
  Result<void> numbers = AddNumbers(query, {"sinceSeconds", "tailLines", "limitBytes"}, out);
  if (!numbers) return numbers;
  if (const std::string_view time = query.Get("sinceTime"); !time.empty()) {
    if (!internal::ParseRfc3339(time)) {
      return BadRequestError("sinceTime " + JsonString(time) +
                             " is no RFC 3339 time such as \"2026-03-01T10:00:00Z\"");
    }
    out.Set("sinceTime", time);
  }
  if (const std::string_view stream = query.Get("stream"); !stream.empty()) {
    out.Set("stream", stream);
  }
  return {};
}

Result<void> AddPorts(const Query& query, json::Value& out) {
  json::Value ports = json::Value::MakeArray({});
  for (const std::string& all : query.All("ports")) {
    for (std::string_view rest = all; !rest.empty();) {
      const std::string_view word = rest.substr(0, rest.find(','));
      rest.remove_prefix(std::min(rest.size(), word.size() + 1));
      const std::optional<std::int64_t> port = internal::base::NumberIn(word);
      if (!port) return BadRequestError("ports: " + JsonString(word) + " is no number");
      ports.EnsureArray().emplace_back(*port);
    }
  }
  if (ports.size() > 0) out.Set("ports", std::move(ports));
  return {};
}

// Returns "[a b]".
std::string NamesIn(const json::Value& containers) {
  std::string out;
  for (const json::Value& container : containers.items()) {
    out += (out.empty() ? "" : " ") + container["name"].StringOrEmpty();
  }
  return "[" + out + "]";
}

std::optional<std::int64_t> NumberIn(const json::Value& options, std::string_view name) {
  return options[name].AsInt64();
}

}  // namespace

Result<json::Value> PodOptionsOf(std::string_view subresource, const Query& query) {
  json::Value out = json::Value::MakeObject();
  if (subresource == "portforward") {
    if (Result<void> added = AddPorts(query, out); !added) return added.error();
    return out;
  }
  if (subresource == "log") {
    if (Result<void> added = AddLogOptions(query, out); !added) return added.error();
  } else {
    AddFlags(query, {"stdin", "stdout", "stderr", "tty"}, out);
  }
  if (const std::string_view container = query.Get("container"); !container.empty()) {
    out.Set("container", container);
  }
  if (subresource == "exec" && query.Has("command")) {
    json::Value command = json::Value::MakeArray({});
    for (std::string& word : query.All("command")) {
      command.EnsureArray().emplace_back(std::move(word));
    }
    out.Set("command", std::move(command));
  }
  return out;
}

Result<LogRequest> LogRequestOf(const json::Value& options, std::string_view pod) {
  LogRequest request{.follow = options["follow"].AsBool().value_or(false),
                     .previous = options["previous"].AsBool().value_or(false),
                     .timestamps = options["timestamps"].AsBool().value_or(false),
                     .since_seconds = NumberIn(options, "sinceSeconds"),
                     .since_time = options["sinceTime"].StringOrEmpty(),
                     .tail_lines = NumberIn(options, "tailLines"),
                     .limit_bytes = NumberIn(options, "limitBytes"),
                     .stream = options["stream"].StringOrEmpty()};
  std::vector<StatusCause> causes;
  const auto demand = [&](const char* field, const std::optional<std::int64_t>& number,
                          std::int64_t least, const char* detail) {
    if (!number || *number >= least) return;
    causes.push_back(InvalidValue(field, std::to_string(*number), detail));
  };
  demand("tailLines", request.tail_lines, 0, "must be greater than or equal to 0");
  demand("limitBytes", request.limit_bytes, 1, "must be greater than 0");
  if (request.since_seconds && !request.since_time.empty()) {
    causes.push_back(
        ForbiddenField("", "at most one of `sinceTime` or `sinceSeconds` may be specified"));
  } else {
    demand("sinceSeconds", request.since_seconds, 1, "must be greater than 0");
  }
  const std::string& stream = request.stream;
  if (!stream.empty() && stream != "All" && stream != "Stdout" && stream != "Stderr") {
    causes.push_back(NotSupported("stream", JsonString(stream), R"("All", "Stderr", "Stdout")"));
  } else if (request.tail_lines && !stream.empty() && stream != "All") {
    causes.push_back(
        ForbiddenField("", "`tailLines` and specific `stream` are mutually exclusive for now"));
  }
  if (causes.empty()) return request;
  return InvalidError({.resource = "PodLogOptions", .name = pod}, std::move(causes));
}

Result<ExecRequest> ExecRequestOf(const json::Value& options) {
  ExecRequest request{.tty = options["tty"].AsBool().value_or(false),
                      .has_stdin = options["stdin"].AsBool().value_or(false),
                      .has_stdout = options["stdout"].AsBool().value_or(false),
                      .has_stderr = options["stderr"].AsBool().value_or(false)};
  for (const json::Value& word : options["command"].items()) {
    request.command.push_back(word.StringOrEmpty());
  }
  // A terminal has one output.
  if (request.tty) request.has_stderr = false;
  if (!request.has_stdin && !request.has_stdout && !request.has_stderr) {
    return BadRequestError("you must specify at least 1 of stdin, stdout, stderr");
  }
  return request;
}

Result<std::vector<std::uint16_t>> PortsOf(const json::Value& options) {
  std::vector<std::uint16_t> ports;
  for (const json::Value& number : options["ports"].items()) {
    const std::int64_t port = number.AsInt64().value_or(0);
    if (port < 1 || port > 65535) {
      return BadRequestError("unable to parse \"" + std::to_string(port) + "\" as a port");
    }
    ports.push_back(static_cast<std::uint16_t>(port));
  }
  // Each has two of the 256 channels.
  if (ports.size() > 128) return BadRequestError("at most 128 ports share a connection");
  if (ports.empty()) return BadRequestError("query parameter \"port\" is required");
  return ports;
}

Result<std::string> ContainerOf(const json::Value& options, const json::Value& pod) {
  const json::Value& spec = pod["spec"];
  const std::string& pod_name = pod["metadata"]["name"].StringOrEmpty();
  const std::string& wanted = options["container"].StringOrEmpty();
  if (!wanted.empty()) {
    for (const std::string_view list : kContainerLists) {
      for (const json::Value& container : spec[list].items()) {
        if (container["name"].StringOrEmpty() == wanted) return wanted;
      }
    }
    return BadRequestError("container " + wanted + " is not valid for pod " + pod_name);
  }
  const json::Value& containers = spec["containers"];
  if (containers.size() == 1) return containers[0]["name"].StringOrEmpty();
  std::string message = "a container name must be specified for pod " + pod_name;
  if (containers.size() > 1) {
    message += ", choose one of: " + NamesIn(containers);
    if (const json::Value& init = spec["initContainers"]; init.size() > 0) {
      message += " or one of the init containers: " + NamesIn(init);
    }
  }
  return BadRequestError(std::move(message));
}

}  // namespace kinformer::apiserver
