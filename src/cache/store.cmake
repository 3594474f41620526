# The store's part of the layer `cache`.
set(KINFORMER_STORE_SOURCES epoch.cc indexer_core.cc informer_indexer.cc key_table.cc store_core.cc
    store_index.cc store_state.cc versions.cc)
