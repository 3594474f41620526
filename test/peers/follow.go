package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

// followed are the resources that the driver of test/realserver/faults asks for.
var followed = map[string]schema.GroupVersionResource{
	"configmaps":      configMaps,
	"secrets":         {Version: "v1", Resource: "secrets"},
	"serviceaccounts": {Version: "v1", Resource: "serviceaccounts"},
	"priorityclasses": {Group: "scheduling.k8s.io", Version: "v1", Resource: "priorityclasses"},
}

// follow runs an informer for each RESOURCE[/NAMESPACE] and says on request what is in their caches: the counterpart of
// test/realserver/faults/follow.cc. `events`, if given, is a file that gets a line for each callback. It ends with standard input.
func follow(config *rest.Config, names []string, events string) error {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	log, err := newEventLog(events)
	if err != nil {
		return err
	}
	all := make([]cache.SharedIndexInformer, len(names))
	for i, name := range names {
		resource, namespace, _ := strings.Cut(name, "/")
		wanted, there := followed[resource]
		if !there {
			return fmt.Errorf("there is no resource for %s", name)
		}
		factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(namespace))
		informer, err := factory.ForResource(wanted)
		if err != nil {
			return err
		}
		all[i] = informer.Informer()
		if err := log.listen(all[i], name); err != nil {
			return err
		}
		factory.Start(ctx.Done())
	}
	fmt.Println("ready")
	questions := bufio.NewScanner(os.Stdin)
	out := bufio.NewWriter(os.Stdout)
	for questions.Scan() {
		for i, informer := range all {
			switch questions.Text() {
			case "state":
				err = printObjects(out, names[i], informer)
			case "stats":
				_, err = fmt.Fprintf(out, "%s objects=%d version=%s synced=%v\n", names[i], len(informer.GetStore().ListKeys()),
					informer.LastSyncResourceVersion(), informer.HasSynced())
			}
			if err != nil {
				return err
			}
		}
		fmt.Fprintln(out, "end")
		if err := out.Flush(); err != nil {
			return err
		}
	}
	return questions.Err()
}

// eventLog writes what handlers are told.
type eventLog struct {
	mu   sync.Mutex
	file *os.File // nil: nobody wants to know
}

func newEventLog(path string) (*eventLog, error) {
	if path == "" {
		return &eventLog{}, nil
	}
	file, err := os.Create(path)
	return &eventLog{file: file}, err
}

func (l *eventLog) listen(informer cache.SharedIndexInformer, name string) error {
	if l.file == nil {
		return nil
	}
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { l.write(name, "add", object) },
		UpdateFunc: func(_, object any) { l.write(name, "update", object) },
		DeleteFunc: func(object any) {
			if tombstone, unseen := object.(cache.DeletedFinalStateUnknown); unseen {
				l.write(name, "tombstone", tombstone.Obj)
			} else {
				l.write(name, "delete", object)
			}
		},
	})
	return err
}

func (l *eventLog) write(name, what string, object any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	key, _ := cache.MetaNamespaceKeyFunc(object)
	if accessor, err := meta.Accessor(object); err == nil {
		fmt.Fprintln(l.file, name, key, what, accessor.GetUID(), accessor.GetResourceVersion())
	}
}

func printObjects(out *bufio.Writer, name string, informer cache.SharedIndexInformer) error {
	for _, object := range informer.GetStore().List() {
		accessor, err := meta.Accessor(object)
		if err != nil {
			return err
		}
		key, err := cache.MetaNamespaceKeyFunc(object)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintln(out, name, key, accessor.GetUID(), accessor.GetResourceVersion()); err != nil {
			return err
		}
	}
	return nil
}
