// cli/saved_files.h
//
// Saved states of `kinformer apiserver`: files of --load that are no manifests, and --save.

#ifndef KINFORMER_CLI_SAVED_FILES_H_
#define KINFORMER_CLI_SAVED_FILES_H_

#include <optional>
#include <string>
#include <vector>

#include "kinformer/apiserver/state_snapshot.h"
#include "kinformer/base/result.h"
#include "kinformer/base/stop.h"

namespace kinformer::cli {

// Takes the saved state out of the paths of --load, if one of them is a file of that kind. Errors:
// kConfig for a file that cannot be used, kInvalidArgument for a second one.
Result<std::optional<apiserver::StateSnapshot>> TakeSavedState(std::vector<std::string>& paths);

// Checks that the folder of the file exists and can be written. kConfig names both.
Result<void> CheckCanSave(const std::string& path);

// Waits for SIGUSR1, which asks for a save, and for the end. Make it before other threads start:
// they would be ended by the signal.
class SaveRequests {
 public:
  SaveRequests();
  ~SaveRequests();
  SaveRequests(const SaveRequests&) = delete;
  SaveRequests& operator=(const SaveRequests&) = delete;
  // Returns true if a save is asked for, and false if the program is to end. Blocks.
  [[nodiscard]] bool Next(const StopSource& stop);

 private:
  int signals_;
  int stopping_;
};

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_SAVED_FILES_H_
