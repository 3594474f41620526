#include "demo/dashboard.h"

#include <algorithm>
#include <fmt/core.h>
#include <utility>

#include "demo/screen.h"

namespace kinformer::demo {
namespace {

constexpr std::size_t kStoryLines = 3;
constexpr std::size_t kLogLines = 6;

std::uint64_t EventsOf(const InformerStats& stats) {
  return stats.added + stats.modified + stats.deleted;
}

void Keep(std::deque<std::string>& lines, std::string line, std::size_t most) {
  lines.push_back(std::move(line));
  if (lines.size() > most) lines.pop_front();
}

std::string Clock(std::chrono::steady_clock::duration since) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(since).count();
  return fmt::format("{:02}:{:02}", seconds / 60, seconds % 60);
}

}  // namespace

Dashboard::Dashboard(const Client& client, Observer& observer, std::string title)
    : client_(client),
      observer_(observer),
      title_(std::move(title)),
      start_(std::chrono::steady_clock::now()),
      last_(start_),
      rows_(observer.resources().size()) {}

void Dashboard::Update(std::chrono::steady_clock::time_point now,
                       const std::vector<std::string>& story) {
  const double elapsed = std::chrono::duration<double>(now - last_).count();
  const std::uint64_t before = events_;
  events_ = 0;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    Row& row = rows_[i];
    row.stats = observer_.resources()[i].stats();
    row.synced = observer_.resources()[i].synced();
    const std::uint64_t events = EventsOf(row.stats);
    // Averages the new and the old rate, so that the number is readable.
    if (elapsed > 0) row.rate = (row.rate + static_cast<double>(events - row.events) / elapsed) / 2;
    row.events = events;
    events_ += events;
  }
  if (elapsed > 0) rate_ = (rate_ + static_cast<double>(events_ - before) / elapsed) / 2;
  last_ = now;
  transport_ = client_.Stats();
  for (const std::string& line : story) {
    Keep(story_, line, kStoryLines);
    news_.push_back("cluster: " + line);
  }
  for (const std::string& line : observer_.TakeLog()) {
    Keep(log_, line, kLogLines);
    news_.push_back("handler: " + line);
  }
}

std::vector<std::string> Dashboard::Picture() const {
  std::vector<std::string> out;
  out.push_back(Bold("kinformer demo") + "  " + title_ + "  " + Dim(Clock(last_ - start_)));
  out.emplace_back();
  out.push_back(Dim(fmt::format("{:<16}{:>8}{:>10}{:>12}{:>10}{:>10}{:>8}{:>9}", "CACHE", "SYNCED",
                                "OBJECTS", "BYTES", "B/OBJECT", "EVENTS/S", "LISTS", "WATCHES")));
  std::size_t objects = 0;
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const Row& row = rows_[i];
    objects += row.stats.objects;
    bytes += row.stats.object_bytes;
    out.push_back(fmt::format(
        "{:<16}{}{:>10}{:>12}{:>10}{:>10.0f}{:>8}{:>9}", observer_.resources()[i].name,
        row.synced ? Green(fmt::format("{:>8}", "yes")) : Yellow(fmt::format("{:>8}", "...")),
        Grouped(row.stats.objects), Bytes(static_cast<double>(row.stats.object_bytes)),
        row.stats.objects == 0 ? 0 : row.stats.object_bytes / row.stats.objects, row.rate,
        row.stats.AllLists(), row.stats.watches));
  }
  out.push_back(Bold(fmt::format("{:<16}{:>8}{:>10}{:>12}{:>10}{:>10.0f}", "all", "",
                                 Grouped(objects), Bytes(static_cast<double>(bytes)), "", rate_)));
  out.emplace_back();

  // Measures two queries of the cache, which send nothing to the server.
  const auto t0 = std::chrono::steady_clock::now();
  std::size_t most = 1;
  std::vector<std::pair<std::string, std::size_t>> nodes;
  {
    const auto snapshot = observer_.Pods();
    const auto values = snapshot.IndexFuncValues("spec.nodeName");
    if (values) {
      for (const std::string& node : *values) {
        nodes.emplace_back(node, snapshot.ByIndex("spec.nodeName", node).size());
        most = std::max(most, nodes.back().second);
      }
    }
  }
  const auto t1 = std::chrono::steady_clock::now();
  std::sort(nodes.begin(), nodes.end(),
            [](const auto& a, const auto& b) { return a.second > b.second; });
  out.push_back(
      Dim(fmt::format("PODS PER NODE  index spec.nodeName, {} nodes asked in {} µs", nodes.size(),
                      std::chrono::duration_cast<std::chrono::microseconds>(t1 - t0).count())));
  for (std::size_t i = 0; i < std::min<std::size_t>(nodes.size(), 4); ++i) {
    out.push_back(fmt::format(
        "  {:<10} {} {:>4}", nodes[i].first,
        Bar(static_cast<double>(nodes[i].second), static_cast<double>(most), 40), nodes[i].second));
  }
  const auto selector =
      LabelSelector::Parse("tier in (frontend),pod-template-hash").value_or(LabelSelector());
  const auto t2 = std::chrono::steady_clock::now();
  const std::size_t found = observer_.PodLister().List(selector).size();
  const auto t3 = std::chrono::steady_clock::now();
  out.push_back(
      Dim("LISTER  ") +
      fmt::format("pods with {}: {} in {} µs", selector.ToString(), Grouped(found),
                  std::chrono::duration_cast<std::chrono::microseconds>(t3 - t2).count()));
  const QueueFigures queue = observer_.Queue();
  out.push_back(Dim("WORK QUEUE  ") +
                fmt::format("crashing pods: {} waiting, {} added, {} retries, {} done", queue.depth,
                            queue.added, queue.retried, queue.done));
  const std::uint64_t resources = rows_.size();
  out.push_back(
      Dim("COST  ") +
      fmt::format("{} components share {} watches: {} requests, {} connections open, {} received",
                  kComponents, resources, transport_.requests, transport_.connections_open,
                  Bytes(static_cast<double>(transport_.bytes_received))));
  out.push_back(fmt::format(
      "      with plain list and watch each: {} watches, {} requests, about {} received, {} caches",
      resources * kComponents, transport_.requests * kComponents,
      Bytes(static_cast<double>(transport_.bytes_received) * kComponents), kComponents));
  out.emplace_back();
  out.push_back(Dim("HANDLER LOG"));
  for (const std::string& line : log_) out.push_back("  " + line);
  for (std::size_t i = log_.size(); i < kLogLines; ++i) out.emplace_back();
  out.push_back(Dim("CLUSTER"));
  for (const std::string& line : story_) out.push_back("  " + line);
  for (std::size_t i = story_.size(); i < kStoryLines; ++i) out.emplace_back();
  out.push_back(headline_.empty() ? Dim("Ctrl-C ends") : Yellow(headline_));
  return out;
}

std::string Dashboard::Line() const {
  std::size_t objects = 0;
  std::size_t bytes = 0;
  std::size_t synced = 0;
  for (const Row& row : rows_) {
    objects += row.stats.objects;
    bytes += row.stats.object_bytes;
    synced += row.synced ? 1 : 0;
  }
  const QueueFigures queue = observer_.Queue();
  return fmt::format(
      "{}  {}/{} synced, {} objects, {}, {:.0f} events/s, {} requests on {} connections, queue {} "
      "({} retries)",
      Clock(last_ - start_), synced, rows_.size(), Grouped(objects),
      Bytes(static_cast<double>(bytes)), rate_, transport_.requests, transport_.connections_open,
      queue.depth, queue.retried);
}

std::vector<std::string> Dashboard::TakeNews(std::size_t most) {
  std::vector<std::string> news = std::exchange(news_, {});
  if (news.size() > most) {
    const std::size_t more = news.size() - most;
    news.resize(most);
    news.push_back(fmt::format("... and {} more", more));
  }
  return news;
}

}  // namespace kinformer::demo
