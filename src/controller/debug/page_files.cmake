# Writes OUT, a source file with the files of the page in FOLDER as texts.
file(READ ${FOLDER}/index.html html)
file(READ ${FOLDER}/page.js script)
file(READ ${FOLDER}/page.css style)
set(source "#include \"controller/debug/page_files.h\"\n\n")
string(APPEND source "namespace kinformer::internal::debug {\n\n")
foreach(name IN ITEMS Html Script Style)
  string(TOLOWER ${name} text)
  string(APPEND source
         "const std::string_view kPage${name} = R\"kinformer-page(${${text}})kinformer-page\";\n")
endforeach()
string(APPEND source "\n}  // namespace kinformer::internal::debug\n")
file(WRITE ${OUT} "${source}")
