#include "apiserver/data/state_database.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "apiserver/store/object_image.h"

namespace kinformer::apiserver {
namespace {

constexpr std::int64_t kFormat = 1;
// Versions that a server may have issued, but not kept, when it was killed: many times as many as
// it issues between two commits.
constexpr std::int64_t kMostLost = 1'000'000;
constexpr const char* kApplication = "1802071654";  // "kinf"

// The newest rows of history, which are kept whatever their age.
constexpr std::size_t kLeastHistory = 128;

Error Damaged(const std::string& path, const std::string& what) {
  return {Reason::kConfig, path + " is damaged (" + what +
                               "): put the folder back from a copy, or begin with another one"};
}

std::string TextsOf(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) AppendLengthAndText(text, out);
  return out;
}

std::vector<std::string> TextsIn(std::string_view bytes) {
  std::vector<std::string> texts;
  PartReader parts(bytes);
  while (parts.ok() && !parts.rest().empty()) texts.emplace_back(parts.Text());
  return texts;
}

}  // namespace

// A batch under way, and what it changes of the rows of history once it is committed.
struct StateDatabase::Changes {
  Changes(Database& database, std::int64_t now)
      : insert(database, "INSERT OR REPLACE INTO versions VALUES(?, ?, ?, ?, ?)"), floor(now) {}

  Statement insert;
  std::int64_t floor;
  bool cleared = false;
  std::size_t past = 0;  // rows at the beginning of history that are below the floor now
  std::vector<Past> added{};
};

StateDatabase::StateDatabase(std::unique_ptr<Database> database, HistoryBounds bounds)
    : database_(std::move(database)), bounds_(bounds) {}

Result<std::unique_ptr<StateDatabase>> StateDatabase::Open(const std::string& path,
                                                           HistoryBounds bounds,
                                                           std::size_t max_bytes) {
  Result<std::unique_ptr<Database>> opened = Database::Open(path);
  if (!opened) return opened.error();
  std::unique_ptr<StateDatabase> state(new StateDatabase(*std::move(opened), bounds));
  if (Result<void> prepared = state->Prepare(max_bytes); !prepared) return prepared.error();
  return state;
}

Result<void> StateDatabase::Prepare(std::size_t max_bytes) {
  const auto number = [&](std::string_view sql) -> Result<std::int64_t> {
    Statement statement(*database_, sql);
    const Result<bool> row = statement.Next();
    if (!row.ok()) return row.error();
    return *row ? statement.Number(0) : 0;
  };
  const Result<std::int64_t> tables = number("SELECT count(*) FROM sqlite_master");
  if (!tables) return tables.error();
  const Result<std::int64_t> application = number("PRAGMA application_id");
  const Result<std::int64_t> format = number("PRAGMA user_version");
  if (!application || !format) return database_->Failure();
  if (*tables > 0 && std::to_string(*application) != kApplication) {
    return Error(Reason::kConfig,
                 database_->path() + ": is a database of another program: name another folder");
  }
  if (*format > kFormat) {
    return Error(Reason::kConfig, database_->path() + ": has format " + std::to_string(*format) +
                                      ", made by a newer version; this one reads format " +
                                      std::to_string(kFormat) +
                                      ": use the newer version, or name another folder");
  }
  if (max_bytes > 0) {
    constexpr std::size_t kPage = 8192;
    const std::string pages = std::to_string(std::max<std::size_t>(max_bytes / kPage, 16));
    if (Result<void> set = database_->Run("PRAGMA max_page_count = " + pages); !set) return set;
  }
  if (*tables > 0) return {};
  return database_->Run(
      "BEGIN;"
      "CREATE TABLE meta(name TEXT PRIMARY KEY, number INTEGER) WITHOUT ROWID;"
      "CREATE TABLE lost(first INTEGER PRIMARY KEY, last INTEGER);"
      "CREATE TABLE resources(id INTEGER PRIMARY KEY, grp BLOB, plural BLOB, forms BLOB,"
      " fields BLOB, reshaped INTEGER);"
      "CREATE TABLE versions(version INTEGER PRIMARY KEY, resource INTEGER, previous INTEGER,"
      " checksum INTEGER, image BLOB);"
      "PRAGMA application_id = " +
      std::string(kApplication) + ";PRAGMA user_version = " + std::to_string(kFormat) + ";COMMIT");
}

Result<std::optional<std::int64_t>> StateDatabase::Meta(const std::string& name) {
  Statement select(*database_, "SELECT number FROM meta WHERE name = '" + name + "'");
  const Result<bool> row = select.Next();
  if (!row.ok()) return row.error();
  if (!*row) return std::optional<std::int64_t>();
  return std::optional<std::int64_t>(select.Number(0));
}

Result<void> StateDatabase::SetMeta(const std::string& name, std::int64_t number) {
  return database_->Run("INSERT OR REPLACE INTO meta VALUES('" + name + "', " +
                        std::to_string(number) + ")");
}

Result<void> StateDatabase::ReadResources(KeptState& state) {
  Statement select(*database_, "SELECT id, grp, plural, forms, fields, reshaped FROM resources");
  for (;;) {
    const Result<bool> row = select.Next();
    if (!row.ok()) return row.error();
    if (!*row) return {};
    state.resources.push_back({.id = static_cast<std::uint32_t>(select.Number(0)),
                               .reshaped = select.Number(5) != 0,
                               .saved = {.group = std::string(select.Bytes(1)),
                                         .plural = std::string(select.Bytes(2)),
                                         .forms = TextsIn(select.Bytes(3)),
                                         .fields = std::string(select.Bytes(4))}});
  }
}

Result<void> StateDatabase::ReadVersions(KeptState& state, SteadyTime now) {
  std::map<std::int64_t, SavedResource*> resources;
  for (KeptResource& resource : state.resources) resources[resource.id] = &resource.saved;
  Statement select(*database_,
                   "SELECT version, resource, previous, checksum, image FROM versions ORDER BY 1");
  for (;;) {
    const Result<bool> row = select.Next();
    if (!row.ok()) return row.error();
    if (!*row) break;
    const std::int64_t version = select.Number(0);
    const auto resource = resources.find(select.Number(1));
    std::string_view image = select.Bytes(4);
    const bool sound = ChecksumOf(image) == select.Number(3);
    StoredObjectPtr stored = sound ? ObjectImage::Take(image) : nullptr;
    if (stored == nullptr || resource == resources.end() || stored->resource_version() != version) {
      return Damaged(database_->path(), "version " + std::to_string(version));
    }
    state.resource_version = std::max(state.resource_version, version);
    SavedResource& saved = *resource->second;
    if (version <= floor_) {
      if (stored->tombstone()) return Damaged(database_->path(), "a tombstone below the floor");
      saved.objects.push_back(std::move(stored));
    } else {
      history_.push_back({.resource_version = version,
                          .previous = select.Number(2),
                          .tombstone = stored->tombstone(),
                          .time = now});
      saved.later.push_back(std::move(stored));
    }
  }
  for (KeptResource& resource : state.resources) {
    std::vector<StoredObjectPtr>& objects = resource.saved.objects;
    const auto by_key = [](const auto& a, const auto& b) { return a->key() < b->key(); };
    if (!std::is_sorted(objects.begin(), objects.end(), by_key)) {
      std::sort(objects.begin(), objects.end(), by_key);
    }
  }
  return {};
}

Result<void> StateDatabase::ReadLost(KeptState& state) {
  Statement select(*database_, "SELECT first, last FROM lost");
  for (;;) {
    const Result<bool> row = select.Next();
    if (!row.ok()) return row.error();
    if (!*row) return {};
    state.lost.push_back({.first = select.Number(0), .last = select.Number(1)});
  }
}

Result<std::optional<KeptState>> StateDatabase::Load(SteadyTime now) {
  const auto floor = Meta("floor");
  const auto begun = Meta("begun");
  const auto ended = Meta("ended");
  if (!floor) return floor.error();
  if (!begun || !ended) return database_->Failure();
  // The first batch clears a new database.
  if (!*floor) return std::optional<KeptState>();
  floor_ = **floor;
  KeptState state{.floor = floor_, .resource_version = std::max(floor_, begun->value_or(0))};
  for (const auto& read : {ReadResources(state), ReadVersions(state, now), ReadLost(state)}) {
    if (!read) return read.error();
  }
  const std::int64_t last = std::max(state.resource_version, ended->value_or(0));
  state.resource_version = last;
  if (Result<void> noted = Begin(state, last, ended->has_value()); !noted) return noted.error();
  return std::optional<KeptState>(std::move(state));
}

Result<void> StateDatabase::Begin(KeptState& state, std::int64_t last, bool ended) {
  std::string sql = "BEGIN;DELETE FROM meta WHERE name = 'ended';";
  if (!ended) {
    state.resource_version = last + kMostLost;
    state.lost.push_back({.first = last, .last = state.resource_version});
    sql += "INSERT OR REPLACE INTO lost VALUES(" + std::to_string(last) + ", " +
           std::to_string(state.resource_version) + ");";
  }
  sql += "INSERT OR REPLACE INTO meta VALUES('begun', " + std::to_string(state.resource_version) +
         ");COMMIT";
  return database_->Run(sql);
}

Result<void> StateDatabase::Write(const std::vector<BatchStep>& steps, SteadyTime now) {
  Changes changes(*database_, floor_);
  Result<void> written = WriteSteps(steps, now, changes);
  if (!written) {
    may_retry_ = database_->MayRetry();
    (void)database_->Run("ROLLBACK").ok();  // SQLite may have done that itself
    return written;
  }
  floor_ = changes.floor;
  if (changes.cleared) history_.clear();
  history_.erase(history_.begin(), history_.begin() + static_cast<std::ptrdiff_t>(changes.past));
  history_.insert(history_.end(), changes.added.begin(), changes.added.end());
  return {};
}

Result<void> StateDatabase::WriteSteps(const std::vector<BatchStep>& steps, SteadyTime now,
                                       Changes& changes) {
  if (Result<void> begun = database_->Run("BEGIN"); !begun) return begun;
  for (const BatchStep& step : steps) {
    Result<void> written =
        std::visit([&](const auto& one) { return WriteStep(one, changes); }, step);
    if (!written) return written;
  }
  // Keeps up with any rate of writes, and no commit becomes slow.
  const std::size_t most = 2 * steps.size() + 64;
  if (Result<void> compacted = Compact(now, most, changes); !compacted) return compacted;
  return database_->Run("COMMIT");
}

Result<void> StateDatabase::WriteStep(const PutVersion& put, Changes& changes) {
  std::string image;
  ObjectImage::Append(*put.stored, image);
  const std::int64_t version = put.stored->resource_version();
  changes.insert.Bind(1, version)
      .Bind(2, std::int64_t{put.resource})
      .Bind(3, put.previous)
      .Bind(4, std::int64_t{ChecksumOf(image)})
      .Bind(5, image);
  if (Result<void> written = changes.insert.Run(); !written) return written;
  if (version <= changes.floor) return {};
  changes.added.push_back({.resource_version = version,
                           .previous = put.previous,
                           .tombstone = put.stored->tombstone(),
                           .time = put.time});
  return {};
}

Result<void> StateDatabase::WriteStep(const DescribeResource& describe, Changes& /*changes*/) {
  const auto& [id, reshaped, saved] = describe.resource;
  const std::string forms = TextsOf(saved.forms);
  Statement insert(*database_, "INSERT OR REPLACE INTO resources VALUES(?, ?, ?, ?, ?, ?)");
  return insert.Bind(1, std::int64_t{id})
      .Bind(2, saved.group)
      .Bind(3, saved.plural)
      .Bind(4, forms)
      .Bind(5, saved.fields)
      .Bind(6, std::int64_t{reshaped ? 1 : 0})
      .Run();
}

Result<void> StateDatabase::WriteStep(const DropResource& drop, Changes& /*changes*/) {
  const std::string id = std::to_string(drop.resource);
  return database_->Run("DELETE FROM versions WHERE resource = " + id +
                        ";DELETE FROM resources WHERE id = " + id);
}

Result<void> StateDatabase::WriteStep(const ClearVersions& clear, Changes& changes) {
  changes.floor = clear.floor;
  changes.cleared = true;
  changes.added.clear();
  Result<void> cleared = database_->Run("DELETE FROM versions;DELETE FROM lost");
  return cleared ? SetMeta("floor", clear.floor) : cleared;
}

Result<void> StateDatabase::WriteStep(const EndVersions& end, Changes& /*changes*/) {
  return SetMeta("ended", end.resource_version);
}

Result<void> StateDatabase::Compact(SteadyTime now, std::size_t most, Changes& changes) {
  if (changes.cleared) return {};
  const std::int64_t before = changes.floor;
  Statement forget(*database_, "DELETE FROM versions WHERE version = ?");
  std::size_t count = history_.size() + changes.added.size();
  for (const Past& past : history_) {
    const bool too_old = count > kLeastHistory && now - past.time > bounds_.max_age;
    if ((count <= bounds_.max_events && !too_old) || changes.past == most) break;
    if (past.previous != 0) {
      if (Result<void> gone = forget.Bind(1, past.previous).Run(); !gone) return gone;
    }
    if (past.tombstone) {
      if (Result<void> gone = forget.Bind(1, past.resource_version).Run(); !gone) return gone;
    }
    changes.floor = past.resource_version;
    ++changes.past;
    --count;
  }
  if (changes.floor == before) return {};
  const std::string floor = std::to_string(changes.floor);
  if (Result<void> gone = database_->Run("DELETE FROM lost WHERE last <= " + floor); !gone) {
    return gone;
  }
  return SetMeta("floor", changes.floor);
}

}  // namespace kinformer::apiserver
