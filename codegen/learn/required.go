package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

const requiredHeader = `# What a real API server (%VERSION%) says about members of objects that are not there or empty, written by codegen/learn -required.
# Not to be edited.
# where: * wherever the message stands; a message and its member, for what stands in that
# type: the message; members: these, one of which must be there
# when: - always; a="x"|"y" where member a has one of these values
# reason, field, message: the cause. The field is below the message's place: . that place itself; ../a a beside it; [a] behind it;
#   [*] the place's own index
# where	type	members	when	reason	field	message
`

const someName = "x"

// cause is what the server says about a member of an object.
type cause struct{ Reason, Message, Field string }

// place is a message in a valid object: where, in the words of causes, and of which type.
type place struct {
	root    *root
	object  map[string]any
	path    string // "spec.containers[0]"; "" for the object itself
	site    string // the message and its member whose value it is: "k8s.io.api.core.v1.PodSpec.containers"
	message *message
	content map[string]any
}

// places gives the messages of an object that the schema knows, the outer ones first.
func places(at place) []*place {
	out := []*place{&at}
	add := func(path string, f *field, value any) {
		if content, ok := value.(map[string]any); ok {
			site := at.message.name + "." + f.name
			out = append(out, places(place{at.root, at.object, strings.TrimPrefix(path, "."), site, f.message, content})...)
		}
	}
	for _, f := range at.message.fields {
		if f.message == nil || f.isMap || strings.HasSuffix(f.message.name, ".ObjectMeta") {
			continue
		}
		path := at.path + "." + f.name
		add(path, f, at.content[f.name])
		items, _ := at.content[f.name].([]any)
		for i, item := range items {
			add(fmt.Sprintf("%s[%d]", path, i), f, item)
		}
	}
	return out
}

// relative says where a cause's field is, seen from the place.
func (p *place) relative(field string) string {
	up, at := "", p.path
	for {
		switch rest, below := strings.CutPrefix(field, at); {
		case field == at:
			return up + "."
		case below && strings.HasPrefix(rest, "["):
			return p.ownIndex(up, rest)
		case below && strings.HasPrefix(rest, "."):
			return p.ownIndex(up, rest[1:])
		case at == "":
			return p.ownIndex(up, field)
		}
		at = at[:max(strings.LastIndex(at, "."), 0)]
		up += "../"
	}
}

// ownIndex: a field that is elsewhere may stand in a list beside that of the place.
func (p *place) ownIndex(up, field string) string {
	index := p.path[max(strings.LastIndexAny(p.path, ".["), 0):]
	if up != "" && strings.HasPrefix(index, "[") {
		field = strings.Replace(field, index, "[*]", 1)
	}
	return up + field
}

// concerns: the cause is about what is missing, and not about what has lost its counterpart.
func (p *place) concerns(member string, c cause) bool {
	field := p.relative(c.Field)
	// A claim's source is copied from one member to the other.
	if c.Reason == "FieldValueNotFound" || c.Reason == "FieldValueDuplicate" || strings.Contains(c.Message, `{"`) || strings.HasPrefix(field, "../dataSource") {
		return false
	}
	if strings.Contains(c.Message, `"`+someName+`/"`) {
		return false
	}
	first := field[:max(strings.IndexAny(field+".", ".["), 0)]
	return first == member || p.content[first] == nil
}

// sample: what the server says of a place without one of its members.
type sample struct {
	place  *place
	member string
	says   string // lines of the table: reason, field, message
}

func (p *prober) causes(r *root, object map[string]any) ([]cause, error) {
	code, body, err := p.call("POST", r.path()+"?dryRun=All", object)
	if err != nil {
		return nil, err
	}
	return causesIn(code, body)
}

func causesIn(code int, body []byte) ([]cause, error) {
	if code == 201 {
		return nil, nil
	}
	var status struct{ Details struct{ Causes []cause } }
	if err := json.Unmarshal(body, &status); err != nil || code != 422 {
		return nil, fmt.Errorf("%d %s", code, body)
	}
	return status.Details.Causes, nil
}

// without asks about the place with `value` instead of the member; nil: without it.
func (p *prober) without(at *place, member string, value any) (string, error) {
	before := at.content[member]
	defer func() { at.content[member] = before }()
	if at.content[member] = value; value == nil {
		delete(at.content, member)
	}
	causes, err := p.causes(at.root, at.object)
	if p.check != nil && err == nil {
		p.check.compareCauses(at, member, causes)
	}
	var out []string
	for _, c := range causes {
		if at.concerns(member, c) {
			out = append(out, c.Reason+"\t"+at.relative(c.Field)+"\t"+c.Message)
		}
	}
	return strings.Join(out, "\n"), err
}

func (p *prober) sampleAll(at *place) ([]sample, error) {
	var out []sample
	for _, f := range at.message.fields {
		value := at.content[f.name]
		whole := f.message != nil && f.plain() // is always there
		if value == nil || whole || f.name == "metadata" {
			continue
		}
		says, err := p.without(at, f.name, nil)
		if err != nil {
			return nil, fmt.Errorf("without %s.%s: %w", at.path, f.name, err)
		}
		out = append(out, sample{at, f.name, says})
		var empty any
		if f.pointer || f.kind == "quantity" {
			continue
		}
		switch value.(type) {
		case string:
			empty = ""
		case []any:
			empty = []any{}
		default:
			continue
		}
		if emptied, err := p.without(at, f.name, empty); err != nil || emptied != says {
			fmt.Fprintf(os.Stderr, "%s %s: empty is not absent: %q, %q %v\n", at.site, f.name, emptied, says, err)
		}
	}
	return out, nil
}

// need: one of the members must be there.
type need struct {
	where, message string
	members        []string
	key            string // of the condition; "" for none
	values         []string
	says           string
}

func (n *need) applies(content map[string]any) bool {
	value, _ := content[n.key].(string)
	return n.key == "" || slices.Contains(n.values, value)
}

func (n *need) met(content map[string]any, without string) bool {
	return slices.ContainsFunc(n.members, func(m string) bool { return m != without && content[m] != nil })
}

// fits: it holds in every place, and whatever breaks it says so.
func (n *need) fits(of []*place, samples []sample) bool {
	for _, at := range of {
		if n.applies(at.content) && !n.met(at.content, "") {
			return false
		}
	}
	for _, s := range samples {
		broken := s.member != n.key && n.applies(s.place.content) && !n.met(s.place.content, s.member)
		if broken != (s.says == n.says) && (broken || slices.Contains(n.members, s.member)) {
			return false
		}
	}
	return true
}

// selects: which members are needed may depend on this one.
func selects(m *message, member string) bool {
	return slices.Contains([]string{"operator", "patchType", "pathType", "scope", "type"}, member) || m.short() == "Subject" && member == "kind"
}

// find looks for the condition, if any, under which what the samples say is what is missing.
func (n *need) find(of []*place, samples []sample) bool {
	var with []*place
	for _, s := range samples {
		if s.says == n.says && slices.Contains(n.members, s.member) {
			with = append(with, s.place)
		}
	}
	if n.fits(of, samples) {
		return true
	}
	for _, f := range of[0].message.fields {
		if !selects(of[0].message, f.name) || slices.Contains(n.members, f.name) {
			continue
		}
		n.key, n.values = f.name, nil
		for _, at := range with {
			if value, ok := at.content[f.name].(string); ok {
				n.values = append(n.values, value)
			}
		}
		slices.Sort(n.values)
		n.values = slices.Compact(n.values)
		if len(n.values) > 0 && n.fits(of, samples) {
			return true
		}
	}
	return false
}

// needs are those of one message, from all places where it has been tried. `everywhere`: these are all that there are.
func needs(of []*place, samples []sample, everywhere bool) []*need {
	var out []*need
	said := map[string]bool{"": true}
	for _, s := range samples {
		if said[s.says] {
			continue
		}
		said[s.says] = true
		if found := needsThatSay(s.says, "*", of, samples); everywhere && found != nil {
			out = append(out, found...)
			continue
		}
		bySite := map[string][]*place{}
		for _, at := range of {
			bySite[at.site] = append(bySite[at.site], at)
		}
		for _, site := range slices.Sorted(maps.Keys(bySite)) {
			here := slices.DeleteFunc(slices.Clone(samples), func(o sample) bool { return o.place.site != site })
			if !slices.ContainsFunc(here, func(o sample) bool { return o.says == s.says }) {
				continue
			}
			found := needsThatSay(s.says, site, bySite[site], here)
			if found == nil {
				fmt.Fprintf(os.Stderr, "%s: it depends: %s\n", site, strings.ReplaceAll(s.says, "\n", "; "))
			}
			out = append(out, found...)
		}
	}
	return out
}

// needsThatSay finds of which members one is needed, or else which are each; nil: neither explains the samples.
func needsThatSay(says, where string, of []*place, samples []sample) []*need {
	var members []string
	for _, s := range samples {
		if s.says == says {
			members = append(members, s.member)
		}
	}
	slices.Sort(members)
	members = slices.Compact(members)
	one := &need{where: where, message: of[0].message.name, members: members, says: says}
	if one.find(of, samples) {
		return []*need{one}
	}
	var each []*need
	for _, member := range members {
		n := &need{where: where, message: of[0].message.name, members: []string{member}, says: says}
		if !n.find(of, samples) {
			return nil
		}
		each = append(each, n)
	}
	return each
}

func (n *need) row() string {
	when := "-"
	if n.key != "" {
		when = n.key + `="` + strings.Join(n.values, `"|"`) + `"`
	}
	head := strings.Join([]string{n.where, n.message, strings.Join(n.members, "|"), when}, "\t")
	return head + "\t" + strings.ReplaceAll(n.says, "\n", "\n"+head+"\t") + "\n"
}

// order asks about a place that lacks all that is needed: the server goes through them in an order of its own.
func (p *prober) order(of []*place, needs []*need) {
	for _, at := range of {
		before := maps.Clone(at.content)
		for _, n := range needs {
			for _, member := range n.members {
				delete(at.content, member)
			}
		}
		causes, _ := p.causes(at.root, at.object)
		clear(at.content)
		maps.Copy(at.content, before)
		rank := func(n *need) int {
			reason, rest, _ := strings.Cut(n.says, "\t")
			field, _, _ := strings.Cut(rest, "\t")
			return slices.IndexFunc(causes, func(c cause) bool { return c.Reason == reason && at.relative(c.Field) == field })
		}
		slices.SortStableFunc(needs, func(a, b *need) int {
			if rank(a) < 0 || rank(b) < 0 {
				return 0
			}
			return rank(a) - rank(b)
		})
	}
}

// learnRequired makes the table from a file of valid objects.
func learnRequired(s *schema, p *prober, file, version string) (string, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	of := map[string][]*place{}
	samples := map[string][]sample{}
	for number, line := range strings.Split(string(data), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		if err := p.sampleLine(s, line, of, samples); err != nil {
			return "", fmt.Errorf("%s:%d: %w", file, number+1, err)
		}
	}
	sites := s.sites()
	out := strings.Replace(requiredHeader, "%VERSION%", version, 1)
	for _, name := range slices.Sorted(maps.Keys(of)) {
		tried := map[string]bool{}
		for _, at := range of[name] {
			tried[at.site] = true
		}
		found := needs(of[name], samples[name], len(tried) >= len(sites[name]))
		if len(found) > 1 {
			p.order(of[name], found)
		}
		for _, n := range found {
			out += n.row()
		}
	}
	return out, nil
}

// sites gives for each message the members that have it as their value, of the versions that objects are stored in.
func (s *schema) sites() map[string]map[string]bool {
	out := map[string]map[string]bool{}
	var visit func(m *message, site string)
	visit = func(m *message, site string) {
		if out[m.name][site] {
			return
		}
		if out[m.name] == nil {
			out[m.name] = map[string]bool{}
		}
		out[m.name][site] = true
		for _, f := range m.fields {
			if f.message != nil && f.name != "status" {
				visit(f.message, m.name+"."+f.name)
			}
		}
	}
	for _, r := range s.roots {
		if r.version == "v1" || r.version == "v2" {
			visit(r.kind, r.scope())
		}
	}
	return out
}

// validObject reads a line of the file and gives the messages in the object. there: the server has it already, so it is valid
// and can be asked no more.
func (p *prober) validObject(s *schema, line string) (found []*place, there bool, err error) {
	var object map[string]any
	if err := json.Unmarshal([]byte(line), &object); err != nil {
		return nil, false, err
	}
	scope := fmt.Sprint(object["apiVersion"], " ", object["kind"])
	root := slices.IndexFunc(s.roots, func(r *root) bool { return r.scope() == scope })
	if root < 0 {
		return nil, false, fmt.Errorf("no such kind: %s", scope)
	}
	r := s.roots[root]
	if object["metadata"] == nil {
		object["metadata"] = map[string]any{"name": someName}
	}
	wrong, err := p.causes(r, object)
	there = err != nil && strings.HasPrefix(err.Error(), "409 ")
	if wrong != nil || err != nil && !there {
		return nil, false, fmt.Errorf("%s should be valid: %v %w", scope, wrong, err)
	}
	return places(place{r, object, "", r.scope(), r.kind, object}), there, nil
}

func (p *prober) sampleLine(s *schema, line string, of map[string][]*place, samples map[string][]sample) error {
	all, there, err := p.validObject(s, line)
	if err != nil {
		return err
	}
	for _, at := range all {
		of[at.message.name] = append(of[at.message.name], at)
		if there {
			continue
		}
		found, err := p.sampleAll(at)
		if err != nil {
			return err
		}
		samples[at.message.name] = append(samples[at.message.name], found...)
	}
	return nil
}
