#include "kinformer/apiserver/state_snapshot.h"

#include <cerrno>
#include <fstream>
#include <sstream>
#include <system_error>

#include "apiserver/store/saved_state.h"
#include "base/text/replace_file.h"

namespace kinformer::apiserver {

bool StateSnapshot::IsOne(std::string_view bytes) {
  constexpr std::string_view kName = "kinformer-state ";
  return bytes.starts_with(kName);
}

Result<StateSnapshot> StateSnapshot::FromBytes(std::string bytes) {
  const Result<SavedState> state = DecodeState(bytes);
  if (!state) return state.error();
  std::size_t count = 0;
  for (const SavedResource& resource : state->resources) count += resource.objects.size();
  return StateSnapshot(std::move(bytes), state->resource_version, count);
}

Result<StateSnapshot> StateSnapshot::ReadFile(const std::string& path) {
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  if (!in || in.peek() == std::ifstream::traits_type::eof() || !(text << in.rdbuf())) {
    const std::string why = errno == 0 ? "it is empty" : std::generic_category().message(errno);
    return Error(Reason::kConfig, path + ": cannot be read: " + why);
  }
  Result<StateSnapshot> snapshot = FromBytes(std::move(text).str());
  if (!snapshot) return Error(Reason::kConfig, path + " " + snapshot.error().message());
  return snapshot;
}

Result<void> StateSnapshot::WriteFile(const std::string& path) const {
  return internal::base::ReplaceFile(path, *bytes_, {.many_writers = true});
}

}  // namespace kinformer::apiserver
