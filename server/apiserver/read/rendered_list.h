// apiserver/read/rendered_list.h
//
// Human-readable lists in pieces: the text around the items, and one item. Together they equal the
// result of Render (apiserver/request/object_encoder.h) for the whole list.

#ifndef KINFORMER_APISERVER_READ_RENDERED_LIST_H_
#define KINFORMER_APISERVER_READ_RENDERED_LIST_H_

#include <string>

#include "apiserver/request/object_encoder.h"

namespace kinformer::apiserver {

struct ListFrame {
  std::string head{};
  std::string before_first{};
  std::string between{};
  std::string after_last{};
  std::string instead{};  // if there are no items
  std::string tail{};
};

// REQUIRES: the encoder's format is YAML or pretty JSON.
ListFrame RenderedFrame(const ObjectEncoder& encoder, const ListHead& head);
// `item`: JSON.
std::string RenderItem(const OutputFormat& format, const std::string& item);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_READ_RENDERED_LIST_H_
