package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// request is one of a sequence. In path, query and body stand placeholders: {ns}, {rv:i} the resourceVersion that request i
// gave, {uid:i}, {continue:i}.
type request struct {
	id          int
	method      string
	path        string
	contentType string
	body        string
	watch       bool
	await       bool // is asked until it succeeds
	cleans      bool // only its code is compared
	settles     bool // has no effect: both servers are asked until they agree, for a real one learns by watching what was written
	user        string
	groups      []string
}

func (r request) String() string {
	out := "curl -X " + r.method + " '" + r.path + "'"
	if r.user != "" {
		out += " -H 'Impersonate-User: " + r.user + "'"
	}
	for _, group := range r.groups {
		out += " -H 'Impersonate-Group: " + group + "'"
	}
	if r.body != "" {
		out += " -H 'Content-Type: " + r.contentType + "' -d '" + r.body + "'"
	}
	return fmt.Sprintf("%2d: %s", r.id, out)
}

// session is one sequence on one server: what its placeholders stand for, and the symbols of what it was told.
type session struct {
	server    *server
	owners    bool // managedFields are compared, too
	namespace string
	versions  map[int]string
	uids      map[int]string
	tokens    map[int]string
	symbols   map[string]string // uids and resourceVersions
	known     int               // uids
	objects   map[string]int    // how many resourceVersions an object has had, by uid symbol
	shown     map[string]any    // what an object was like without versions, by the symbol of its resourceVersion
}

func newSession(s *server, namespace string) (*session, error) {
	out := &session{server: s, namespace: namespace, versions: map[int]string{}, uids: map[int]string{},
		tokens: map[int]string{}, symbols: map[string]string{}, objects: map[string]int{}, shown: map[string]any{}}
	got, err := s.do("POST", "/api/v1/namespaces", "application/json", []byte(`{"metadata":{"name":"`+namespace+`"}}`))
	if err != nil {
		return nil, err
	}
	if got.code != 201 {
		return nil, fmt.Errorf("%s: namespace %s: %d %v", s.name, namespace, got.code, got.body)
	}
	return out, nil
}

var placeholder = regexp.MustCompile(`\{(ns|rv|uid|continue)(?::(\d+))?\}`)

func (s *session) fill(text string) string {
	return placeholder.ReplaceAllStringFunc(text, func(found string) string {
		part := placeholder.FindStringSubmatch(found)
		id, _ := strconv.Atoi(part[2])
		switch part[1] {
		case "ns":
			return s.namespace
		case "rv":
			return s.versions[id]
		case "uid":
			return s.uids[id]
		}
		return s.tokens[id]
	})
}

func (s *session) do(r request) (answer, error) {
	var groups []string
	for _, group := range r.groups {
		groups = append(groups, s.fill(group))
	}
	server := s.server.as(s.fill(r.user), groups)
	if r.watch {
		return server.watch(s.fill(r.path))
	}
	got, err := server.do(r.method, s.fill(r.path), r.contentType, []byte(s.fill(r.body)))
	// A real server answers 503, too, while it takes over what has become of a definition.
	for end := time.Now().Add(30 * time.Second); err == nil && (r.await && got.code != 200 || got.code == 503) && time.Now().Before(end); {
		time.Sleep(50 * time.Millisecond)
		got, err = server.do(r.method, s.fill(r.path), r.contentType, []byte(s.fill(r.body)))
	}
	if body, ok := got.body.(map[string]any); ok && err == nil {
		metadata, _ := body["metadata"].(map[string]any)
		if !strings.Contains(r.path, "dryRun") { // which answers with the version that was sent: one of no server
			s.versions[r.id], _ = metadata["resourceVersion"].(string)
		}
		s.uids[r.id], _ = metadata["uid"].(string)
		s.tokens[r.id], _ = metadata["continue"].(string)
	}
	return got, err
}

var (
	uidPattern  = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	timePattern = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`)
	// Versions in messages stand in brackets or after a colon.
	versionPattern = regexp.MustCompile(`(\(|: )(\d+)(\)|,|$| )`)
)

// symbolic is a value with symbols for what differs by nature.
func (s *session) symbolic(value any, name string) any {
	switch value := value.(type) {
	case map[string]any:
		sortFinalizers(value)
		out := map[string]any{}
		// The uid first, for its resourceVersion is numbered by it.
		if uid, ok := value["uid"].(string); ok && value["name"] != nil {
			s.symbol(uid, "U")
		}
		for key, inner := range value {
			switch key {
			case "managedFields":
				if entries, ok := inner.([]any); ok && s.owners {
					out[key] = s.symbolic(owned(entries), key)
				}
			case "resourceVersion":
				if text, ok := inner.(string); ok && value["name"] == nil {
					out[key] = "of the list"
					_ = text
				} else if ok && text != "" {
					out[key] = s.version(text, value)
				} else {
					out[key] = inner
				}
			case "continue":
				if inner != "" {
					out[key] = "a token"
				}
			case "clusterIP":
				out[key] = address(inner)
			case "clusterIPs":
				list, _ := inner.([]any)
				masked := []any{}
				for _, item := range list {
					masked = append(masked, address(item))
				}
				out[key] = masked
			case "nodePort", "healthCheckNodePort":
				out[key] = "a port"
			default:
				out[key] = s.symbolic(inner, key)
			}
		}
		return out
	case []any:
		out := []any{}
		for _, inner := range value {
			out = append(out, s.symbolic(inner, name))
		}
		return out
	case string:
		text := uidPattern.ReplaceAllStringFunc(value, func(uid string) string {
			if strings.HasPrefix(uid, "00000000-") { // one of those that sequences name themselves
				return uid
			}
			return s.symbol(uid, "U")
		})
		text = timePattern.ReplaceAllString(text, "a time")
		text = strings.ReplaceAll(text, s.namespace, "{ns}")
		if name == "message" || name == "reason" {
			text = sortMissing(maskTemplates(text))
			text = versionPattern.ReplaceAllString(text, "${1}a version${3}")
		}
		return text
	}
	return value
}

// owned are managedFields by manager, in order.
func owned(entries []any) any {
	out := map[string]any{}
	for _, entry := range entries {
		entry, _ := entry.(map[string]any)
		who := fmt.Sprint(entry["manager"], " ", entry["operation"], " ", entry["apiVersion"], " ", entry["subresource"])
		if fields, is := entry["fieldsV1"].(map[string]any); is {
			known, _ := out[who].(map[string]any)
			out[who] = joined(known, fields) // a real server has two entries of one updater, now and then
		}
	}
	return out
}

// joined is all that is in either.
func joined(a, b map[string]any) map[string]any {
	out := maps.Clone(b)
	for name, inner := range a {
		mine, _ := inner.(map[string]any)
		others, _ := out[name].(map[string]any)
		out[name] = joined(mine, others)
	}
	if out == nil {
		out = map[string]any{}
	}
	return out
}

// sortFinalizers sorts the finalizers of namespaces: a real server takes them from a Go map when their deletion begins,
// whose order is another one each time.
func sortFinalizers(value map[string]any) {
	switch value["kind"] {
	case "Namespace":
		metadata, _ := value["metadata"].(map[string]any)
		finalizers, _ := metadata["finalizers"].([]any)
		slices.SortFunc(finalizers, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	case "NamespaceList":
		items, _ := value["items"].([]any)
		for _, item := range items {
			if namespace, ok := item.(map[string]any); ok {
				namespace["kind"] = "Namespace"
				sortFinalizers(namespace)
				delete(namespace, "kind")
			}
		}
	}
}

// remember keeps what objects are like.
func (s *session) remember(value any) {
	switch value := value.(type) {
	case []any:
		for _, inner := range value {
			s.remember(inner)
		}
	case map[string]any:
		for _, inner := range value {
			s.remember(inner)
		}
		metadata, _ := value["metadata"].(map[string]any)
		if version, ok := metadata["resourceVersion"].(string); ok {
			s.shown[version] = visible(value)
		}
	}
}

// news are the events of a watch, less versions, and less those whose object looks as it did at the version before: only
// managedFields have changed, which are not compared.
func (s *session) news(whole any) []any {
	events, _ := whole.(map[string]any)["events"].([]any)
	var out []any
	for _, event := range events {
		event, _ := event.(map[string]any)
		object, _ := event["object"].(map[string]any)
		metadata, _ := object["metadata"].(map[string]any)
		version, _ := metadata["resourceVersion"].(string)
		owner, number, _ := strings.Cut(version, ".v")
		n, _ := strconv.Atoi(number)
		before := s.shown[owner+".v"+strconv.Itoa(n-1)]
		if event["type"] == "MODIFIED" && before != nil && reflect.DeepEqual(before, visible(object)) {
			continue
		}
		out = append(out, map[string]any{"type": event["type"], "object": visible(object)})
	}
	return out
}

// visible is an object without what items of lists do not have, and without versions.
func visible(object map[string]any) any {
	out := withoutVersions(object).(map[string]any)
	delete(out, "apiVersion")
	delete(out, "kind")
	return out
}

func withoutVersions(value any) any {
	object, ok := value.(map[string]any)
	if !ok {
		return value
	}
	out := map[string]any{}
	for key, inner := range object {
		if key != "resourceVersion" {
			out[key] = withoutVersions(inner)
		}
	}
	return out
}

// maskTemplates hides pods' templates in a message: one server shows them as JSON, the other as Go's structs.
func maskTemplates(text string) string {
	const before, after = "Invalid value: {", ": field is immutable"
	var out strings.Builder
	for {
		at := strings.Index(text, before)
		if at < 0 {
			return out.String() + text
		}
		at += len(before) - 1
		out.WriteString(text[:at])
		text = text[at:]
		var value json.RawMessage
		if json.NewDecoder(strings.NewReader(text)).Decode(&value) != nil {
			continue
		}
		isTemplate := strings.Contains(string(value), `ontainers":`) && strings.HasPrefix(text[len(value):], after)
		if isTemplate {
			out.WriteString("{a template}")
		} else {
			out.Write(value)
		}
		text = text[len(value):]
	}
}

func address(value any) any {
	if text, _ := value.(string); strings.Count(text, ".") == 3 {
		return "an address"
	}
	return value
}

func (s *session) symbol(text, prefix string) string {
	if s.symbols[text] == "" {
		s.symbols[text] = prefix + strconv.Itoa(s.known)
		s.known++
	}
	return s.symbols[text]
}

// version numbers the versions of an object in the order in which they are seen.
func (s *session) version(text string, metadata map[string]any) string {
	uid, _ := metadata["uid"].(string)
	owner := s.symbol(uid, "U")
	key := owner + "@" + text
	if s.symbols[key] == "" {
		s.objects[owner]++
		s.symbols[key] = owner + ".v" + strconv.Itoa(s.objects[owner])
	}
	return s.symbols[key]
}

// difference is where two answers to the same request are not the same.
type difference struct {
	at     int // id of the request
	where  string
	detail string
}

// Names of namespaces of their own, for every run.
var (
	runs    atomic.Int64
	started = time.Now()
)

// play sends a sequence to both servers. Without `all` it stops at the first difference.
func play(servers []*server, style *style, seed uint64, sequence []request, all bool) []difference {
	namespace := fmt.Sprintf("d%d-%x-%d", seed, started.UnixMilli(), runs.Add(1))
	var sessions []*session
	for _, s := range servers {
		session, err := newSession(s, namespace)
		if err != nil {
			return []difference{{-1, "the namespace cannot be created", err.Error()}}
		}
		session.owners = style.owners
		sessions = append(sessions, session)
	}
	var out []difference
	cleaned := false
	defer func() { // what is left makes a real server slow
		for _, r := range sequence {
			for _, s := range sessions {
				if r.cleans && !cleaned {
					_, _ = s.do(r)
				}
			}
		}
	}()
	for _, r := range sequence {
		cleaned = cleaned || r.cleans
		answers, err := ask(sessions, r)
		if err != nil {
			return append(out, difference{r.id, "no answer", err.Error()})
		}
		var symbolic []any
		for i, s := range sessions {
			got := answers[i]
			whole := map[string]any{"code": json.Number(strconv.Itoa(got.code))}
			if got.events != nil {
				whole["events"] = s.symbolic(any(got.events), "")
			} else {
				whole["body"] = s.symbolic(got.body, "")
			}
			s.remember(any(whole))
			style.normalize(r, whole, got)
			symbolic = append(symbolic, whole)
		}
		if reflect.DeepEqual(symbolic[0], symbolic[1]) || style.excuse(sessions, r, answers, symbolic) {
			style.count(r, answers)
			if r.id == 0 && style.needsFirst && answers[0].code >= 300 {
				return out // nothing is there to ask about
			}
			if (answers[0].code < 300) != (answers[1].code < 300) {
				return out // only one of the two has seen the objects of this answer
			}
			continue
		}
		where, detail := describe(r, sessions, symbolic[0], symbolic[1])
		out = append(out, difference{r.id, where, detail})
		if !all || style.ends || parted(r, answers) {
			return out
		}
	}
	return out
}

// ask sends a request to both servers, and again until they agree if it settles.
func ask(sessions []*session, r request) ([]answer, error) {
	for end := time.Now().Add(5 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		var answers []answer
		for _, s := range sessions {
			got, err := s.do(r)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", s.server.name, err)
			}
			answers = append(answers, got)
		}
		if !r.settles || sessions[0].said(answers[0]) == sessions[1].said(answers[1]) || time.Now().After(end) {
			return answers, nil
		}
	}
}

// said is what an answer says, without what differs by nature.
func (s *session) said(got answer) string {
	body, _ := got.body.(map[string]any)
	message, _ := body["message"].(string)
	return fmt.Sprint(got.code, strings.ReplaceAll(message, s.namespace, ""), text(body["status"]))
}

// parted says that one server has done what the other has refused: from there on their objects differ.
func parted(r request, answers []answer) bool {
	return (answers[0].code < 300) != (answers[1].code < 300) && !strings.Contains(r.path, "dryRun")
}

func describe(r request, sessions []*session, real, ours any) (string, string) {
	var lines []string
	compare("", real, ours, func(path, want, got string) {
		if len(lines) < 12 {
			lines = append(lines, path+"\n      real: "+want+"\n      ours: "+got)
		}
	})
	path, query, _ := strings.Cut(r.path, "?")
	resource := kindOfPath(path)
	var names []string
	for _, part := range strings.Split(query, "&") {
		name, _, _ := strings.Cut(part, "=")
		names = append(names, name)
	}
	var paths []string
	for _, line := range lines {
		path, _, _ := strings.Cut(line, "\n")
		if !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	what := strings.Join(paths, ",")
	if what == ".events" && reflect.DeepEqual(sessions[0].news(real), sessions[1].news(ours)) {
		what = ".events of managed fields alone"
	}
	message := func(whole any) string {
		body, _ := whole.(map[string]any)["body"].(map[string]any)
		text, _ := body["message"].(string)
		if body["kind"] != "Status" {
			return ""
		}
		return text
	}
	where := fmt.Sprintf("%s %s?%s [%s] %s", r.method, resource, strings.Join(names, "&"), r.contentType, what)
	if a, b := message(real), message(ours); a != b {
		// What was asked matters less than what was said.
		where = fmt.Sprintf("%s %s real: %q ours: %q", r.method, what, plain(a, resource), plain(b, resource))
	}
	return where, strings.Join(lines, "\n    ")
}

var (
	symbolPattern = regexp.MustCompile(`\bU\d+\b`)
	namePattern   = regexp.MustCompile(`"(\{ns\}-)?([abc]|[rqu]\d)"|/(\{ns\}-)?[abc]\b|"\{ns\}:[ug]\d?"`)
	diffPattern   = regexp.MustCompile(`(?s)\n@@ .*`)
)

// plain is a message without what is particular to the object.
func plain(message, resource string) string {
	message = diffPattern.ReplaceAllString(message, "")
	message = namePattern.ReplaceAllString(symbolPattern.ReplaceAllString(message, "U"), "x")
	plural, _, _ := strings.Cut(resource, "/")
	for _, word := range []string{plural, strings.TrimSuffix(plural, "s")} {
		if word == "" {
			continue
		}
		message = regexp.MustCompile("(?i)\\b"+word+`(\.[a-z0-9.]+)?\b`).ReplaceAllString(message, "R")
	}
	return message
}

func compare(path string, want, got any, say func(path, want, got string)) {
	if reflect.DeepEqual(want, got) {
		return
	}
	wantMap, a := want.(map[string]any)
	gotMap, b := got.(map[string]any)
	if a && b {
		for _, name := range union(wantMap, gotMap) {
			compare(path+"."+name, wantMap[name], gotMap[name], say)
		}
		return
	}
	wantList, a := want.([]any)
	gotList, b := got.([]any)
	if a && b && len(wantList) == len(gotList) {
		for i := range wantList {
			compare(path+"[]", wantList[i], gotList[i], say)
		}
		return
	}
	say(path, short(want), short(got))
}

func short(value any) string {
	text, _ := json.Marshal(value)
	return string(text[:min(len(text), 600)])
}
