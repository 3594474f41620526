// test/simulation/server_history.h
//
// ServerHistory: what the server has ever held of one resource, by the versions at which it
// changed. What caches and handlers say is compared with it. Or with a view of it, where a cache
// has only some of the objects, or not all of each.

#ifndef KINFORMER_TEST_SIMULATION_SERVER_HISTORY_H_
#define KINFORMER_TEST_SIMULATION_SERVER_HISTORY_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace kinformer::testing {

struct ObjectState {
  std::int64_t version = 0;
  std::string uid{};
  std::string value{};
  std::string tier{};  // its label, which follows from the value
  bool operator==(const ObjectState&) const = default;
};

// By key, "namespace/name".
using Contents = std::map<std::string, ObjectState>;

// What a cache makes of what the server has. Pure.
struct HistoryView {
  // What is selected; empty: all.
  std::function<bool(const std::string& key, const ObjectState& state)> selects{};
  // What is kept of a value; empty: all of it.
  std::function<std::string(const std::string& value)> keeps{};
};

class ServerHistory {
 public:
  ServerHistory() = default;
  ServerHistory(const ServerHistory&) = delete;
  ServerHistory& operator=(const ServerHistory&) = delete;

  // The same as it is to be seen there, from now on and as far back as this one reaches; it belongs
  // to this one. An object that is not selected any more is deleted, at the version of that change.
  [[nodiscard]] const ServerHistory& See(HistoryView view);
  // How often an object left the selection, or came into it, without being deleted or made.
  [[nodiscard]] std::uint64_t moves() const { return moves_; }

  // What became of a key at a version; no state: it was deleted.
  struct Change {
    std::int64_t version = 0;
    std::optional<ObjectState> state{};
  };
  using Changes = std::vector<Change>;  // the oldest first

  // A write that changed nothing has the version that is there already, and is left out.
  void Put(const std::string& key, ObjectState state);
  void Delete(const std::string& key, std::int64_t version);
  // The next change of the key will be to this value; who hears of it early is right.
  void Announce(const std::string& key, const std::string& value);
  // What changed after that version is undone. It has been, and states of it are still known.
  void Restore(std::int64_t version);

  // Whether the server ever held that, in this history or one that was undone.
  [[nodiscard]] bool Existed(const std::string& key, const ObjectState& state) const;
  // Null: no such object was then, or is now.
  [[nodiscard]] static const ObjectState* At(const Changes& changes, std::int64_t version);
  [[nodiscard]] static const ObjectState* Now(const Changes& changes);
  // An object of one uid was there at `version` and has been ever since.
  [[nodiscard]] static bool ThereSince(const Changes& changes, std::int64_t version);
  // All there is, of one namespace or (empty) of all.
  [[nodiscard]] Contents Now(std::string_view namespace_) const;
  // The versions of the changes after `from`, up to `to`, in order.
  [[nodiscard]] std::vector<std::int64_t> ChangesIn(std::string_view namespace_, std::int64_t from,
                                                    std::int64_t to) const;
  // Every key there ever was.
  [[nodiscard]] const std::map<std::string, Changes>& keys() const { return keys_; }
  [[nodiscard]] static bool InNamespace(std::string_view key, std::string_view namespace_);

 private:
  // A change of the history that this is a view of.
  void Take(const std::string& key, const ObjectState& state, bool was_there);
  void Gone(const std::string& key, std::int64_t version);

  HistoryView view_;
  std::vector<std::unique_ptr<ServerHistory>> views_;  // of this one
  std::uint64_t moves_ = 0;
  std::map<std::string, Changes> keys_;
  std::pair<std::string, std::string> announced_;
  std::set<std::tuple<std::string, std::int64_t, std::string, std::string, std::string>> existed_;
};

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_SIMULATION_SERVER_HISTORY_H_
