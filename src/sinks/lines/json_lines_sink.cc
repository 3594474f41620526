#include "kinformer/sinks/json_lines_sink.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <fcntl.h>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <sys/file.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

#include "kinformer/json/json.h"

#include "sinks/lines/line_reader.h"

namespace kinformer {
namespace {

using internal::sinks::HeldLines;
using internal::sinks::HeldVersion;
using internal::sinks::LinesOfFile;

std::string Quoted(std::string_view text) { return json::Value(std::string(text)).Dump(); }

void AppendField(std::string& line, std::string_view name, std::string_view value) {
  line += ",\"";
  line += name;
  line += "\":";
  line += Quoted(value);
}

class JsonLinesSink final : public SnapshotSink {
 public:
  JsonLinesSink(std::string path, int file) : path_(std::move(path)), file_(file) {}
  ~JsonLinesSink() override { ::close(file_); }
  JsonLinesSink(const JsonLinesSink&) = delete;
  JsonLinesSink& operator=(const JsonLinesSink&) = delete;

  Result<void> Prepare() {
    if (::flock(file_, LOCK_EX | LOCK_NB) != 0) {
      return Error(Reason::kConflict, path_ + ": another export writes to it");
    }
    Result<LinesOfFile> lines = internal::sinks::ReadLines(path_);
    if (!lines) return std::move(lines).error();
    resources_ = std::move(lines->resources);
    bytes_ = lines->valid_bytes;
    return CutOff();
  }

  Result<std::string> Open(const ExportedResource& resource) override {
    const auto it = resources_.find(resource.name);
    if (it == resources_.end()) return std::string();
    if (it->second.source != resource.source) {
      return Error(Reason::kConfig, path_ + ": it has " + resource.name + " of another source (" +
                                        it->second.source + ", not " + resource.source +
                                        "): export them to another file");
    }
    return it->second.resource_version;
  }

  Result<std::optional<std::vector<HeldObject>>> Objects(
      const ExportedResource& resource) override {
    std::vector<HeldObject> objects;
    for (const auto& [name, version] : resources_[resource.name].objects) {
      objects.push_back(
          {.name = name, .uid = version.uid, .resourceVersion = version.resource_version});
    }
    return std::optional(std::move(objects));
  }

  Result<void> Commit(const SinkBatch& batch) override {
    if (Result<void> written = Write(batch); !written) {
      (void)CutOff();
      return written;
    }
    HeldLines& held = resources_[batch.resource.name];
    if (batch.complete) held.objects.clear();
    for (const SinkChange& change : batch.changes) {
      ObjectName name{std::string(change.namespace_()), std::string(change.name())};
      if (change.removes()) {
        held.objects.erase(name);
      } else {
        held.objects[std::move(name)] =
            HeldVersion{std::string(change.uid()), std::string(change.resourceVersion())};
      }
    }
    held.source = batch.resource.source;
    held.resource_version = batch.to;
    return {};
  }

 private:
  static constexpr std::size_t kPiece = std::size_t{1} << 20;

  // Removes what stands behind the last commit.
  Result<void> CutOff() {
    if (::ftruncate(file_, bytes_) != 0 || ::lseek(file_, bytes_, SEEK_SET) < 0) return Failure();
    return {};
  }

  Result<void> Write(const SinkBatch& batch) {
    off_t end = bytes_;
    std::string text;
    for (const SinkChange& change : batch.changes) {
      AppendChange(text, batch.resource.name, change);
      if (text.size() < kPiece) continue;
      if (Result<void> put = Put(text); !put) return put;
      end += static_cast<off_t>(text.size());
      text.clear();
    }
    text += "{\"resource\":" + Quoted(batch.resource.name) + ",\"op\":\"commit\"";
    AppendField(text, "from", batch.from);
    AppendField(text, "to", batch.to);
    text += batch.complete ? ",\"complete\":true" : ",\"complete\":false";
    AppendField(text, "source", batch.resource.source);
    text += "}\n";
    if (Result<void> put = Put(text); !put) return put;
    bytes_ = end + static_cast<off_t>(text.size());
    return {};
  }

  static void AppendChange(std::string& text, const std::string& resource,
                           const SinkChange& change) {
    text += "{\"resource\":" + Quoted(resource);
    text += change.removes() ? ",\"op\":\"remove\"" : ",\"op\":\"upsert\"";
    AppendField(text, "namespace", change.namespace_());
    AppendField(text, "name", change.name());
    AppendField(text, "uid", change.uid());
    AppendField(text, "resourceVersion", change.resourceVersion());
    if (!change.removes()) {
      std::string json = change.object()->ToJson();
      // Line breaks between the values; those in strings are escaped.
      std::replace(json.begin(), json.end(), '\n', ' ');
      text += ",\"object\":";
      text += json;
    }
    text += "}\n";
  }

  Result<void> Put(std::string_view text) {
    while (!text.empty()) {
      const ssize_t written = ::write(file_, text.data(), text.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return Failure();
      text.remove_prefix(static_cast<std::size_t>(written));
    }
    return {};
  }

  [[nodiscard]] Error Failure() const {
    const int code = errno;
    const std::string why = path_ + ": " + std::generic_category().message(code);
    if (code == ENOSPC || code == EDQUOT || code == EFBIG) {
      return {Reason::kOverLimit, why + ": make room on the disk"};
    }
    return {Reason::kConfig, why};
  }

  const std::string path_;
  const int file_;
  off_t bytes_ = 0;  // up to the end of the last commit
  std::map<std::string, HeldLines> resources_{};
};

}  // namespace

Result<std::shared_ptr<SnapshotSink>> OpenJsonLinesSink(const std::string& path) {
  const int file = ::open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  if (file < 0) {
    return Error(Reason::kConfig, path + ": " + std::generic_category().message(errno) +
                                      ": see whether its folder is there and may be written");
  }
  auto sink = std::make_shared<JsonLinesSink>(path, file);
  if (Result<void> prepared = sink->Prepare(); !prepared) return std::move(prepared).error();
  return std::shared_ptr<SnapshotSink>(std::move(sink));
}

}  // namespace kinformer
