#include "controller/fights/fight_book.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <tuple>
#include <utility>

#include "base/core/system_random.h"
#include "base/core/user_call.h"
#include "base/text/hash_bytes.h"
#include "controller/causes/causes_of.h"

namespace kinformer::internal {

using fights::kMostWrittenFields;

namespace {

// Rounds that it takes longer if the other writer sets another value each time.
constexpr int kMoreRounds = 3;
// Values and managers of others that are remembered of a field.
constexpr std::size_t kMostOthers = 4;

template <class T>
void Remember(std::vector<T>& all, const T& one) {
  if (std::ranges::find(all, one) != all.end()) return;
  if (all.size() == kMostOthers) all.erase(all.begin());
  all.push_back(one);
}

std::string Quoted(const std::string& manager) {
  return manager.empty() ? std::string("an unknown manager") : '"' + manager + '"';
}

std::string Joined(const std::vector<std::string>& managers) {
  std::string text;
  for (const std::string& manager : managers) {
    if (!text.empty()) text += ", ";
    text += Quoted(manager);
  }
  return text;
}

// Returns the advice for people.
std::string_view RemedyOf(std::string_view type) {
  if (type == "other writer") {
    return "let one of them only set the field: take it out of what this controller writes, or out "
           "of what the other one is told to set";
  }
  if (type == "itself") {
    return "its own write wakes it and it decides otherwise: derive the field from other objects, "
           "or from fields that it does not write";
  }
  return "a webhook or a rule of the kind sets the field within the write: write what the server "
         "keeps, or change the webhook";
}

std::string SecondsText(Duration duration) {
  return std::to_string(std::chrono::ceil<std::chrono::seconds>(duration).count()) + " s";
}

}  // namespace

FightBook::FightBook(Env& env, std::string controller, const FightOptions& options)
    : env_(env),
      controller_(std::move(controller)),
      options_(options),
      seed_(base::SystemRandom()),
      found_(env.metrics().NewCounter("kinformer_fights_found_total",
                                      "Fields whose writes were found to be undone again and again",
                                      {{"controller", controller_}})),
      under_way_(env.metrics().NewGauge("kinformer_fights_under_way",
                                        "Fields whose writes are undone again and again now",
                                        {{"controller", controller_}})) {}

FightBook::~FightBook() = default;

void FightBook::TellTo(std::function<void(const FoundFight&)> tell) {
  const base::MutexLock lock(mutex_);
  tell_ = std::move(tell);
}

std::uint64_t FightBook::PrintOf(std::string_view what, std::string_view uid, std::string_view path,
                                 std::uint64_t value) const {
  std::uint64_t print = base::HashBytes(seed_ ^ value, what);
  print = base::HashBytes(print, uid);
  print = base::HashBytes(print, path);
  return print == 0 ? 1 : print;
}

Duration FightBook::Patience(bool found) const {
  const Duration within = options_.answer_within;
  return found ? std::max<Duration>(within, options_.rest) : within;
}

bool FightBook::IsRecent(const fights::RecentTable::Entry* entry, SteadyTime now,
                         bool found) const {
  return entry != nullptr && now - entry->at <= Patience(found);
}

bool FightBook::Wrote(std::string_view version) const {
  const std::uint64_t print = PrintOf("version", version, {}, 0);
  const base::MutexLock lock(mutex_);
  return prints_.Find(print) != nullptr;
}

bool FightBook::Suspects(const Block& before, const Causes& causes) {
  const std::string_view uid = before.uid();
  const SteadyTime now = env_.Now();
  const base::MutexLock lock(mutex_);
  if (const auto object = objects_.find(std::string(uid)); object != objects_.end()) {
    const bool found = std::ranges::any_of(object->second.fields,
                                           [](const auto& field) { return field.second.found; });
    if (now - object->second.touched <= Patience(found)) return true;
    if (!found) Forget(object);
  }
  const fights::RecentTable::Entry* const last = written_.Find(PrintOf("object", uid, {}, 0));
  if (!IsRecent(last, now, false)) return false;
  return causes.nothing_of_others ||
         last->value != PrintOf("version", before.resourceVersion(), {}, 0);
}

std::optional<SteadyTime> FightBook::Note(const Write& write) {
  const std::string_view uid = write.now->uid();
  const std::uint64_t key = PrintOf("object", uid, {}, 0);
  const std::uint64_t version = PrintOf("version", write.now->resourceVersion(), {}, 0);
  const SteadyTime now = env_.Now();
  std::vector<News> news;
  bool round = false;
  {
    const base::MutexLock lock(mutex_);
    const fights::RecentTable::Entry* const last = written_.Find(key);
    const bool foreign = last != nullptr && write.before != nullptr &&
                         last->value != PrintOf("version", write.before->resourceVersion(), {}, 0);
    written_.Note(key, version, now);
    prints_.Note(version, 0, now);
    for (std::size_t i = 0; i < write.fields.size(); ++i) {
      const bool again = write.fields[i].undone ? NoteUndone(write, i, now, news)
                                                : NoteChange(write, i, foreign, now, news);
      round = round || again;
    }
    if (round) SetTimer();
  }
  Say(news);
  if (!round || Duration(options_.interval) == Duration(0)) return std::nullopt;
  return now + options_.interval;
}

FightBook::Object* FightBook::Make(const Write& write, SteadyTime now) {
  const std::string uid(write.now->uid());
  const auto known = objects_.find(uid);
  if (known != objects_.end()) return &known->second;
  if (objects_.size() >= kMostObjects) {
    auto oldest = objects_.end();
    for (auto at = objects_.begin(); at != objects_.end(); ++at) {
      const bool found = std::ranges::any_of(at->second.fields,
                                             [](const auto& field) { return field.second.found; });
      if (found) continue;
      if (oldest == objects_.end() || at->second.touched < oldest->second.touched) oldest = at;
    }
    if (oldest == objects_.end()) return nullptr;
    Forget(oldest);
  }
  Object& object = objects_[uid];
  object.kind = write.kind;
  object.name = {std::string(write.now->namespace_()), std::string(write.now->name())};
  object.touched = now;
  return &object;
}

FightBook::Field* FightBook::MakeField(const Write& write, const fights::WrittenField& written,
                                       SteadyTime now) {
  Object* const object = Make(write, now);
  if (object == nullptr || object->fields.size() >= kMostWrittenFields) return nullptr;
  return &object->fields[written.path];
}

void FightBook::Forget(Objects::iterator object) { objects_.erase(object); }

bool FightBook::NoteChange(const Write& write, std::size_t i, bool foreign, SteadyTime now,
                           std::vector<News>& news) {
  const fights::WrittenField& written = write.fields[i];
  const std::string_view uid = write.now->uid();
  const auto object = objects_.find(std::string(uid));
  Field* field = nullptr;
  if (object != objects_.end()) {
    const auto found = object->second.fields.find(written.path);
    if (found != object->second.fields.end()) field = &found->second;
  }
  const std::uint64_t print = PrintOf("value", uid, written.path, written.now);
  // Written before, and changed since.
  const bool back = IsRecent(prints_.Find(print), now, field != nullptr && field->found);
  const bool own_before =
      prints_.Find(PrintOf("value", uid, written.path, written.before)) != nullptr;
  prints_.Note(print, 0, now);
  std::optional<Type> type;
  if (back && foreign && (field != nullptr ? written.before != field->own : !own_before)) {
    type = Type::kOtherWriter;
  } else if (back && !foreign && write.causes.only_own_writes) {
    type = Type::kItself;
  }
  if (field == nullptr) {
    // A field that was changed back is watched, whoever was it.
    if (!back || (!foreign && !type)) return false;
    field = MakeField(write, written, now);
    if (field == nullptr) return false;
  }
  field->own = written.now;
  if (!type) {
    if (!field->found) field->rounds = 0;
    return false;
  }
  return Round(write, i, *field, *type, now, news);
}

bool FightBook::NoteUndone(const Write& write, std::size_t i, SteadyTime now,
                           std::vector<News>& news) {
  if (!write.causes.nothing_of_others) return false;
  const fights::WrittenField& written = write.fields[i];
  const std::uint64_t print = PrintOf("undone", write.now->uid(), written.path, written.sent);
  const auto object = objects_.find(std::string(write.now->uid()));
  const bool known = object != objects_.end() && object->second.fields.contains(written.path);
  const bool again = IsRecent(prints_.Find(print), now, known);
  prints_.Note(print, 0, now);
  if (!again) return false;
  Field* const field =
      known ? &object->second.fields.find(written.path)->second : MakeField(write, written, now);
  if (field == nullptr) return false;
  if (field->asked != written.sent && !field->found) field->rounds = 0;
  field->asked = written.sent;
  return Round(write, i, *field, Type::kServer, now, news);
}

bool FightBook::IsFight(const Field& field) const {
  if (field.type != Type::kOtherWriter) return field.rounds >= options_.rounds;
  const int first_times = field.rounds - field.repeated;
  const bool alternates = first_times <= static_cast<int>(kMostOthers) / 2;
  return field.rounds >= options_.rounds + (alternates ? 0 : kMoreRounds);
}

bool FightBook::Round(const Write& write, std::size_t i, Field& field, Type type, SteadyTime now,
                      std::vector<News>& news) {
  const fights::WrittenField& written = write.fields[i];
  const bool late = field.rounds > 0 && now - field.last > Patience(field.found);
  if (!field.found && (late || field.type != type)) {
    field = Field{.own = field.own, .asked = field.asked};
  }
  if (!field.found) field.type = type;
  if (field.rounds == 0) field.first = now;
  ++field.rounds;
  field.last = now;
  field.request = *write.request;
  const bool server = type == Type::kServer;
  const std::uint64_t other = server ? written.now : written.before;
  if (std::ranges::find(field.other_values, other) != field.other_values.end()) ++field.repeated;
  Remember(field.other_values, other);
  if (type == Type::kOtherWriter) Remember(field.others, write.others[i]);
  field.own_text = server ? written.sent_text : written.now_text;
  field.other_text = server ? written.now_text : written.before_text;
  Object& object = objects_.find(std::string(write.now->uid()))->second;
  object.manager = write.manager;
  object.touched = now;
  if (field.found) return true;
  if (!IsFight(field)) return false;
  field.found = true;
  ++fights_;
  found_->Add();
  under_way_->Set(static_cast<double>(fights_));
  News& one = news.emplace_back();
  one.level = LogLevel::kWarning;
  one.line = "a fight: what this controller writes is undone again and again";
  one.fight = FigureOf(object, written.path, field, now);
  one.found = {object.kind, object.name, std::string(write.now->uid()), {}};
  return true;
}

ControllerFigures::Fight FightBook::FigureOf(const Object& object, const std::string& path,
                                             const Field& field, SteadyTime now) const {
  ControllerFigures::Fight figure;
  figure.request = field.request;
  figure.kind = KindName(*object.kind);
  figure.object = object.name.ToString();
  figure.field = path;
  figure.type = field.type == Type::kOtherWriter ? "other writer"
                : field.type == Type::kItself    ? "itself"
                                                 : "server";
  figure.manager = object.manager;
  figure.others = field.others;
  figure.own_value = field.own_text;
  figure.other_value = field.other_text;
  figure.rounds = static_cast<std::size_t>(field.rounds);
  figure.begun = now - field.first;
  figure.ago = now - field.last;
  figure.under_way = true;
  figure.held = std::max(Duration(0), Duration(options_.interval) - (now - field.last));
  return figure;
}

void FightBook::Say(const std::vector<News>& news) {
  if (news.empty()) return;
  std::function<void(const FoundFight&)> tell;
  {
    const base::MutexLock lock(mutex_);
    tell = tell_;
  }
  for (const News& one : news) {
    const ControllerFigures::Fight& fight = one.fight;
    const std::string whom = fight.type == "other writer" ? Joined(fight.others)
                             : fight.type == "itself"     ? "itself"
                                                          : "the server";
    std::string values = fight.own_value;
    if (!values.empty() && !fight.other_value.empty()) values += " and " + fight.other_value;
    const std::string rounds =
        std::to_string(fight.rounds) + " times in " + SecondsText(fight.begun);
    if (one.level == LogLevel::kInfo) {
      env_.log().Log(one.level, one.line,
                     {{"controller", controller_},
                      {"object", fight.kind + " " + fight.object},
                      {"field", fight.field},
                      {"rounds", std::to_string(fight.rounds)}});
      continue;
    }
    const std::string held = options_.interval > Duration(0)
                                 ? SecondsText(options_.interval) + " between reconciles"
                                 : std::string("none: FightOptions::interval is 0");
    env_.log().Log(one.level, one.line,
                   {{"controller", controller_},
                    {"key", fight.request},
                    {"object", fight.kind + " " + fight.object},
                    {"field", fight.field},
                    {"manager", fight.manager},
                    {"by", whom},
                    {"rounds", rounds},
                    {"values", values.empty() ? std::string("not told") : values},
                    {"pace", held},
                    {"remedy", std::string(RemedyOf(fight.type))}});
    if (!tell) continue;
    FoundFight found = one.found;
    found.message = Quoted(fight.manager) + " and " + whom + " undo each other in " + fight.field +
                    ", " + rounds + (values.empty() ? std::string() : ": " + values);
    if (fight.type == "itself") {
      found.message = Quoted(fight.manager) + " changes " + fight.field + " back itself, " + rounds;
    }
    found.message += "; " + std::string(RemedyOf(fight.type));
    static_cast<void>(base::CallUser(
        env_, "event of a fight", [&] { tell(found); }, [&] { return controller_; }));
  }
}

void FightBook::SetTimer() {
  std::optional<SteadyTime> first;
  for (const auto& [uid, object] : objects_) {
    for (const auto& [path, field] : object.fields) {
      if (!field.found) continue;
      const SteadyTime rested = field.last + options_.rest;
      if (!first || rested < *first) first = rested;
    }
  }
  if (!first) return;
  timer_ = env_.loop().RunAt(*first, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->EndRested();
  });
}

void FightBook::EndRested() {
  std::vector<News> news;
  {
    const base::MutexLock lock(mutex_);
    const SteadyTime now = env_.Now();
    for (auto at = objects_.begin(); at != objects_.end();) {
      Object& object = at->second;
      for (auto field = object.fields.begin(); field != object.fields.end();) {
        if (!field->second.found || now - field->second.last < Duration(options_.rest)) {
          ++field;
          continue;
        }
        News& one = news.emplace_back();
        one.level = LogLevel::kInfo;
        one.line = "a fight has ended: its field rests";
        one.fight = FigureOf(object, field->first, field->second, now);
        one.fight.under_way = false;
        ended_.push_back({one.fight, now});
        if (ended_.size() > kMostEnded) ended_.pop_front();
        --fights_;
        field = object.fields.erase(field);
      }
      at = object.fields.empty() ? objects_.erase(at) : std::next(at);
    }
    under_way_->Set(static_cast<double>(fights_));
    SetTimer();
  }
  Say(news);
}

std::vector<ControllerFigures::Fight> FightBook::Report(SteadyTime now) const {
  std::vector<ControllerFigures::Fight> fights;
  const base::MutexLock lock(mutex_);
  for (const auto& [uid, object] : objects_) {
    for (const auto& [path, field] : object.fields) {
      if (field.found) fights.push_back(FigureOf(object, path, field, now));
    }
  }
  for (const Ended& ended : ended_) {
    fights.push_back(ended.fight);
    fights.back().begun += now - ended.at;
    fights.back().ago += now - ended.at;
  }
  std::ranges::sort(fights, {}, [](const auto& fight) {
    return std::tuple(!fight.under_way, fight.ago, fight.object, fight.field);
  });
  return fights;
}

}  // namespace kinformer::internal
