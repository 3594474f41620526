package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

var (
	configMaps  = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	definitions = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	gears       = schema.GroupVersionResource{Group: "peers.example.com", Version: "v1", Resource: "gears"}
)

// newNamespace makes one that no other check uses.
func (p *peer) newNamespace(ctx context.Context) (string, error) {
	made, err := p.client.CoreV1().Namespaces().Create(ctx,
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "peers-"}}, metav1.CreateOptions{})
	if err != nil {
		return "", err
	}
	return made.Name, nil
}

func (p *peer) writeConfigMap(ctx context.Context, namespace, name, value string) error {
	maps := p.client.CoreV1().ConfigMaps(namespace)
	object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"value": value}},
		Data: map[string]string{"value": value}}
	_, err := maps.Create(ctx, object, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		_, err = maps.Update(ctx, object, metav1.UpdateOptions{})
	}
	return err
}

// onServer is what a list says: the truth that informers must reach.
func (p *peer) onServer(ctx context.Context, namespace string) (map[string]string, error) {
	list, err := p.client.CoreV1().ConfigMaps(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, item := range list.Items {
		out[item.Namespace+"/"+item.Name] = item.ResourceVersion
	}
	return out, nil
}

func (p *peer) settles(ctx context.Context, what string, namespace string, r *record) error {
	want, err := p.onServer(ctx, namespace)
	if err != nil {
		return err
	}
	return r.is(ctx, what, want)
}

// churn creates, updates and deletes ConfigMaps.
func (p *peer) churn(ctx context.Context, namespace string, seed int) error {
	for i := range 40 {
		if err := p.writeConfigMap(ctx, namespace, fmt.Sprintf("c%d", (i*7+seed)%23), fmt.Sprint(i+seed)); err != nil {
			return err
		}
		if i%3 == 0 {
			name := fmt.Sprintf("c%d", (i*5+seed)%23)
			err := p.client.CoreV1().ConfigMaps(namespace).Delete(ctx, name, metav1.DeleteOptions{})
			if err != nil && !apierrors.IsNotFound(err) {
				return err
			}
		}
	}
	return nil
}

// informer: the initial sync in pages, every kind of change, resyncs, selectors, watches that are cut.
func informer(ctx context.Context, p *peer) error {
	namespace, err := p.newNamespace(ctx)
	if err != nil {
		return err
	}
	for i := range 1200 { // more than two pages of 500
		if err := p.writeConfigMap(ctx, namespace, fmt.Sprintf("initial-%d", i), "0"); err != nil {
			return err
		}
	}
	all, chosen := newRecord(), newRecord()
	factory := informers.NewSharedInformerFactoryWithOptions(p.client, 500*time.Millisecond, informers.WithNamespace(namespace))
	shared := factory.Core().V1().ConfigMaps()
	if _, err := shared.Informer().AddEventHandler(all.handler()); err != nil {
		return err
	}
	selected := informers.NewSharedInformerFactoryWithOptions(p.client, 0, informers.WithNamespace(namespace),
		informers.WithTweakListOptions(func(o *metav1.ListOptions) { o.LabelSelector = "value=1" }))
	if _, err := selected.Core().V1().ConfigMaps().Informer().AddEventHandler(chosen.handler()); err != nil {
		return err
	}
	for _, f := range []informers.SharedInformerFactory{factory, selected} {
		f.Start(ctx.Done())
		for kind, synced := range f.WaitForCacheSync(ctx.Done()) {
			if !synced {
				return fmt.Errorf("%v did not sync", kind)
			}
		}
	}
	if err := p.settles(ctx, "initial sync", namespace, all); err != nil {
		return err
	}
	if watchList() != p.seen.asked("sendInitialEvents=true") {
		return fmt.Errorf("WatchList is %v, but was it asked for: %v", watchList(), p.seen.asked("sendInitialEvents=true"))
	}
	if watchList() && p.seen.asked("GET", "configmaps?limit=500") {
		return errors.New("WatchList is on, but the client fell back to a list")
	}
	if err := p.writeConfigMap(ctx, namespace, "initial-5", "1"); err != nil {
		return err
	}
	list, err := p.client.CoreV1().ConfigMaps(namespace).List(ctx, metav1.ListOptions{LabelSelector: "value=1"})
	if err != nil || len(list.Items) != 1 {
		return fmt.Errorf("a list with a selector gave %d objects: %w", len(list.Items), err)
	}
	want := map[string]string{namespace + "/initial-5": list.Items[0].ResourceVersion}
	if err := chosen.is(ctx, "an object that comes into the selection", want); err != nil {
		return err
	}
	if err := p.writeConfigMap(ctx, namespace, "initial-5", "2"); err != nil {
		return err
	}
	if err := chosen.is(ctx, "an object that leaves the selection", map[string]string{}); err != nil {
		return err
	}
	for round := range 2 {
		if err := p.churn(ctx, namespace, round*11); err != nil {
			return err
		}
		if err := p.settles(ctx, fmt.Sprintf("after changes, round %d", round), namespace, all); err != nil {
			return err
		}
		// Cut, and changed while nobody watches: the watch goes on where it was, without a list.
		p.seen.forget()
		p.seen.hold()
		if err := p.churn(ctx, namespace, round*13+5); err != nil {
			return err
		}
		p.seen.release()
		if err := p.settles(ctx, fmt.Sprintf("after a cut, round %d", round), namespace, all); err != nil {
			return err
		}
	}
	if err := until(ctx, "resyncs", func() (bool, string) {
		all.mu.Lock()
		defer all.mu.Unlock()
		return all.resyncs > 1000, fmt.Sprint(all.resyncs)
	}); err != nil {
		return err
	}
	cached, err := shared.Lister().ConfigMaps(namespace).Get("initial-7")
	if err != nil || cached.Data["value"] != "0" {
		return fmt.Errorf("from the lister: %v, %w", cached, err)
	}
	if err := p.client.CoreV1().ConfigMaps(namespace).DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
		return err
	}
	return all.is(ctx, "after deletecollection", map[string]string{})
}

// expired: what a watch would go on from is gone, by compaction, by an ERROR event, by HTTP 410: a new list, and no lost deletion.
func expired(ctx context.Context, p *peer) error {
	if _, err := p.debug(ctx, "GET", "faults", ""); err != nil {
		return err
	}
	namespace, err := p.newNamespace(ctx)
	if err != nil {
		return err
	}
	if err := p.churn(ctx, namespace, 1); err != nil {
		return err
	}
	seen := newRecord()
	factory := informers.NewSharedInformerFactoryWithOptions(p.client, 0, informers.WithNamespace(namespace))
	if _, err := factory.Core().V1().ConfigMaps().Informer().AddEventHandler(seen.handler()); err != nil {
		return err
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	ways := []struct{ name, path, body string }{
		{"compaction", "compact", ""},
		{"an ERROR event of 410", "faults", `{"verb":"watch","resource":"configmaps","action":"watchError","status":410,"count":1}`},
		{"HTTP 410", "faults", `{"verb":"watch","resource":"configmaps","action":"respond","status":410,"count":1}`},
	}
	for i, way := range ways {
		p.seen.forget()
		p.seen.hold()
		if err := p.churn(ctx, namespace, i*17+3); err != nil {
			return err
		}
		if _, err := p.debug(ctx, "POST", way.path, way.body); err != nil {
			return err
		}
		p.seen.release()
		if err := p.settles(ctx, way.name, namespace, seen); err != nil {
			return err
		}
		relisted := p.seen.asked("configmaps?resourceVersion=") || p.seen.asked("sendInitialEvents=true")
		if !relisted {
			return fmt.Errorf("%s: the client did not list anew", way.name)
		}
	}
	return nil
}

// faults: the informer ends where the server is, whatever happens on the way.
func faults(ctx context.Context, p *peer) error {
	if _, err := p.debug(ctx, "DELETE", "faults", ""); err != nil {
		return err
	}
	defer func() { _, _ = p.debug(context.Background(), "DELETE", "faults", "") }()
	namespace, err := p.newNamespace(ctx)
	if err != nil {
		return err
	}
	seen := newRecord()
	factory := informers.NewSharedInformerFactoryWithOptions(p.client, 0, informers.WithNamespace(namespace))
	if _, err := factory.Core().V1().ConfigMaps().Informer().AddEventHandler(seen.handler()); err != nil {
		return err
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	for i, rule := range []string{
		`{"verb":"watch","resource":"configmaps","action":"cutBody","afterBytes":700,"count":2}`,
		`{"verb":"watch","resource":"configmaps","action":"respond","status":429,"retryAfter":1,"count":1}`,
		`{"verb":"watch","resource":"configmaps","action":"respond","status":500,"count":1}`,
		`{"verb":"watch","resource":"configmaps","action":"endWatch","afterEvents":1,"count":2}`,
		`{"verb":"watch","resource":"configmaps","action":"refuse","count":2}`,
	} {
		if _, err := p.debug(ctx, "POST", "faults", rule); err != nil {
			return fmt.Errorf("%s: %w", rule, err)
		}
		p.seen.hold()
		if err := p.churn(ctx, namespace, i*19); err != nil {
			return err
		}
		p.seen.release()
		if err := p.settles(ctx, rule, namespace, seen); err != nil {
			return err
		}
	}
	return nil
}

// debug asks the server's own endpoints; errSkipped where it has none.
func (p *peer) debug(ctx context.Context, method, path, body string) ([]byte, error) {
	config := rest.CopyConfig(p.config)
	config.WrapTransport = nil
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, err
	}
	host := config.Host
	if !strings.Contains(host, "://") {
		host = "http://" + host
	}
	request, err := http.NewRequestWithContext(ctx, method, host+"/debug/"+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode == http.StatusNotFound {
		return nil, fmt.Errorf("%w: the server has no /debug/%s", errSkipped, path)
	}
	if response.StatusCode >= 300 {
		return nil, fmt.Errorf("%s /debug/%s: %s", method, path, response.Status)
	}
	return nil, nil
}

// defineGears makes the custom resource that the checks work with.
func (p *peer) defineGears(ctx context.Context) (dynamic.Interface, error) {
	config := rest.CopyConfig(p.config)
	config.AcceptContentTypes, config.ContentType = "application/json", "application/json"
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	preserve := map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true}
	_, err = client.Resource(definitions).Create(ctx, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": "gears.peers.example.com"},
		"spec": map[string]any{
			"group": "peers.example.com", "scope": "Namespaced",
			"names": map[string]any{"plural": "gears", "singular": "gear", "kind": "Gear", "listKind": "GearList"},
			"versions": []any{map[string]any{"name": "v1", "served": true, "storage": true,
				"subresources": map[string]any{"status": map[string]any{}},
				"schema": map[string]any{"openAPIV3Schema": map[string]any{"type": "object",
					"properties": map[string]any{"spec": preserve, "status": preserve}}}}}}}},
		metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return nil, err
	}
	return client, until(ctx, "the custom resource", func() (bool, string) {
		_, err := client.Resource(gears).List(ctx, metav1.ListOptions{})
		return err == nil, fmt.Sprint(err)
	})
}

func gear(namespace, name string, size int64) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "peers.example.com/v1", "kind": "Gear",
		"metadata": map[string]any{"namespace": namespace, "name": name},
		"spec":     map[string]any{"size": size, "ratio": 0.5}}}
}

// dynamicInformer: objects of a type that the client was not built with.
func dynamicInformer(ctx context.Context, p *peer) error {
	namespace, err := p.newNamespace(ctx)
	if err != nil {
		return err
	}
	client, err := p.defineGears(ctx)
	if err != nil {
		return err
	}
	all := client.Resource(gears).Namespace(namespace)
	for i := range 30 {
		if _, err := all.Create(ctx, gear(namespace, fmt.Sprintf("g%d", i), int64(i)), metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	seen := newRecord()
	factory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(client, 0, namespace, nil)
	informer := factory.ForResource(gears)
	if _, err := informer.Informer().AddEventHandler(seen.handler()); err != nil {
		return err
	}
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), informer.Informer().HasSynced) {
		return errors.New("no sync")
	}
	if watchList() != p.seen.asked("gears", "sendInitialEvents=true") {
		return errors.New("WatchList was not used as the environment says")
	}
	for i := range 30 {
		name := fmt.Sprintf("g%d", i)
		switch i % 3 {
		case 0:
			err = all.Delete(ctx, name, metav1.DeleteOptions{})
		case 1:
			_, err = all.Patch(ctx, name, types.MergePatchType, []byte(`{"spec":{"size":100}}`), metav1.PatchOptions{})
		case 2:
			_, err = all.Patch(ctx, name, types.MergePatchType, []byte(`{"status":{"turns":7}}`), metav1.PatchOptions{}, "status")
		}
		if err != nil {
			return err
		}
	}
	list, err := all.List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	want := map[string]string{}
	for _, item := range list.Items {
		want[item.GetNamespace()+"/"+item.GetName()] = item.GetResourceVersion()
	}
	if err := seen.is(ctx, "custom resources", want); err != nil {
		return err
	}
	object, err := informer.Lister().ByNamespace(namespace).Get("g2")
	if err != nil {
		return err
	}
	content := object.(*unstructured.Unstructured)
	turns, _, _ := unstructured.NestedInt64(content.Object, "status", "turns")
	ratio, _, _ := unstructured.NestedFloat64(content.Object, "spec", "ratio")
	if turns != 7 || ratio != 0.5 || content.GetGeneration() != 1 {
		return fmt.Errorf("g2 came as %v", content.Object)
	}
	return nil
}

// metadataInformer: names and labels of objects without the rest of them.
func metadataInformer(ctx context.Context, p *peer) error {
	namespace, err := p.newNamespace(ctx)
	if err != nil {
		return err
	}
	if err := p.churn(ctx, namespace, 2); err != nil {
		return err
	}
	client, err := metadata.NewForConfig(p.config)
	if err != nil {
		return err
	}
	seen := newRecord()
	factory := metadatainformer.NewFilteredSharedInformerFactory(client, 0, namespace, nil)
	informer := factory.ForResource(configMaps)
	if _, err := informer.Informer().AddEventHandler(seen.handler()); err != nil {
		return err
	}
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), informer.Informer().HasSynced) {
		return errors.New("no sync")
	}
	if err := p.churn(ctx, namespace, 9); err != nil {
		return err
	}
	if err := p.settles(ctx, "metadata", namespace, seen); err != nil {
		return err
	}
	for _, object := range informer.Informer().GetStore().List() {
		partial := object.(*metav1.PartialObjectMetadata)
		if partial.Labels["value"] == "" || partial.UID == "" {
			return fmt.Errorf("came as %v", partial)
		}
	}
	return nil
}
