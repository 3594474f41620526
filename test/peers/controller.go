package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"
)

type work int32

const (
	doNothing work = iota
	doRead
	doChanges
)

// benchReconciler is the Worker of bench/e2e/controller_main.cc.
type benchReconciler struct {
	client.Client
	work      atomic.Int32
	left      atomic.Int64
	since     atomic.Int64
	cpu, done atomic.Int64 // of the moment in which the last was done
	mu        sync.Mutex
	seen      map[int64]bool
	latencies []int64
}

func (r *benchReconciler) begin(what work, count int) {
	r.done.Store(0)
	r.left.Store(int64(count))
	r.since.Store(time.Now().UnixNano())
	r.work.Store(int32(what))
}

func (r *benchReconciler) untilDone() {
	for r.done.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
}

func (r *benchReconciler) countOne() {
	if r.left.Add(-1) == 0 {
		r.cpu.Store(processNanoseconds())
		r.done.Store(time.Now().UnixNano())
	}
}

func (r *benchReconciler) changed(message string) bool {
	text, stamped := strings.CutPrefix(message, "changed at ")
	if !stamped {
		return false
	}
	stamp, err := strconv.ParseInt(text, 10, 64)
	if err != nil || stamp < r.since.Load() {
		return false
	}
	now := time.Now().UnixNano()
	r.mu.Lock()
	if r.seen[stamp] {
		r.mu.Unlock()
		return false
	}
	r.seen[stamp] = true
	r.latencies = append(r.latencies, now-stamp)
	r.mu.Unlock()
	r.countOne()
	return true
}

func (r *benchReconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	what := work(r.work.Load())
	if what != doNothing {
		var pod corev1.Pod
		if err := r.Get(ctx, request.NamespacedName, &pod); err != nil {
			return reconcile.Result{}, client.IgnoreNotFound(err)
		}
		if what == doChanges {
			if !r.changed(pod.Status.Message) {
				time.Sleep(time.Millisecond)
			}
			return reconcile.Result{}, nil
		}
	}
	r.countOne()
	return reconcile.Result{}, nil
}

func (r *benchReconciler) printLatencies(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	slices.Sort(r.latencies)
	for _, percent := range []int{50, 99} {
		at := r.latencies[(len(r.latencies)-1)*percent/100]
		fmt.Printf("%s_p%d_us %d\n", name, percent, at/1000)
	}
	r.latencies = nil
}

func rssBytes() (now, peak float64) {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		panic(err)
	}
	pages, err := strconv.Atoi(string(bytes.Fields(statm)[1]))
	if err != nil {
		panic(err)
	}
	return float64(pages * os.Getpagesize()), float64(usage.Maxrss) * 1024
}

type requestQueue = workqueue.TypedRateLimitingInterface[reconcile.Request]

// benchController does with controller-runtime what bench/e2e/controller_main.cc does with kinformer, and prints the same rows.
func benchController(config *rest.Config, workers, pods, rounds, changes int) error {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	ctrl.SetLogger(logr.Discard())
	manager, err := ctrl.NewManager(config, ctrl.Options{Metrics: server.Options{BindAddress: "0"}})
	if err != nil {
		return err
	}
	reconciler := &benchReconciler{Client: manager.GetClient(), seen: map[int64]bool{}}
	reconciler.begin(doNothing, pods)
	var queue priorityqueue.PriorityQueue[reconcile.Request]
	again := source.Func(func(_ context.Context, given requestQueue) error {
		queue = given.(priorityqueue.PriorityQueue[reconcile.Request])
		return nil
	})
	if err := ctrl.NewControllerManagedBy(manager).For(&corev1.Pod{}).WatchesRawSource(again).
		WithOptions(controller.Options{MaxConcurrentReconciles: workers}).Complete(reconciler); err != nil {
		return err
	}
	ended := make(chan struct{})
	go func() {
		if err := manager.Start(ctx); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		close(ended)
	}()
	reconciler.untilDone()
	rss, _ := rssBytes()
	fmt.Printf("started_at_ns %d\nstart_cpu_s %.3f\nrss_mb %.1f\n",
		reconciler.done.Load(), float64(reconciler.cpu.Load())*1e-9, rss*1e-6)

	all, err := allPods(ctx, manager.GetClient())
	if err != nil {
		return err
	}
	addAll := func(priority int) {
		for _, request := range all {
			queue.AddWithOpts(priorityqueue.AddOpts{Priority: &priority}, request)
		}
	}
	for _, measured := range []struct {
		name string
		what work
	}{{"nothing", doNothing}, {"read", doRead}} {
		var cpu, wall int64
		for range rounds {
			cpuBefore, before := processNanoseconds(), time.Now().UnixNano()
			reconciler.begin(measured.what, pods)
			addAll(0)
			reconciler.untilDone()
			cpu += reconciler.cpu.Load() - cpuBefore
			wall += reconciler.done.Load() - before
		}
		count := float64(rounds*pods) * 1e9
		fmt.Printf("%[1]s_per_cpu_s %.0[2]f\n%[1]s_per_s %.0[3]f\n", measured.name, count/float64(cpu), count/float64(wall))
	}

	reconciler.begin(doChanges, changes)
	fmt.Println("idle")
	reconciler.untilDone()
	reconciler.printLatencies("idle")

	reconciler.begin(doChanges, changes)
	addAll(handler.LowPriority)
	fmt.Println("full")
	reconciler.untilDone()
	fmt.Printf("left_in_queue %d\n", queue.Len())
	reconciler.printLatencies("full")
	_, peak := rssBytes()
	fmt.Printf("peak_rss_mb %.1f\n", peak*1e-6)
	stop()
	<-ended
	return nil
}

func allPods(ctx context.Context, reader client.Reader) ([]reconcile.Request, error) {
	var pods corev1.PodList
	if err := reader.List(ctx, &pods, client.UnsafeDisableDeepCopy); err != nil {
		return nil, err
	}
	all := make([]reconcile.Request, len(pods.Items))
	for i := range pods.Items {
		all[i].NamespacedName = client.ObjectKeyFromObject(&pods.Items[i])
	}
	return all, nil
}
