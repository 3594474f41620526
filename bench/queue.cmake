# Work queues, beside those of client-go and controller-runtime (bench/queues).
add_executable(queue_bench queue_bench.cc)
target_link_libraries(queue_bench PRIVATE kinformer_controller kinformer_object kinformer_flags)

# A reconcile that does nothing.
add_executable(reconcile_bench reconcile_bench.cc)
target_link_libraries(reconcile_bench PRIVATE kinformer_controller kinformer_flags)

# Spans, with a tracer and without.
add_executable(span_bench span_bench.cc)
target_link_libraries(span_bench PRIVATE
  kinformer_controller kinformer_otlp kinformer_object kinformer_flags)
