// controller/fights/fight_book.h
//
// FightBook: recognises the fights of one controller from its own writes.

#ifndef KINFORMER_CONTROLLER_FIGHTS_FIGHT_BOOK_H_
#define KINFORMER_CONTROLLER_FIGHTS_FIGHT_BOOK_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/base/metrics.h"
#include "kinformer/controller/fights.h"
#include "kinformer/internal/block.h"
#include "kinformer/internal/controller_figures.h"
#include "kinformer/object/kind_info.h"
#include "kinformer/object/object_name.h"

#include "base/core/mutex.h"
#include "controller/fights/recent_table.h"
#include "controller/fights/written_fields.h"

namespace kinformer::internal {

// A fight that was found, for an event of its object.
struct FoundFight {
  const KindInfo* kind;
  ObjectName object;
  std::string uid;
  std::string message;  // a sentence
};

// Thread-safe. Remembers of each write some 50 bytes, in tables of a fixed size; of a field only
// where it was changed back at least once, of kMostObjects objects at most. A write is looked at
// more closely, which takes some 100 us, only if its object was written by the controller shortly
// before, and another has changed it since, or nothing but that write has woken the reconcile.
class FightBook : public std::enable_shared_from_this<FightBook> {
 public:
  static constexpr std::size_t kMostObjects = 256;
  static constexpr std::size_t kMostEnded = 20;

  // Tells what has woken a reconcile.
  struct Causes {
    bool only_own_writes = false;   // events of writes of this controller, at least one
    bool nothing_of_others = true;  // those, retries, requeues and timers
  };
  // A write of a reconcile, and its answer.
  struct Write {
    const KindInfo* kind;
    const std::string* request;
    const Block* before;  // null: unknown, or it was created
    const Block* now;
    Causes causes{};
    std::vector<fights::WrittenField> fields{};
    std::string manager{};              // its own, by the fields that it has written
    std::vector<std::string> others{};  // for each field, the manager that had it before
  };

  FightBook(Env& env, std::string controller, const FightOptions& options);
  ~FightBook();
  FightBook(const FightBook&) = delete;
  FightBook& operator=(const FightBook&) = delete;

  // Calls `tell` for each fight that is found, on the thread of its reconcile. Must be quick.
  void TellTo(std::function<void(const FoundFight&)> tell) KINFORMER_EXCLUDES(mutex_);

  // Whether this version of an object is one that the controller has written.
  [[nodiscard]] bool Wrote(std::string_view version) const KINFORMER_EXCLUDES(mutex_);
  // Whether a write to this object, as it is before, is to be told with its fields.
  [[nodiscard]] bool Suspects(const Block& before, const Causes& causes) KINFORMER_EXCLUDES(mutex_);
  // Notes a write. Returns until when it holds up its request, if it is a round of a fight.
  std::optional<SteadyTime> Note(const Write& write) KINFORMER_EXCLUDES(mutex_);

  [[nodiscard]] std::uint64_t seed() const { return seed_; }
  // Returns the fights under way and the newest that have ended, the newest first.
  [[nodiscard]] std::vector<ControllerFigures::Fight> Report(SteadyTime now) const
      KINFORMER_EXCLUDES(mutex_);

 private:
  enum class Type : std::uint8_t { kOtherWriter, kItself, kServer };
  // A field that was changed back.
  struct Field {
    Type type{};
    std::uint64_t own = 0;    // the value that the controller wrote last
    std::uint64_t asked = 0;  // for kServer: the value that it sent
    int rounds = 0;           // in a row
    int repeated = 0;         // of them, those whose other value was there before
    std::vector<std::uint64_t> other_values{};
    std::vector<std::string> others{};  // managers
    std::string own_text{};
    std::string other_text{};
    SteadyTime first{};
    SteadyTime last{};
    bool found = false;
    std::string request{};
  };
  struct Object {
    const KindInfo* kind = nullptr;
    ObjectName name{};
    std::string manager{};
    SteadyTime touched{};
    std::map<std::string, Field, std::less<>> fields{};  // by path
  };
  using Objects = std::unordered_map<std::string, Object>;  // by uid
  struct News {
    LogLevel level;
    std::string_view line;
    ControllerFigures::Fight fight;
    FoundFight found;
  };

  [[nodiscard]] std::uint64_t PrintOf(std::string_view what, std::string_view uid,
                                      std::string_view path, std::uint64_t value) const;
  [[nodiscard]] bool IsRecent(const fights::RecentTable::Entry* entry, SteadyTime now,
                              bool found) const;
  [[nodiscard]] Duration Patience(bool found) const;
  // Returns the object's entry, or makes it if there is room; null: there is none.
  Object* Make(const Write& write, SteadyTime now) KINFORMER_REQUIRES(mutex_);
  Field* MakeField(const Write& write, const fights::WrittenField& written, SteadyTime now)
      KINFORMER_REQUIRES(mutex_);
  // Each returns true for a round of a fight that was found.
  bool NoteChange(const Write& write, std::size_t i, bool foreign, SteadyTime now,
                  std::vector<News>& news) KINFORMER_REQUIRES(mutex_);
  bool NoteUndone(const Write& write, std::size_t i, SteadyTime now, std::vector<News>& news)
      KINFORMER_REQUIRES(mutex_);
  bool Round(const Write& write, std::size_t i, Field& field, Type type, SteadyTime now,
             std::vector<News>& news) KINFORMER_REQUIRES(mutex_);
  [[nodiscard]] bool IsFight(const Field& field) const;
  [[nodiscard]] ControllerFigures::Fight FigureOf(const Object& object, const std::string& path,
                                                  const Field& field, SteadyTime now) const;
  void Forget(Objects::iterator object) KINFORMER_REQUIRES(mutex_);
  void SetTimer() KINFORMER_REQUIRES(mutex_);
  void EndRested() KINFORMER_EXCLUDES(mutex_);
  void Say(const std::vector<News>& news) KINFORMER_EXCLUDES(mutex_);

  Env& env_;
  const std::string controller_;
  const FightOptions options_;
  const std::uint64_t seed_;
  const std::shared_ptr<Counter> found_;
  const std::shared_ptr<Gauge> under_way_;
  mutable base::Mutex mutex_;
  std::function<void(const FoundFight&)> tell_ KINFORMER_GUARDED_BY(mutex_);
  // Versions written last, by object; and written versions and values of fields.
  fights::RecentTable written_ KINFORMER_GUARDED_BY(mutex_){1024};
  fights::RecentTable prints_ KINFORMER_GUARDED_BY(mutex_){1024};
  Objects objects_ KINFORMER_GUARDED_BY(mutex_);
  std::size_t fights_ KINFORMER_GUARDED_BY(mutex_) = 0;  // under way
  // With `ago` as of the moment at which it was noted.
  struct Ended {
    ControllerFigures::Fight fight;
    SteadyTime at;
  };
  std::deque<Ended> ended_ KINFORMER_GUARDED_BY(mutex_);  // oldest first
  Timer timer_ KINFORMER_GUARDED_BY(mutex_);
};

}  // namespace kinformer::internal

#endif  // KINFORMER_CONTROLLER_FIGHTS_FIGHT_BOOK_H_
