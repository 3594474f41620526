// demo/dashboard.h
//
// Dashboard: shows the observer's state as the demo's picture and its log lines.

#ifndef KINFORMER_CLI_DEMO_DASHBOARD_H_
#define KINFORMER_CLI_DEMO_DASHBOARD_H_

#include <chrono>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "kinformer/client/client.h"

#include "demo/observer.h"

namespace kinformer::demo {

// Used by one thread.
class Dashboard {
 public:
  Dashboard(const Client& client, Observer& observer, std::string title);

  // Takes new figures and lines. `story`: events of the cluster.
  void Update(std::chrono::steady_clock::time_point now, const std::vector<std::string>& story);
  // Sets a line that stays until the next one: "connection cut at ...".
  void Headline(std::string line) { headline_ = std::move(line); }

  [[nodiscard]] std::vector<std::string> Picture() const;
  // Returns the figures as one line for a log.
  [[nodiscard]] std::string Line() const;
  // Returns at most `most` new lines for a log: the story and lines of handlers.
  [[nodiscard]] std::vector<std::string> TakeNews(std::size_t most);

  // Events applied to all caches since the start.
  [[nodiscard]] std::uint64_t events() const { return events_; }

 private:
  struct Row {
    InformerStats stats;
    bool synced = false;
    std::uint64_t events = 0;
    double rate = 0;
  };

  const Client client_;
  Observer& observer_;
  const std::string title_;
  const std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point last_;
  std::vector<Row> rows_;
  std::uint64_t events_ = 0;
  double rate_ = 0;
  TransportStats transport_;
  std::deque<std::string> story_;
  std::deque<std::string> log_;
  std::vector<std::string> news_;
  std::string headline_;
};

}  // namespace kinformer::demo

#endif  // KINFORMER_CLI_DEMO_DASHBOARD_H_
