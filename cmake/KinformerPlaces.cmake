# Libraries that have no CMake package are linked by their names. This is for those that stand where
# the compiler does not look by itself, as with vcpkg and Conan: it is told where CMake found them.

foreach(library zstd re2 nghttp2 pq)
  set(header_of_zstd zstd.h)
  set(header_of_re2 re2/re2.h)
  set(header_of_nghttp2 nghttp2/nghttp2.h)
  set(header_of_pq libpq-fe.h)
  find_library(KINFORMER_PLACE_OF_${library} ${library})
  find_path(KINFORMER_HEADER_OF_${library} ${header_of_${library}} PATH_SUFFIXES postgresql)
  mark_as_advanced(KINFORMER_PLACE_OF_${library} KINFORMER_HEADER_OF_${library})
  if(KINFORMER_PLACE_OF_${library})
    get_filename_component(folder "${KINFORMER_PLACE_OF_${library}}" DIRECTORY)
    if(NOT folder IN_LIST CMAKE_CXX_IMPLICIT_LINK_DIRECTORIES)
      link_directories("${folder}")
    endif()
  endif()
  set(folder "${KINFORMER_HEADER_OF_${library}}")
  if(folder AND NOT folder IN_LIST CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES AND
     NOT folder MATCHES "/postgresql$")
    include_directories(SYSTEM "${folder}")
  endif()
endforeach()
