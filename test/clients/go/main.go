// client does with client-go what programs do with an API server; see README.md.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/watch"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

const patience = 30 * time.Second

var (
	client    kubernetes.Interface
	namespace = fmt.Sprintf("go-%d", time.Now().UnixNano())
)

// check ends a scenario: the deferred function in main names it.
func check(ok bool, what string, values ...any) {
	if !ok {
		panic(fmt.Sprintf(what, values...))
	}
}

func must[T any](value T, err error) T {
	check(err == nil, "%v", err)
	return value
}

func configMap(name, value string) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"app": name}},
		Data:       map[string]string{"key": value},
	}
}

func crud(ctx context.Context) {
	maps := client.CoreV1().ConfigMaps(namespace)
	created := must(maps.Create(ctx, configMap("crud", "1"), metav1.CreateOptions{}))
	_, err := maps.Create(ctx, configMap("crud", "1"), metav1.CreateOptions{})
	check(apierrors.IsAlreadyExists(err), "created twice: %v", err)
	changed := created.DeepCopy()
	changed.Data["key"] = "2"
	check(must(maps.Update(ctx, changed, metav1.UpdateOptions{})).Data["key"] == "2", "update")
	_, err = maps.Update(ctx, created, metav1.UpdateOptions{})
	check(apierrors.IsConflict(err), "an old version was taken: %v", err)
	patched := must(maps.Patch(ctx, "crud", types.MergePatchType, []byte(`{"data":{"more":"3"}}`), metav1.PatchOptions{}))
	check(len(patched.Data) == 2, "patch: %v", patched.Data)
	check(len(must(maps.List(ctx, metav1.ListOptions{LabelSelector: "app=crud"})).Items) == 1, "list by label")
	check(maps.Delete(ctx, "crud", metav1.DeleteOptions{}) == nil, "delete")
	_, err = maps.Get(ctx, "crud", metav1.GetOptions{})
	check(apierrors.IsNotFound(err), "deleted, but there: %v", err)
}

func watching(ctx context.Context) {
	maps := client.CoreV1().ConfigMaps(namespace)
	list := must(maps.List(ctx, metav1.ListOptions{}))
	events := must(maps.Watch(ctx, metav1.ListOptions{ResourceVersion: list.ResourceVersion, LabelSelector: "app=watched"}))
	defer events.Stop()
	must(maps.Create(ctx, configMap("watched", "1"), metav1.CreateOptions{}))
	must(maps.Patch(ctx, "watched", types.MergePatchType, []byte(`{"data":{"key":"2"}}`), metav1.PatchOptions{}))
	check(maps.Delete(ctx, "watched", metav1.DeleteOptions{}) == nil, "delete")
	for _, want := range []watch.EventType{watch.Added, watch.Modified, watch.Deleted} {
		select {
		case event := <-events.ResultChan():
			check(event.Type == want, "%s, not %s", event.Type, want)
		case <-time.After(patience):
			check(false, "no event %s", want)
		}
	}
}

func informer(ctx context.Context) {
	maps := client.CoreV1().ConfigMaps(namespace)
	must(maps.Create(ctx, configMap("before", "1"), metav1.CreateOptions{}))
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(namespace))
	seen := make(chan string, 10)
	note := func(what string, object any) {
		if tombstone, is := object.(cache.DeletedFinalStateUnknown); is {
			object = tombstone.Obj
		}
		seen <- what + " " + object.(*corev1.ConfigMap).Name
	}
	mapsInformer := factory.Core().V1().ConfigMaps()
	must(mapsInformer.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { note("added", object) },
		UpdateFunc: func(_, object any) { note("updated", object) },
		DeleteFunc: func(object any) { note("deleted", object) },
	}))
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	factory.Start(ctx.Done())
	for kind, synced := range factory.WaitForCacheSync(ctx.Done()) {
		check(synced, "%v has not synced", kind)
	}
	must(maps.Create(ctx, configMap("after", "1"), metav1.CreateOptions{}))
	must(maps.Patch(ctx, "after", types.MergePatchType, []byte(`{"data":{"key":"2"}}`), metav1.PatchOptions{}))
	check(maps.Delete(ctx, "before", metav1.DeleteOptions{}) == nil, "delete")
	for _, want := range []string{"added before", "added after", "updated after", "deleted before"} {
		select {
		case have := <-seen:
			check(have == want, "%s, not %s", have, want)
		case <-time.After(patience):
			check(false, "never: %s", want)
		}
	}
	after := must(mapsInformer.Lister().ConfigMaps(namespace).Get("after"))
	check(after.Data["key"] == "2", "the cache has %v", after.Data)
}

func apply(ctx context.Context) {
	maps := client.CoreV1().ConfigMaps(namespace)
	options := metav1.ApplyOptions{FieldManager: "client", Force: true}
	for _, value := range []string{"1", "2"} {
		wanted := applycorev1.ConfigMap("applied", namespace).WithData(map[string]string{"key": value})
		check(must(maps.Apply(ctx, wanted, options)).Data["key"] == value, "applied %s", value)
	}
}

func newPod(ctx context.Context, name string) {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"app": name}},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "example.com/main:1"}}},
	}
	must(client.CoreV1().Pods(namespace).Create(ctx, pod, metav1.CreateOptions{}))
}

// pods does what a scheduler and a kubelet do, since there is neither.
func pods(ctx context.Context) {
	all := client.CoreV1().Pods(namespace)
	newPod(ctx, "web")
	binding := &corev1.Binding{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Target: corev1.ObjectReference{Kind: "Node", Name: "node-1"}}
	check(all.Bind(ctx, binding, metav1.CreateOptions{}) == nil, "binding")
	pod := must(all.Get(ctx, "web", metav1.GetOptions{}))
	check(pod.Spec.NodeName == "node-1", "not bound")
	pod.Status.Phase = corev1.PodRunning
	pod.Status.Conditions = append(pod.Status.Conditions, corev1.PodCondition{Type: corev1.PodReady, Status: corev1.ConditionTrue})
	pod = must(all.UpdateStatus(ctx, pod, metav1.UpdateOptions{}))
	check(pod.Status.Phase == corev1.PodRunning, "phase %s", pod.Status.Phase)
	running := must(all.List(ctx, metav1.ListOptions{FieldSelector: "status.phase=Running"}))
	check(len(running.Items) == 1, "%d are running", len(running.Items))
	at := int64(0)
	check(all.Delete(ctx, "web", metav1.DeleteOptions{GracePeriodSeconds: &at}) == nil, "delete")
	_, err := all.Get(ctx, "web", metav1.GetOptions{})
	check(apierrors.IsNotFound(err), "deleted, but there: %v", err)
}

func eviction(ctx context.Context) {
	evict := func(name string) error {
		return client.CoreV1().Pods(namespace).EvictV1(ctx, &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: name}})
	}
	newPod(ctx, "free")
	check(evict("free") == nil, "a pod without a budget")
	newPod(ctx, "kept")
	bound := &corev1.Binding{ObjectMeta: metav1.ObjectMeta{Name: "kept"}, Target: corev1.ObjectReference{Kind: "Node", Name: "node-1"}}
	check(client.CoreV1().Pods(namespace).Bind(ctx, bound, metav1.CreateOptions{}) == nil, "binding")
	must(client.CoreV1().Pods(namespace).Patch(ctx, "kept", types.MergePatchType, []byte(`{"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}}`), metav1.PatchOptions{}, "status"))
	one := intstr.FromInt32(1)
	budget := &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Name: "budget"},
		Spec:       policyv1.PodDisruptionBudgetSpec{MinAvailable: &one, Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "kept"}}},
	}
	budgets := client.PolicyV1().PodDisruptionBudgets(namespace)
	created := must(budgets.Create(ctx, budget, metav1.CreateOptions{}))
	// The disruption controller's part. A budget that it has not seen is to be asked about again in ten seconds.
	created.Status = policyv1.PodDisruptionBudgetStatus{ObservedGeneration: created.Generation, CurrentHealthy: 1, DesiredHealthy: 1, ExpectedPods: 1}
	must(budgets.UpdateStatus(ctx, created, metav1.UpdateOptions{}))
	err := evict("kept")
	check(apierrors.IsTooManyRequests(err), "a pod with a budget: %v", err)
}

func leader(ctx context.Context) {
	leads := make(chan string, 10)
	run := func(identity string) context.CancelFunc {
		ctx, cancel := context.WithCancel(ctx)
		lock := must(resourcelock.New(resourcelock.LeasesResourceLock, namespace, "leader",
			client.CoreV1(), client.CoordinationV1(), resourcelock.ResourceLockConfig{Identity: identity}))
		go leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
			Lock: lock, LeaseDuration: 3 * time.Second, RenewDeadline: 2 * time.Second, RetryPeriod: 500 * time.Millisecond,
			ReleaseOnCancel: true,
			Callbacks: leaderelection.LeaderCallbacks{
				OnStartedLeading: func(context.Context) { leads <- identity },
				OnStoppedLeading: func() {},
			},
		})
		return cancel
	}
	next := func(want string) {
		select {
		case have := <-leads:
			check(have == want, "%s leads, not %s", have, want)
		case <-time.After(patience):
			check(false, "%s never leads", want)
		}
	}
	stopFirst := run("first")
	next("first")
	defer run("second")()
	stopFirst()
	next("second")
}

// protocol notes in which protocol answers come.
type protocol struct{ inner http.RoundTripper }

func (p protocol) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := p.inner.RoundTrip(request)
	if want := os.Getenv("PROTOCOL"); err == nil && want != "" && response.Proto != want {
		return nil, fmt.Errorf("the answer came in %s, not in %s", response.Proto, want)
	}
	return response, err
}

func main() {
	config := must(clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG")))
	config.WrapTransport = func(inner http.RoundTripper) http.RoundTripper { return protocol{inner} }
	if os.Getenv("PROTOCOL") == "HTTP/1.1" {
		config.TLSClientConfig.NextProtos = []string{"http/1.1"}
	}
	client = must(kubernetes.NewForConfig(config))
	ctx, cancel := context.WithTimeout(context.Background(), 4*patience)
	defer cancel()
	space := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}
	must(client.CoreV1().Namespaces().Create(ctx, space, metav1.CreateOptions{}))
	failed := false
	for _, scenario := range []struct {
		name string
		run  func(context.Context)
	}{{"crud", crud}, {"watch", watching}, {"informer", informer}, {"apply", apply}, {"pods", pods}, {"eviction", eviction}, {"leader", leader}} {
		func() {
			defer func() {
				if why := recover(); why != nil {
					failed = true
					fmt.Printf("FAIL %s: %v\n", scenario.name, why)
				} else {
					fmt.Printf("ok   %s\n", scenario.name)
				}
			}()
			scenario.run(ctx)
		}()
	}
	_ = client.CoreV1().Namespaces().Delete(ctx, namespace, metav1.DeleteOptions{})
	if failed {
		os.Exit(1)
	}
}
