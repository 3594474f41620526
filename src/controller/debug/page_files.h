// controller/debug/page_files.h
//
// The files of the page, from the folder page/. They are compiled in by page_files.py.

#ifndef KINFORMER_CONTROLLER_DEBUG_PAGE_FILES_H_
#define KINFORMER_CONTROLLER_DEBUG_PAGE_FILES_H_

#include <string_view>

namespace kinformer::internal::debug {

extern const std::string_view kPageHtml;
extern const std::string_view kPageScript;
extern const std::string_view kPageStyle;

}  // namespace kinformer::internal::debug

#endif  // KINFORMER_CONTROLLER_DEBUG_PAGE_FILES_H_
