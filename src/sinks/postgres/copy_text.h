// sinks/postgres/copy_text.h
//
// Text for PostgreSQL: fields of COPY, and JSON that jsonb takes.

#ifndef KINFORMER_SINKS_POSTGRES_COPY_TEXT_H_
#define KINFORMER_SINKS_POSTGRES_COPY_TEXT_H_

#include <string>
#include <string_view>

namespace kinformer::internal::sinks {

// Appends a field of COPY in its text format.
void AppendCopyField(std::string& out, std::string_view field);

// Replaces each escaped U+0000, which jsonb refuses, by U+FFFD.
void ReplaceEscapedNul(std::string& json);

}  // namespace kinformer::internal::sinks

#endif  // KINFORMER_SINKS_POSTGRES_COPY_TEXT_H_
