// cli/rows.h
//
// Titles and cells of objects that are printed in columns: those of their kind or of
// -o custom-columns, with the namespace, labels and kinds that the options ask for.

#ifndef KINFORMER_CLI_ROWS_H_
#define KINFORMER_CLI_ROWS_H_

#include <string>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/json/json.h"

#include "cli/format.h"
#include "cli/selection.h"

namespace kinformer::cli {

// Rows of one resource. `format` and `selection` must outlive it. REQUIRES: format.has_rows().
class Rows {
 public:
  // `qualified`: print names with their kind.
  Rows(const Format& format, const Selection& selection, bool qualified)
      : format_(format), selection_(selection), qualified_(qualified || format.show_kind) {}

  [[nodiscard]] std::vector<std::string> Titles() const;
  // An error is that of a custom column.
  [[nodiscard]] Result<std::vector<std::string>> Cells(const json::Value& object,
                                                       WallTime now) const;

 private:
  const Format& format_;
  const Selection& selection_;
  const bool qualified_;
};

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_ROWS_H_
