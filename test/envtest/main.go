// envtest drives controller-runtime's package envtest, unchanged, on the folder that
// KUBEBUILDER_ASSETS names: as the suite of an operator does.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// check ends the program unless err is nil.
func check(what string, err error) {
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", what, err)
		stop()
		os.Exit(1)
	}
	fmt.Println("ok  ", what)
}

// want checks that got holds the text.
func want(what string, got error, text string) {
	if got == nil || !strings.Contains(got.Error(), text) {
		check(what, fmt.Errorf("want an error with %q, got %v", text, got))
	}
	fmt.Println("ok  ", what)
}

var stop = func() {}

func clientFor(config *rest.Config) client.Client {
	c, err := client.New(config, client.Options{})
	check("make a client", err)
	return c
}

func widget(name string) *unstructured.Unstructured {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Widget"})
	u.SetNamespace("default")
	u.SetName(name)
	u.Object["spec"] = map[string]any{"size": int64(3)}
	return u
}

func main() {
	here := os.Args[1]
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	env := &envtest.Environment{
		CRDDirectoryPaths:     []string{filepath.Join(here, "testdata")},
		ErrorIfCRDPathMissing: true,
	}
	config, err := env.Start()
	check("start", err)
	stop = func() { _ = env.Stop() }

	admin := clientFor(config)
	check("create a custom resource as admin", admin.Create(ctx, widget("one")))
	wrong := widget("wrong")
	wrong.Object["spec"] = map[string]any{"size": "big"}
	want("the schema of the definition holds", admin.Create(ctx, wrong), "spec.size")

	// A user with a certificate of its own, in a group.
	bob, err := env.AddUser(envtest.User{Name: "bob", Groups: []string{"dev"}}, nil)
	check("add a user", err)
	bobs := clientFor(bob.Config())
	err = bobs.Create(ctx, widget("bobs"))
	want("without a role the user may do nothing", err,
		`User "bob" cannot create resource "widgets" in API group "example.com" in the namespace "default"`)
	if !apierrors.IsForbidden(err) {
		check("the refusal is Forbidden", err)
	}
	check("make a role", admin.Create(ctx, &rbacv1.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{Name: "widgets", Labels: map[string]string{
			"rbac.authorization.k8s.io/aggregate-to-view": "true"}},
		Rules: []rbacv1.PolicyRule{{APIGroups: []string{"example.com"}, Resources: []string{"widgets"},
			Verbs: []string{"create", "get", "list", "watch"}}},
	}))
	check("bind it to the group", admin.Create(ctx, &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "dev", Namespace: "default"},
		Subjects:   []rbacv1.Subject{{Kind: "Group", APIGroup: "rbac.authorization.k8s.io", Name: "dev"}},
		RoleRef:    rbacv1.RoleRef{APIGroup: "rbac.authorization.k8s.io", Kind: "ClusterRole", Name: "widgets"},
	}))
	for i := 0; ; i++ {
		err = bobs.Create(ctx, widget("bobs"))
		if err == nil || i == 20 {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	check("create a custom resource as the user", err)
	want("but no ConfigMap", bobs.Create(ctx, &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: "a", Namespace: "default"}}), "configmaps is forbidden")
	want("nor a role with more rights than the user has", bobs.Create(ctx, &rbacv1.Role{
		ObjectMeta: metav1.ObjectMeta{Name: "r", Namespace: "default"}}), "is forbidden")

	// No controllers run: what an owner leaves behind stays, as with envtest.
	owner := widget("one")
	check("get the owner", admin.Get(ctx, client.ObjectKeyFromObject(owner), owner))
	child := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "child", Namespace: "default",
		OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(owner,
			owner.GroupVersionKind())}}}
	check("create a dependent", admin.Create(ctx, child))
	check("delete the owner", admin.Delete(ctx, owner))
	time.Sleep(500 * time.Millisecond)
	check("the dependent stays", admin.Get(ctx, client.ObjectKeyFromObject(child), child))

	kubectl, err := bob.Kubectl()
	if err == nil {
		out, _, err := kubectl.Run("get", "widgets", "-o", "name")
		check("kubectl as the user", err)
		var text strings.Builder
		b := make([]byte, 4096)
		n, _ := out.Read(b)
		text.Write(b[:n])
		if !strings.Contains(text.String(), "widget.example.com/bobs") {
			check("kubectl lists the widget", fmt.Errorf("got %q", text.String()))
		}
	}
	stop = func() {}
	check("stop", env.Stop())
}
