// cli/init/kind_lines.h
//
// Lines of a kind in those files of a project that all its kinds share: lists of sources, of
// manifests, of rights, of webhooks. The templates have them for the first kind; for a further one
// they go in front of the lines of another kind, which have the same form.

#ifndef KINFORMER_CLI_INIT_KIND_LINES_H_
#define KINFORMER_CLI_INIT_KIND_LINES_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/init/project_names.h"

namespace kinformer::cli {

// Lines that stand together.
struct KindLines {
  std::string path{};  // of their file, in the project
  std::string form{};  // of the first one, with placeholders: "- @kind@.yaml"
  std::vector<std::string> lines{};
};

// Returns the lines of a kind in all shared files, those of one file together.
std::vector<KindLines> LinesOfKind(const ProjectNames& names);

// Returns the text of the file with the lines in front of the first line that has their form, as
// far indented as that one. A text that has them already stays as it is. None: no line has that
// form.
std::optional<std::string> WithLines(std::string_view text, const KindLines& lines);

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_INIT_KIND_LINES_H_
