// cli/init/project_names.h
//
// ProjectNames: the names in a new operator project, as `kinformer init` gets or guesses them.

#ifndef KINFORMER_CLI_INIT_PROJECT_NAMES_H_
#define KINFORMER_CLI_INIT_PROJECT_NAMES_H_

#include <string>
#include <string_view>

#include "kinformer/base/result.h"

namespace kinformer::cli {

// Each may be empty, and is guessed then.
struct WantedNames {
  std::string folder{};  // of the project
  std::string name{};
  std::string group{};
  std::string kind{};
  std::string version{};
  std::string plural{};
  std::string namespace_{};
  std::string image{};
};

struct ProjectNames {
  std::string name{};         // "website-operator"
  std::string group{};        // "example.com"
  std::string kind{};         // "Website"
  std::string version{};      // "v1"
  std::string plural{};       // "websites"
  bool plural_is_guessed{};   // as the library guesses it, too
  std::string plural_type{};  // "Websites", the type of the kind's objects
  std::string namespace_{};   // "website-operator-system"
  std::string image{};        // "website-operator:latest"
};

// Errors are kInvalidArgument; they name the option and the form that it has.
Result<ProjectNames> NamesOfProject(const WantedNames& wanted);

// Returns "websites" for "Website": what CustomKind takes for its plural.
std::string PluralOfKind(std::string_view kind);

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_INIT_PROJECT_NAMES_H_
