// controller/reconcile/instruments.h

#ifndef KINFORMER_CONTROLLER_RECONCILE_INSTRUMENTS_H_
#define KINFORMER_CONTROLLER_RECONCILE_INSTRUMENTS_H_

#include <memory>
#include <string>

#include "kinformer/base/env.h"
#include "kinformer/base/metrics.h"

namespace kinformer::internal {

// The metrics of one controller. All of them exist from the beginning, with value 0.
struct ControllerInstruments {
  ControllerInstruments(MetricsSink& sink, const std::string& controller)
      : success(Total(sink, controller, "success")),
        error(Total(sink, controller, "error")),
        requeue(Total(sink, controller, "requeue")),
        requeue_after(Total(sink, controller, "requeue_after")),
        errors(sink.NewCounter("controller_runtime_reconcile_errors_total",
                               "Reconciles that failed", {{"controller", controller}})),
        terminal_errors(sink.NewCounter("controller_runtime_terminal_reconcile_errors_total",
                                        "Reconciles that failed and are not tried again",
                                        {{"controller", controller}})),
        panics(sink.NewCounter("controller_runtime_reconcile_panics_total",
                               "Reconcilers that threw", {{"controller", controller}})),
        timeouts(sink.NewCounter("controller_runtime_reconcile_timeouts_total",
                                 "Reconciles that took longer than they may",
                                 {{"controller", controller}})),
        time(sink.NewHistogram("controller_runtime_reconcile_time_seconds", "Length of a reconcile",
                               {{"controller", controller}})),
        parked(sink.NewCounter("kinformer_reconcile_parked_total",
                               "Reconciles put aside until a cache shows an own write",
                               {{"controller", controller}})),
        workers(sink.NewGauge("controller_runtime_max_concurrent_reconciles", "Workers",
                              {{"controller", controller}})),
        active(sink.NewGauge("controller_runtime_active_workers", "Workers that reconcile",
                             {{"controller", controller}})),
        held_back(sink.NewGauge("kinformer_reconcile_held_back",
                                "1: reconciles wait for leadership or for a cache",
                                {{"controller", controller}})) {}

  const std::shared_ptr<Counter> success;
  const std::shared_ptr<Counter> error;
  const std::shared_ptr<Counter> requeue;
  const std::shared_ptr<Counter> requeue_after;
  const std::shared_ptr<Counter> errors;
  const std::shared_ptr<Counter> terminal_errors;
  const std::shared_ptr<Counter> panics;
  const std::shared_ptr<Counter> timeouts;
  const std::shared_ptr<Histogram> time;
  const std::shared_ptr<Counter> parked;
  const std::shared_ptr<Gauge> workers;
  const std::shared_ptr<Gauge> active;
  const std::shared_ptr<Gauge> held_back;

 private:
  static std::shared_ptr<Counter> Total(MetricsSink& sink, const std::string& controller,
                                        const char* result) {
    return sink.NewCounter("controller_runtime_reconcile_total", "Reconciles, by result",
                           {{"controller", controller}, {"result", result}});
  }
};

}  // namespace kinformer::internal

#endif  // KINFORMER_CONTROLLER_RECONCILE_INSTRUMENTS_H_
