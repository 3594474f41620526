# The store's part of the layer `cache`.
set(KINFORMER_STORE_SOURCES epoch.cc indexer_core.cc informer_indexer.cc key_table.cc store_core.cc
    store_index.cc store_state.cc store_writer.cc versions.cc)

# At the end of the folder, when the layer is declared.
function(kinformer_store_tests)
  kinformer_test(store_test SOURCES store_core_test.cc indexer_test.cc LAYERS cache)
  kinformer_test(store_concurrency_test SOURCES store_concurrency_test.cc LAYERS cache LABELS concurrency)
endfunction()
cmake_language(DEFER CALL kinformer_store_tests)
